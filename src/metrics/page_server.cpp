// SPDX-License-Identifier: MPL-2.0
#include "metrics/page_server.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <optional>
#include <stdexcept>
#include <utility>

namespace zlink::metrics {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using tcp = asio::ip::tcp;
using code = boost::system::error_code;

constexpr std::uint32_t most_request_bytes = 8192;
constexpr std::size_t most_clients = 16;
constexpr auto patience = std::chrono::seconds(2);
constexpr auto pause_without_descriptors = std::chrono::milliseconds(100);

struct address_text {
    std::string host, port;
};

bool is_port(const std::string &text) {
    const bool digits = text.find_first_not_of("0123456789") == std::string::npos;
    return text == "*" || (digits && !text.empty() && text.size() <= 5 && std::stoi(text) <= 65535);
}

address_text take_apart(const std::string &endpoint) {
    const std::string scheme = "tcp://";
    const std::size_t colon = endpoint.rfind(':');
    if (!endpoint.starts_with(scheme) || colon <= scheme.size() || !is_port(endpoint.substr(colon + 1)))
        throw std::invalid_argument(endpoint + ": give an address and a port, as in tcp://127.0.0.1:9464");
    std::string host = endpoint.substr(scheme.size(), colon - scheme.size());
    if (host.size() > 2 && host.front() == '[' && host.back() == ']')
        host = host.substr(1, host.size() - 2);
    const std::string port = endpoint.substr(colon + 1);
    return {host == "*" ? "0.0.0.0" : host, port == "*" ? "0" : port};
}

tcp::endpoint resolved(asio::io_context &context, const std::string &endpoint) {
    const address_text wanted = take_apart(endpoint);
    code failed;
    const auto found = tcp::resolver(context).resolve(
        wanted.host, wanted.port, tcp::resolver::passive | tcp::resolver::numeric_service, failed);
    if (failed || found.empty())
        throw std::runtime_error(endpoint + ": " + failed.message() + "; give an address of this machine");
    return found.begin()->endpoint();
}

// A connection, which lives as long as one of its operations does.
class client : public std::enable_shared_from_this<client> {
  public:
    client(tcp::socket socket, const page_server::maker &make, std::function<void()> ended)
        : stream_(std::move(socket)), make_(make), ended_(std::move(ended)) {}
    ~client() { ended_(); }
    client(const client &) = delete;
    client &operator=(const client &) = delete;

    void read() {
        parser_.emplace();
        parser_->header_limit(most_request_bytes);
        parser_->body_limit(0);
        stream_.expires_after(patience);
        http::async_read(stream_, buffer_, *parser_,
                         [self = shared_from_this()](const code &failed, std::size_t) {
                             if (!failed)
                                 self->answer();
                         });
    }

  private:
    void answer() {
        const http::request<http::empty_body> &asked = parser_->get();
        page made = page_for(asked);
        answer_ = {};
        answer_.version(asked.version());
        answer_.result(made.status);
        answer_.set(http::field::content_type, made.type);
        answer_.keep_alive(asked.keep_alive());
        answer_.body() = std::move(made.body);
        answer_.prepare_payload();
        if (asked.method() == http::verb::head)
            answer_.body().clear(); // the length stays
        stream_.expires_after(patience);
        http::async_write(stream_, answer_, [self = shared_from_this()](const code &failed, std::size_t) {
            if (failed)
                return;
            if (self->answer_.keep_alive())
                return self->read();
            code ignored;
            self->stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
        });
    }

    page page_for(const http::request<http::empty_body> &asked) const {
        if (asked.method() != http::verb::get && asked.method() != http::verb::head)
            return {405, "text/plain", "only GET and HEAD\n"};
        const std::string target(asked.target());
        try {
            return make_(target.substr(0, target.find('?')));
        } catch (const std::exception &) {
            return {500, "text/plain", "the page could not be made\n"};
        }
    }

    beast::tcp_stream stream_;
    beast::flat_buffer buffer_{most_request_bytes};
    std::optional<http::request_parser<http::empty_body>> parser_; // of the request that comes
    http::response<http::string_body> answer_;
    const page_server::maker &make_;
    std::function<void()> ended_;
};

} // namespace

struct page_server::state {
    maker make;
    std::size_t clients = 0; // before the context, whose end ends them
    bool waits = false;      // no client is accepted until one has ended
    asio::io_context context{1};
    tcp::acceptor acceptor{context};
    asio::steady_timer pause{context};

    void accept() {
        waits = clients >= most_clients;
        if (!waits)
            acceptor.async_accept([this](const code &failed, tcp::socket socket) {
                if (failed == asio::error::operation_aborted)
                    return;
                if (failed)
                    return accept_later(); // no descriptors, for one
                ++clients;
                std::make_shared<client>(std::move(socket), make, [this] { end_client(); })->read();
                accept();
            });
    }
    void accept_later() {
        pause.expires_after(pause_without_descriptors);
        pause.async_wait([this](const code &failed) {
            if (!failed)
                accept();
        });
    }
    void end_client() {
        --clients;
        if (std::exchange(waits, false) && !context.stopped())
            accept();
    }
};

page_server::page_server(const std::string &endpoint, maker make) : state_(std::make_unique<state>()) {
    state_->make = std::move(make);
    const tcp::endpoint place = resolved(state_->context, endpoint);
    code failed;
    const auto tried = [&](auto &&step) {
        if (!failed)
            step();
    };
    tried([&] { state_->acceptor.open(place.protocol(), failed); });
    tried([&] { state_->acceptor.set_option(tcp::acceptor::reuse_address(true), failed); });
    tried([&] { state_->acceptor.bind(place, failed); });
    tried([&] { state_->acceptor.listen(most_clients, failed); });
    if (failed)
        throw std::runtime_error(endpoint + ": " + failed.message() + "; another port may be free");
    state_->accept();
}

page_server::~page_server() = default;

std::string page_server::endpoint() const {
    const tcp::endpoint place = state_->acceptor.local_endpoint();
    const std::string host = place.address().to_string();
    return "tcp://" + (place.address().is_v6() ? "[" + host + "]" : host) + ":" +
           std::to_string(place.port());
}

int page_server::descriptor() const {
    return state_->acceptor.native_handle();
}

void page_server::run() {
    state_->context.run();
}

void page_server::run_for(std::chrono::milliseconds time) {
    state_->context.run_for(time);
}

void page_server::stop() {
    state_->context.stop();
}

} // namespace zlink::metrics

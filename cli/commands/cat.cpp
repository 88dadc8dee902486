// SPDX-License-Identifier: MPL-2.0
// zlink cat: messages from the standard input or files to a socket, and from a socket to the standard output.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <optional>
#include <unistd.h>
#include <zmq.h>

#include "common/clock.hpp"
#include "common/command.hpp"
#include "common/endpoints.hpp"
#include "common/failure.hpp"
#include "common/formats.hpp"
#include "common/output.hpp"
#include "common/peer_envelope.hpp"
#include "common/sender.hpp"
#include "common/stop_signal.hpp"
#include "common/text.hpp"

namespace cli {

namespace {

struct cat_options {
    endpoint_options endpoints;
    std::optional<std::string> type, topic;
    std::vector<std::string> subscriptions, files;
    std::string format{"line"}, input, output_format, delimiter{"\\n"};
    std::optional<std::string> frame_delimiter;
    std::optional<std::uint64_t> count;
    std::optional<double> rate, timeout;
    double delay{0};
    std::uint64_t subscribers{0};
    bool echo{false}, send_only{false}, receive_only{false};
};

const socket_type &chosen_type(const cat_options &options) {
    if (options.type)
        return find_socket_type(*options.type);
    if (!options.subscriptions.empty())
        return find_socket_type("SUB");
    if (options.topic)
        return find_socket_type("PUB");
    throw failure("which socket type? --type PUSH sends, --type PULL receives; --subscribe stands for SUB, "
                  "--topic for PUB",
                  status_usage);
}

void check(const cat_options &options, const socket_type &type) {
    const auto wrong = [](const std::string &line) { throw failure(line, status_usage); };
    if (options.endpoints.empty())
        wrong("where? give --bind ENDPOINT or --connect ENDPOINT");
    if (options.send_only && options.receive_only)
        wrong("--send-only and --receive-only exclude each other");
    if (options.send_only && !type.sends)
        wrong(concat(type.name, " cannot send: --send-only does not fit"));
    if (options.receive_only && !type.receives)
        wrong(concat(type.name, " cannot receive: --receive-only does not fit"));
    if (!options.subscriptions.empty() && type.number != ZMQ_SUB && type.number != ZMQ_DISH)
        wrong(concat("--subscribe is for SUB and DISH, not for ", type.name));
    if (options.subscriptions.empty() && type.number == ZMQ_DISH)
        wrong("DISH receives groups: name each with --subscribe GROUP");
    if (options.echo && type.number != ZMQ_REP)
        wrong(concat("--echo is for REP, not for ", type.name));
    if (options.subscribers > 0 && type.number != ZMQ_PUB)
        wrong(concat("--wait-subscribers is for PUB, not for ", type.name));
    if (!options.files.empty() && !type.sends)
        wrong(concat(type.name, " cannot send: files do not fit"));
    if (options.rate && *options.rate <= 0)
        wrong("--rate is more than 0");
}

message_text text_options(const cat_options &options, const std::string &own_format) {
    message_text how;
    how.format = find_format(own_format.empty() ? options.format : own_format);
    how.delimiter = unescape(options.delimiter);
    if (options.frame_delimiter)
        how.frame_delimiter = unescape(*options.frame_delimiter);
    how.splits_lines = options.frame_delimiter.has_value();
    return how;
}

// The messages to send, in order: of files, or of the standard input.
class input {
  public:
    input(const cat_options &options, bool used)
        : used_(used), files_(options.files), reader_(STDIN_FILENO, text_options(options, options.input)),
          reads_stdin_(used && options.files.empty() && !options.echo) {}

    std::optional<message> next() {
        if (!used_)
            return std::nullopt;
        if (reads_stdin_)
            return reader_.next();
        return taken_ < files_.size() ? std::optional(message{read_file(files_[taken_++])}) : std::nullopt;
    }
    bool at_end() const { return !used_ || (reads_stdin_ ? reader_.at_end() : taken_ == files_.size()); }
    bool wants_bytes() const { return reads_stdin_ && reader_.wants_bytes(); }
    void read_some() { reader_.read_some(); }

  private:
    static std::string read_file(const std::string &path) {
        const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
        if (file < 0)
            throw file_failure("read", path, errno);
        std::string bytes;
        char part[65536];
        ssize_t size = 0;
        while ((size = read(file, part, sizeof part)) > 0)
            bytes.append(part, static_cast<std::size_t>(size));
        const int error = errno;
        close(file);
        if (size < 0)
            throw file_failure("read", path, error);
        return bytes;
    }

    bool used_;
    std::vector<std::string> files_;
    std::size_t taken_{0};
    message_reader reader_;
    bool reads_stdin_;
};

class cat {
  public:
    explicit cat(const cat_options &options)
        : options_(options), type_(chosen_type(options)), sends_(type_.sends && !options.receive_only),
          receives_(type_.receives && !options.send_only), input_(options, sends_),
          out_text_(text_options(options, options.output_format)), socket_(context_, opened_type()),
          envelope_(type_.number,
                    out_text_.format == message_format::json || out_text_.format == message_format::hex) {
        check(options, type_);
    }

    int run() {
        prepare();
        try {
            move_messages();
        } catch (const failure &) {
            finish_sending(context_, socket_, options_.timeout); // the messages before the failure
            throw;
        }
        output_.flush();
        return finish();
    }

  private:
    void move_messages() {
        while (!is_done()) {
            fetch();
            output_.flush();
            if (wait()) {
                // What waits in the socket already has been received.
                if (!sends_)
                    receive_some();
                break;
            }
            send_some();
            receive_some();
        }
    }

    // A PUB that waits for subscribers has to hear of them, as XPUB does.
    int opened_type() const { return options_.subscribers > 0 ? ZMQ_XPUB : type_.number; }

    void prepare() {
        authenticator_ = options_.endpoints.security().start_authenticator(context_);
        options_.endpoints.apply(socket_);
        if (type_.number == ZMQ_ROUTER)
            socket_.set(ZMQ_ROUTER_MANDATORY, 1, "ZMQ_ROUTER_MANDATORY");
        // A message waits for a peer, not in a queue for one that may never come.
        if (sends_ && waits_for_peers())
            socket_.set(ZMQ_IMMEDIATE, 1, "ZMQ_IMMEDIATE");
        if (options_.timeout)
            socket_.set(ZMQ_LINGER, static_cast<int>(*options_.timeout * 1000), "ZMQ_LINGER");
        if (type_.number == ZMQ_SUB && options_.subscriptions.empty())
            socket_.set(ZMQ_SUBSCRIBE, "", "the subscription");
        for (const auto &topic : options_.subscriptions)
            socket_.subscribe(topic);
        options_.endpoints.attach(socket_);
        missing_subscribers_ = options_.subscribers;
        next_send_ = now_ns() + seconds_to_ns(options_.delay);
        quiet_since_ = now_ns();
    }

    bool waits_for_peers() const {
        constexpr int others[] = {ZMQ_XSUB, ZMQ_RADIO, ZMQ_DGRAM};
        return std::find(std::begin(others), std::end(others), type_.number) == std::end(others);
    }
    bool waits_for_subscribers() const { return missing_subscribers_ > 0; }
    bool count_reached() const { return options_.count && counted_messages() >= *options_.count; }
    // Messages received, where a socket does receive; else messages sent.
    std::uint64_t counted_messages() const { return receives_ ? received_ : sent_; }
    bool answers() const { return type_.number == ZMQ_REP; }
    bool asks() const { return type_.number == ZMQ_REQ; }

    bool is_done() const {
        if (count_reached())
            return !(answers() && unanswered_);
        if (peer_left_)
            return true;
        if (!input_.at_end() || pending_ || (options_.echo && answers()))
            return false;
        if (answers() && !options_.receive_only)
            return true;
        return asks() ? !unanswered_ : !receives_;
    }

    // Takes the next message of the input. A message that is sent gets its topic here.
    void fetch() {
        if (pending_ || (options_.count && !receives_ && sent_ >= *options_.count))
            return;
        pending_ = input_.next();
        if (pending_ && options_.topic)
            pending_->insert(pending_->begin(), *options_.topic);
    }

    // The socket's side of what can be sent now.
    bool wants_to_send(std::uint64_t now) const {
        return pending_ && !waits_for_subscribers() && now >= next_send_ && envelope_.is_known();
    }
    bool wants_to_receive() const {
        const bool is_its_turn = asks() ? unanswered_ : !(answers() && unanswered_);
        return (receives_ && is_its_turn && !count_reached()) || waits_for_subscribers();
    }

    // True if a signal or the timeout ends the command.
    bool wait() {
        const auto now = now_ns();
        zmq_pollitem_t items[] = {{socket_.handle(), 0, 0, 0},
                                  {nullptr, stop_signal::descriptor(), ZMQ_POLLIN, 0},
                                  {nullptr, STDIN_FILENO, ZMQ_POLLIN, 0}};
        items[0].events = static_cast<short>((wants_to_receive() ? ZMQ_POLLIN : 0) |
                                             (wants_to_send(now) ? ZMQ_POLLOUT : 0));
        const bool reads = !pending_ && input_.wants_bytes();
        const auto deadline =
            waits_for_peer(now) && options_.timeout ? quiet_since_ + seconds_to_ns(*options_.timeout) : 0;
        std::uint64_t until = deadline;
        if (pending_ && now < next_send_)
            until = until == 0 ? next_send_ : std::min(until, next_send_);
        if (zmq_poll(items, reads ? 3 : 2, until_ms(until, now)) < 0 && zmq_errno() != EINTR)
            fail_with_errno("wait for the socket");
        if (reads && items[2].revents != 0) {
            input_.read_some();
            if (!receives_)
                quiet_since_ = now_ns();
        }
        if (stop_signal::came())
            return true;
        timed_out_ = deadline != 0 && items[0].revents == 0 && now_ns() >= deadline;
        return timed_out_;
    }

    // Whether the command waits for the other side now, and not for its input or its own clock.
    bool waits_for_peer(std::uint64_t now) const {
        return wants_to_receive() || (pending_ && now >= next_send_);
    }

    void send_some() {
        while (pending_ && wants_to_send(now_ns()) && !(answers() && !unanswered_) &&
               !(asks() && unanswered_)) {
            if (!socket_.send(envelope_.wrap(*pending_)))
                return;
            pending_.reset();
            ++sent_;
            unanswered_ = asks();
            quiet_since_ = now_ns();
            if (options_.rate)
                next_send_ = std::max(next_send_ + seconds_to_ns(1 / *options_.rate), now_ns());
            fetch();
        }
    }

    void receive_some() {
        constexpr int at_once = 1000;
        message frames;
        for (int turn = 0; turn < at_once && wants_to_receive() && socket_.receive(frames); ++turn) {
            quiet_since_ = now_ns();
            if (waits_for_subscribers())
                hear_subscription(frames);
            else if (envelope_.unwrap(frames))
                take(frames);
            peer_left_ = envelope_.peer_left() && options_.endpoints.only_connects();
            if (peer_left_)
                return;
        }
    }

    void hear_subscription(const message &frames) {
        if (!frames[0].empty() && frames[0][0] == 1)
            --missing_subscribers_;
    }

    void take(const message &frames) {
        ++received_;
        output_.write(to_text(out_text_, frames));
        unanswered_ = answers();
        if (options_.echo)
            pending_ = frames;
    }

    int finish() {
        const bool sent_all = finish_sending(context_, socket_, options_.timeout);
        const auto number = stop_signal::number();
        if (number != 0 && (options_.count || pending_))
            return report_stop(number);
        if (timed_out_ && (options_.count || received_ == 0 || pending_ || (asks() && unanswered_)))
            throw failure(timeout_text());
        if (answers() && unanswered_ && !options_.receive_only)
            throw failure("the standard input has ended, and a request waits for its answer: --echo answers "
                          "with the request");
        if (!sent_all && sent_ > 0)
            throw failure(concat("ended before all messages were sent to ", options_.endpoints.names()));
        return status_done;
    }

    int report_stop(int number) const {
        note(concat("stopped after ", counted(counted_messages(), "message"),
                    options_.count ? concat(" of ", *options_.count) : std::string()));
        return 128 + number;
    }

    std::string timeout_text() const {
        const auto where = concat(" within ", *options_.timeout, " s (", options_.endpoints.names(), ")");
        if (waits_for_subscribers())
            return concat("not enough subscribers", where, ": ", missing_subscribers_, " more are needed");
        if (pending_ && !(asks() && unanswered_))
            return concat("no peer took a message", where, ": is the other side running? try \"zlink ping\"");
        if (asks())
            return concat("no answer", where, ": is a REP or ROUTER running there? try \"zlink ping\"");
        return concat("no message", where, received_ > 0 ? concat(", after ", received_) : std::string(),
                      ": is the other side running, and does it send? try \"zlink ping\"");
    }

    const cat_options &options_;
    const socket_type &type_;
    bool sends_, receives_;
    input input_;
    message_text out_text_;
    context context_;
    std::unique_ptr<zap_server> authenticator_;
    socket socket_;
    peer_envelope envelope_;
    output output_;
    std::optional<message> pending_; // to be sent next
    std::uint64_t sent_{0}, received_{0}, missing_subscribers_{0};
    std::uint64_t next_send_{0}, quiet_since_{0};
    bool unanswered_{false}; // of a REQ: its request; of a REP: the request that it has received
    bool timed_out_{false}, peer_left_{false};
};

} // namespace

action declare_cat(arguments &declared) {
    auto options = std::make_shared<cat_options>();
    options->endpoints.declare(declared);
    declared.group("What to do");
    declared.choice("-t,--type", options->type, socket_type_names(), "The socket type");
    declared.option(
        "-s,--subscribe", options->subscriptions, "TOPIC",
        "SUB: receive what begins with this; may be given many times; without it, everything. DISH: a group");
    declared.option("--topic", options->topic, "TOPIC",
                    "Send this frame before each message; RADIO: the group");
    declared.flag("--echo", options->echo, "REP: answer each request with itself");
    declared.flag("--send-only", options->send_only, "Do not receive; end with the input");
    declared.flag("--receive-only", options->receive_only, "Do not read the input");
    declared.option("-n,--count", options->count, "N",
                    "End after N messages received, or sent by a type that only sends");
    declared.option("--rate", options->rate, "N", "Send at most N messages a second");
    declared.option("--delay", options->delay, "SECONDS", "Wait before the first message is sent");
    declared.option("--wait-subscribers", options->subscribers, "N",
                    "PUB: wait for N subscriptions before the first message");
    declared.option("--timeout", options->timeout, "SECONDS",
                    "End if the other side is silent, or takes nothing, for so long");
    declared.group("Format");
    declared.choice("-f,--format", options->format, format_names(), "The format of both directions");
    declared.choice("--input", options->input, format_names(), "The format of the input");
    declared.choice("--output", options->output_format, format_names(), "The format of the output");
    declared.option("--delimiter", options->delimiter, "TEXT",
                    "line: the end of a message; \\n \\t \\0 \\xNN are known");
    declared.option(
        "--frame-delimiter", options->frame_delimiter, "TEXT",
        "line: between the frames of a message; without it a tab in the output, and no frames in the input");
    declared.option("FILE", options->files, "[FILE...]",
                    "Send these in place of the input, each file as one message");
    options->endpoints.declare_limits(declared);
    return [options] {
        stop_signal::install();
        return cat(*options).run();
    };
}

} // namespace cli

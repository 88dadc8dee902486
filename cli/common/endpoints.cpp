// SPDX-License-Identifier: MPL-2.0
#include "common/endpoints.hpp"

#include <climits>
#include <zmq.h>

#include "common/failure.hpp"
#include "common/output.hpp"
#include "common/text.hpp"

namespace cli {

namespace {

// Of a text that key_text() has checked.
zlink::curve_key curve_key_of(const std::string &text) {
    zlink::curve_key key{};
    if (zmq_z85_decode(key.data(), text.c_str()) == nullptr)
        throw failure("a key is no Z85: its digits stand for no number of 32 bits");
    return key;
}

} // namespace

void security_options::declare(arguments &declared, const std::string &side) {
    side_ = side;
    const auto name = [&](const char *text) { return concat("--", side, text); };
    declared.option(name("curve-serverkey"), server_key_, "KEY", "Client of CURVE: the server's public key");
    declared.option(name("curve-publickey"), public_key_, "KEY",
                    "This side's public key; without it the secret key tells it");
    declared.option(name("curve-secretkey"), secret_key_, "KEY",
                    "This side's secret key; a client without it makes a pair");
    declared.flag(name("curve-server"), curve_server_, "Server of CURVE: needs --curve-secretkey");
    declared.option(name("curve-allow"), allowed_keys_, "KEY",
                    "Server of CURVE: a client's public key, or a file with one in each line; without it all "
                    "may connect");
    declared.option(name("plain-username"), user_name_, "NAME", "Client of PLAIN: the user's name");
    declared.option(name("plain-password"), password_, "PASSWORD", "Client of PLAIN: the user's password");
    declared.flag(name("plain-server"), plain_server_, "Server of PLAIN: needs --plain-allow");
    declared.option(name("plain-allow"), allowed_users_, "NAME:PASSWORD",
                    "Server of PLAIN: a user who may connect, or @FILE with one in each line");
    tls_.declare(declared, side);
}

bool security_options::is_given() const {
    return is_curve() || is_plain() || public_key_ || secret_key_ || password_ || !allowed_keys_.empty() ||
           !allowed_users_.empty() || tls_.is_given();
}

std::string security_options::with_names(const std::string &text) const {
    std::string named = text;
    for (auto at = named.find("--"); at != named.npos; at = named.find("--", at + 2))
        named.insert(at + 2, side_);
    return named;
}

std::string security_options::password() const {
    return password_ ? secret_text(*password_) : "";
}

void security_options::check() const {
    const auto wrong = [&](const char *line) { throw failure(with_names(line), status_usage); };
    if (is_curve() && is_plain())
        wrong("a socket has one mechanism: give the options of CURVE or those of PLAIN");
    if (curve_server_ && server_key_)
        wrong("a socket is server or client of CURVE: give --curve-server or --curve-serverkey");
    if (plain_server_ && user_name_)
        wrong("a socket is server or client of PLAIN: give --plain-server or --plain-username");
    if (curve_server_ && !secret_key_)
        wrong("--curve-server needs --curve-secretkey: make a pair with \"zlink keygen\"");
    if (!is_curve() && (public_key_ || secret_key_))
        wrong("a key needs --curve-serverkey for a client, or --curve-server for a server");
    if (!curve_server_ && !allowed_keys_.empty())
        wrong("--curve-allow needs --curve-server");
    if (password_ && !user_name_)
        wrong("--plain-password needs --plain-username");
    if (plain_server_ == allowed_users_.empty())
        wrong("--plain-server and --plain-allow need each other");
}

void security_options::apply(socket &target) const {
    check();
    if (is_curve())
        apply_curve(target);
    if (is_plain())
        apply_plain(target);
    tls_.apply(target);
}

key_pair security_options::curve_keys() const {
    key_pair own;
    if (secret_key_) {
        own.secret_key = key_text(*secret_key_, with_names("--curve-secretkey"));
        own.public_key = public_key_ ? key_text(*public_key_, with_names("--curve-publickey"))
                                     : public_key_of(own.secret_key);
        if (own.public_key != public_key_of(own.secret_key))
            throw failure(with_names("--curve-publickey does not belong to --curve-secretkey"));
    } else {
        if (public_key_)
            throw failure(with_names("--curve-publickey needs --curve-secretkey"), status_usage);
        own = make_key_pair();
    }
    return own;
}

void security_options::apply_curve(socket &target) const {
    const auto own = curve_keys();
    target.set(ZMQ_CURVE_PUBLICKEY, own.public_key, "the public key");
    target.set(ZMQ_CURVE_SECRETKEY, own.secret_key, "the secret key");
    if (curve_server_)
        target.set(ZMQ_CURVE_SERVER, 1, "ZMQ_CURVE_SERVER");
    else
        target.set(ZMQ_CURVE_SERVERKEY, key_text(*server_key_, with_names("--curve-serverkey")),
                   "the server's key");
}

void security_options::apply_plain(socket &target) const {
    if (plain_server_) {
        target.set(ZMQ_PLAIN_SERVER, 1, "ZMQ_PLAIN_SERVER");
        return;
    }
    target.set(ZMQ_PLAIN_USERNAME, *user_name_, "the user's name");
    target.set(ZMQ_PLAIN_PASSWORD, password(), "the password");
}

zlink::socket_options security_options::values() const {
    check();
    if (curve_server_ || plain_server_)
        throw failure(with_names("this command is a client: give --curve-serverkey or --plain-username"),
                      status_usage);
    zlink::socket_options options;
    auto &security = options.security;
    if (is_curve()) {
        const auto own = curve_keys();
        security.mechanism = zlink::mechanism_type::curve;
        security.curve_public_key = curve_key_of(own.public_key);
        security.curve_secret_key = curve_key_of(own.secret_key);
        security.curve_server_key = curve_key_of(key_text(*server_key_, with_names("--curve-serverkey")));
    } else if (is_plain()) {
        security.mechanism = zlink::mechanism_type::plain;
        security.plain_username = *user_name_;
        security.plain_password = password();
        if (security.plain_username.size() > 255 || security.plain_password.size() > 255)
            throw failure("a user's name and a password have at most 255 bytes each");
    }
    tls_.fill(options.tls);
    return options;
}

std::unique_ptr<zap_server> security_options::start_authenticator(context &owner) const {
    if (allowed_keys_.empty() && allowed_users_.empty())
        return nullptr;
    auto server = std::make_unique<zap_server>();
    for (const auto &argument : allowed_keys_)
        for (const auto &key : key_lines(argument, with_names("--curve-allow")))
            server->allow_key(key);
    for (const auto &argument : allowed_users_)
        for (const auto &line : secret_lines(argument)) {
            const auto colon = line.find(':');
            if (colon == line.npos)
                throw failure(with_names("--plain-allow takes NAME:PASSWORD, or @FILE with one in each line"),
                              status_usage);
            server->allow_user(line.substr(0, colon), line.substr(colon + 1));
        }
    server->start(owner);
    return server;
}

void endpoint_options::declare(arguments &declared) {
    declared.group("Endpoints");
    declared.option("-b,--bind", bound_, "ENDPOINT",
                    "Be reachable there: tcp://*:5555, ipc:///tmp/x; may be given many times");
    declared.option("-c,--connect", connected_, "ENDPOINT",
                    "Connect to there: tcp://host:5555; may be given many times");
}

void endpoint_options::declare_limits(arguments &declared) {
    declared.group("Socket");
    declared.option("--hwm", high_water_mark_, "N",
                    "Messages that may wait for each peer, both ways; 0: any number");
    declared.option("--routing-id", routing_id_, "TEXT", "The name of this socket at a ROUTER");
    declared.flag("--ipv6", ipv6_, "Use IPv6 too");
    declared.option("--socks", socks_, "HOST:PORT", "Connect tcp endpoints through this SOCKS5 proxy");
    declared.group("Security (KEY, PASSWORD: the text, or @FILE)");
    security_.declare(declared);
    declared.group("Options");
}

void endpoint_options::apply(socket &target, const security_options &security) const {
    if (high_water_mark_) {
        if (*high_water_mark_ > INT_MAX)
            throw failure(concat("--hwm is at most ", INT_MAX), status_usage);
        target.set(ZMQ_SNDHWM, static_cast<int>(*high_water_mark_), "ZMQ_SNDHWM");
        target.set(ZMQ_RCVHWM, static_cast<int>(*high_water_mark_), "ZMQ_RCVHWM");
    }
    if (ipv6_)
        target.set(ZMQ_IPV6, 1, "ZMQ_IPV6");
    if (routing_id_)
        target.set(ZMQ_ROUTING_ID, unescape(*routing_id_),
                   "the routing id (1 to 255 bytes, no zero byte first)");
    if (socks_)
        target.set(ZMQ_SOCKS_PROXY, *socks_, "the SOCKS5 proxy");
    security.apply(target);
}

void endpoint_options::attach(socket &target) const {
    for (const auto &endpoint : bound_) {
        target.bind(endpoint);
        const auto real = target.last_endpoint();
        if (endpoint.find('*') != endpoint.npos || endpoint.ends_with(":0"))
            note("bound to " + real);
    }
    for (const auto &endpoint : connected_)
        target.connect(endpoint);
}

std::string endpoint_options::names() const {
    std::string all;
    for (const auto *list : {&bound_, &connected_})
        for (const auto &endpoint : *list)
            all += (all.empty() ? "" : ", ") + endpoint;
    return all;
}

} // namespace cli

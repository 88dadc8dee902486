// SPDX-License-Identifier: MPL-2.0
// The list of the commands.
#include "common/command.hpp"

namespace cli {

namespace {

constexpr const char *cat_description =
    "Sends what comes on the standard input, one line as one message, and prints what is received. The "
    "socket type says "
    "which of the two happens.\n\n"
    "REQ sends a message, prints the answer, and goes on. REP prints a request and answers with the next "
    "message of the "
    "input. PAIR, DEALER, ROUTER, XPUB, XSUB and STREAM do both at once, until --count, --timeout or a "
    "signal.\n\n"
    "ROUTER and STREAM: in lines and raw, messages go to the peer that was heard last. In hex and json the "
    "first frame is "
    "the peer's id, both ways.\n\n"
    "Formats: line; hex, with a space between frames and - for an empty one; json, an array of strings in "
    "one line, "
    "with {\"base64\": \"...\"} for bytes that are not UTF-8; raw, the whole input as one message.";
constexpr const char *cat_examples =
    "  # one program sends three lines, another one prints them\n"
    "  zlink cat --type PULL --bind tcp://*:5555 --count 3\n"
    "  seq 3 | zlink cat --type PUSH --connect tcp://localhost:5555\n"
    "  # ask a server\n"
    "  echo hello | zlink cat --type REQ --connect tcp://localhost:5556 --timeout 2\n"
    "  # a server for tests: every request is its own answer\n"
    "  zlink cat --type REP --bind tcp://*:5556 --echo\n"
    "  # subscribe to two topics, print JSON\n"
    "  zlink cat --connect tcp://localhost:5557 --subscribe cpu --subscribe disk --format json\n"
    "  # with CURVE; the keys come from files\n"
    "  zlink cat --type PUSH --connect tcp://host:5555 --curve-serverkey @server.pub --curve-secretkey "
    "@me.key\n";

constexpr const char *ping_description = "Connects with a bare socket, and shows the version of ZMTP, the "
                                         "mechanism, the socket type and the metadata of the peer. "
                                         "A peer of ZMTP 3.1 is sent a PING, for the round-trip time.\n\n"
                                         "A PUSH, DEALER, REQ or PAIR would count this command as a peer "
                                         "once the handshake is finished, and might send it messages. The "
                                         "command stops before that, unless --complete is given.\n\n"
                                         "CURVE and PLAIN need the options of security. With CURVE the "
                                         "handshake is made by a socket of the library.";
constexpr const char *ping_examples =
    "  # is it running, and what is it?\n"
    "  zlink ping tcp://localhost:5555\n"
    "  # five round trips, as JSON\n"
    "  zlink ping ipc:///tmp/feed --count 5 --interval 0.2 --json\n"
    "  # does the server's key fit?\n"
    "  zlink ping tcp://host:5555 --curve-serverkey @server.pub --curve-secretkey @me.key\n";

constexpr const char *run_description =
    "Starts the program with LD_PRELOAD of zlink's libzmq.so.5. It takes the place of any libzmq: the "
    "system's, or one that the "
    "program brings, as the wheels of pyzmq do. The exit status is the program's. 126 and 127 mean that it "
    "could not be run.\n\n"
    "The command looks at the files of the running program, and says so if it ran without zlink. It does not "
    "see whether the "
    "program uses the library. Programs that the program starts are on zlink too, and are not looked at.";
constexpr const char *run_examples = "  zlink run ./server --port 5555\n"
                                     "  # Python, with the wheel of pyzmq or another one\n"
                                     "  zlink run python3 client.py\n"
                                     "  # say which file was loaded\n"
                                     "  zlink run --verbose python3 -c 'import zmq; zmq.Context()'\n";

} // namespace

const std::vector<command> &commands() {
    static const std::vector<command> rows{
        {"info", "Show the version, the features and the limits of the system that will matter", "",
         "  # which limits would many peers meet?\n"
         "  zlink info\n",
         declare_info},
        {"keygen", "Make a pair of keys for CURVE", "",
         "  zlink keygen --public server.pub --secret server.key\n", declare_keygen},
        {"cat", "Send and receive messages as text", cat_description, cat_examples, declare_cat},
        {"ping", "Test an endpoint by a handshake of ZMTP, and say what is wrong with it", ping_description,
         ping_examples, declare_ping},
        {"run", "Run a program of libzmq on zlink, unchanged", run_description, run_examples, declare_run},
    };
    return rows;
}

} // namespace cli

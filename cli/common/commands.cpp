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
    "input. PAIR, DEALER, ROUTER and others do both at once, until --count, --timeout or a "
    "signal.\n\n"
    "ROUTER, STREAM, SERVER, PEER and DGRAM: in lines and raw, messages go to the peer that was heard last. "
    "In hex and json the "
    "first frame is "
    "the peer's id, both ways.\n\n"
    "Formats: line; hex, with a space between frames and - for an empty one; json, an array of strings in "
    "one line, "
    "with {\"base64\": \"...\"} for bytes that are not UTF-8; raw, the whole input as one message.";
constexpr const char *cat_examples =
    "  # one program sends three lines, another one prints them\n"
    "  zlink cat --type PULL --bind 'tcp://*:5555' --count 3\n"
    "  seq 3 | zlink cat --type PUSH --connect tcp://localhost:5555\n"
    "  # ask a server\n"
    "  echo hello | zlink cat --type REQ --connect tcp://localhost:5556 --timeout 2\n"
    "  # a server for tests: every request is its own answer\n"
    "  zlink cat --type REP --bind 'tcp://*:5556' --echo\n"
    "  # subscribe to two topics, print JSON\n"
    "  zlink cat --connect tcp://localhost:5557 --subscribe cpu --subscribe disk --format json\n"
    "  # with TLS: who binds has a certificate, who connects trusts it\n"
    "  zlink cat --type PULL --bind 'tls://*:5559' --tls-cert server.pem --tls-key server.key\n"
    "  echo hello | zlink cat --type PUSH --connect tls://localhost:5559 --tls-ca server.pem\n"
    "  # with CURVE; the keys come from files\n"
    "  zlink cat --type PUSH --connect tcp://host:5555 --curve-serverkey @server.pub --curve-secretkey "
    "@me.key\n";

constexpr const char *ping_description =
    "Makes a handshake, and shows the version of the protocol, the mechanism, the socket type and all other "
    "metadata of the peer; with TLS also its certificate. "
    "The peer is then sent a PING, for the round-trip time.\n\n"
    "A PUSH, DEALER, REQ or PAIR would count this command as a peer "
    "once the handshake is finished, and might send it messages. The "
    "command stops before that, unless --complete is given.\n\n"
    "CURVE, PLAIN, tls and wss need the options of security.";
constexpr const char *ping_examples =
    "  # is it running, and what is it?\n"
    "  zlink ping tcp://localhost:5555\n"
    "  # five round trips, as JSON\n"
    "  zlink ping ipc:///tmp/feed --count 5 --interval 0.2 --json\n"
    "  # is its certificate in order?\n"
    "  zlink ping tls://host:5555 --tls-ca ca.pem\n"
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

constexpr const char *sub_description = "Prints what a publisher sends, until a signal, --count, --duration "
                                        "or --timeout. \"zlink cat\" has more options.";
constexpr const char *sub_examples = "  zlink sub tcp://localhost:5557\n"
                                     "  # two topics, with the time of each message\n"
                                     "  zlink sub tcp://localhost:5557 cpu disk --timestamps\n"
                                     "  zlink sub ipc:///tmp/feed --format json --count 10\n";
constexpr const char *topic_description =
    "The topic is the first frame of a message, or its first bytes (--topic-bytes). A message of one frame "
    "is counted under the TOPIC "
    "that it begins with, or under \"(all)\". At most 1000 topics are listed, the others are counted "
    "together.";
constexpr const char *hz_examples = "  zlink hz tcp://localhost:5557\n"
                                    "  # a report each ten seconds, for a minute\n"
                                    "  zlink hz tcp://localhost:5557 cpu disk --interval 10 --duration 60\n";
constexpr const char *bw_examples = "  zlink bw tcp://localhost:5557\n"
                                    "  # topics are the first four bytes\n"
                                    "  zlink bw tcp://localhost:5557 --topic-bytes 4\n";
constexpr const char *record_description =
    "Ends with a signal, --count or --duration. The file can be replayed also if the command was killed: up "
    "to the last message that was "
    "written. docs/cli.md describes the format.";
constexpr const char *record_examples =
    "  zlink record feed.zrec --connect tcp://localhost:5557\n"
    "  # one topic, for a minute\n"
    "  zlink record cpu.zrec --connect tcp://localhost:5557 --subscribe cpu --duration 60\n"
    "  # what workers would get\n"
    "  zlink record jobs.zrec --type PULL --connect tcp://localhost:5558\n";
constexpr const char *replay_description =
    "Sends the messages at the times of the recording. A file that is damaged or cut off is sent up to that "
    "place; then the command says "
    "where it is, and fails.";
constexpr const char *replay_examples =
    "  zlink replay feed.zrec --bind 'tcp://*:5557' --wait-subscribers 1\n"
    "  # ten times as fast, again and again\n"
    "  zlink replay feed.zrec --bind 'tcp://*:5557' --speed 10 --loop\n"
    "  # through pipes: record here, replay there\n"
    "  zlink record - --connect tcp://localhost:5557 | ssh host zlink replay - --bind 'tcp://*:5557' --fast\n"
    "  zlink replay jobs.zrec --type PUSH --connect tcp://localhost:5558 --fast\n";
constexpr const char *proxy_description =
    "Runs until a signal, or the command TERMINATE. Each ENDPOINT option may be given many times.\n\n"
    "Options of security without the name of a side are for the frontend and the backend; those of TLS are "
    "for capture and control, too. A side with options of its own uses only these.";
constexpr const char *proxy_examples =
    "  # requests of many clients to many servers\n"
    "  zlink proxy queue --frontend 'tcp://*:5555' --backend 'tcp://*:5556'\n"
    "  # publishers connect to 5557, subscribers to 5558; what passes can be watched at 5559\n"
    "  zlink proxy forwarder --frontend 'tcp://*:5557' --backend 'tcp://*:5558' --capture 'tcp://*:5559'\n"
    "  # TLS outside, plain tcp inside\n"
    "  zlink proxy queue --frontend 'tls://*:5555' --frontend-tls-cert server.pem --frontend-tls-key "
    "server.key "
    "--backend tcp://127.0.0.1:5556\n"
    "  # pause it from another terminal\n"
    "  zlink proxy streamer --frontend 'tcp://*:5560' --backend 'tcp://*:5561' --control ipc:///tmp/control\n"
    "  echo PAUSE | zlink cat --type REQ --connect ipc:///tmp/control\n";

constexpr const char *bench_description =
    "push-pull, pub-sub, scatter-gather, radio-dish and dgram measure one way, and the receiving server has "
    "the "
    "result. The other patterns send each message back, and the client has the result. With --role both the "
    "two sides are "
    "threads of one process.\n\n"
    "With --rate each message has a time when it is due, and its latency counts from that time, also when it "
    "was sent late. So a pause of "
    "one side is seen in all messages that it delayed. Without --rate a round trip counts from its own "
    "beginning.\n\n"
    "One-way latency compares clocks: client and server have to be on one machine. pub-sub waits for a full "
    "subscriber "
    "(ZMQ_XPUB_NODROP), so that no message is lost, and so does radio-dish. Over udp datagrams are lost: the "
    "result says how many. Start the server first there.\n\n"
    "stream sends bytes to a STREAM that sends them back. It needs tcp, ipc or tls. dgram needs udp, and the "
    "client an address in numbers.";
constexpr const char *bench_examples =
    "  zlink bench\n"
    "  zlink bench --pattern req-rep --endpoint 'tcp://127.0.0.1:*'\n"
    "  # latency at 10,000 messages a second\n"
    "  zlink bench --endpoint ipc:///tmp/bench --rate 10000 --size 256\n"
    "  # datagrams\n"
    "  zlink bench --pattern radio-dish --endpoint udp://127.0.0.1:5556 --rate 10000\n"
    "  zlink bench --pattern dgram --endpoint 'udp://127.0.0.1:*' --rate 10000\n"
    "  # how is it distributed?\n"
    "  zlink bench --pattern dealer-router --endpoint ipc:///tmp/bench --rate 1000 --chart\n"
    "  # between two machines\n"
    "  zlink bench --role server --pattern req-rep --endpoint 'tcp://*:5555'\n"
    "  zlink bench --role client --pattern req-rep --endpoint tcp://host:5555 --json\n";

constexpr const char *ls_description =
    "The processes are those of your user, or all of them for root. Nothing is asked of them: a process that "
    "is "
    "stopped is listed, too. QUEUED are messages that were sent and have not left the process.";
constexpr const char *ls_examples = "  zlink ls\n"
                                    "  # what is dropping messages?\n"
                                    "  zlink ls --json | jq '.[] | select(.dropped > 0)'\n";
constexpr const char *stats_description =
    "The process goes on as if nobody looked. docs/api/counters.md has the names of the counters.";
constexpr const char *stats_examples =
    "  # the process that zlink ls has shown\n"
    "  zlink stats 4711\n"
    "  zlink stats 4711 --json | jq '.contexts[].socket_list[] | {type, endpoint}'\n"
    "  # after the death of a process that had ZLINK_RUNTIME_DIR=/run/user/1000\n"
    "  zlink stats /run/user/1000/zlink-counters.4711.0\n";

constexpr const char *top_description =
    "Rates are those since the last look. The watched processes do nothing for it, and may be stopped.";
constexpr const char *top_examples = "  zlink top\n"
                                     "  # which peers are slow?\n"
                                     "  zlink top --peers --sort queued\n"
                                     "  zlink top 4711 --filter type=PUB\n"
                                     "  zlink top --once --json\n";
constexpr const char *metrics_description =
    "Without --listen the text is printed once, and can be written to a file for a collector. "
    "examples/grafana has a dashboard.";
constexpr const char *metrics_examples = "  # all processes of this user, for Prometheus\n"
                                         "  zlink metrics --listen tcp://127.0.0.1:9464\n"
                                         "  zlink metrics 4711 | promtool check metrics\n";

constexpr const char *completion_examples =
    "  # for this shell, and for all that come\n"
    "  source <(zlink completion bash)\n"
    "  zlink completion bash > ~/.local/share/bash-completion/completions/zlink\n"
    "  zlink completion zsh > \"${fpath[1]}/_zlink\"\n"
    "  zlink completion fish > ~/.config/fish/completions/zlink.fish\n";

} // namespace

const std::vector<command> &commands() {
    static const std::vector<command> rows{
        {"info", "Show the version, the features and the limits of the system that will matter", "",
         "  # which limits would many peers meet?\n"
         "  zlink info\n",
         declare_info},
        {"keygen", "Make a pair of keys for CURVE", "",
         "  zlink keygen --public server.pub --secret server.key\n"
         "  # to the terminal\n"
         "  zlink keygen\n",
         declare_keygen},
        {"cat", "Send and receive messages as text", cat_description, cat_examples, declare_cat},
        {"ping", "Test an endpoint by a handshake of ZMTP, and say what is wrong with it", ping_description,
         ping_examples, declare_ping},
        {"run", "Run a program of libzmq on zlink, unchanged", run_description, run_examples, declare_run},
        {"sub", "Subscribe and print", sub_description, sub_examples, declare_sub},
        {"hz", "Print the rate of messages of each topic", topic_description, hz_examples, declare_hz},
        {"bw", "Print the bandwidth of each topic", topic_description, bw_examples, declare_bw},
        {"bench", "Measure throughput and latency", bench_description, bench_examples, declare_bench},
        {"record", "Write messages and their times to a file", record_description, record_examples,
         declare_record},
        {"replay", "Send the messages of a recording", replay_description, replay_examples, declare_replay},
        {"proxy", "Forward messages between two endpoints", proxy_description, proxy_examples, declare_proxy},
        {"ls", "List the processes that have contexts", ls_description, ls_examples, declare_ls},
        {"stats", "Show the counters of a process: sockets, peers, messages, drops", stats_description,
         stats_examples, declare_stats},
        {"top", "Show a live table of sockets and peers", top_description, top_examples, declare_top},
        {"metrics", "Give the counters to Prometheus", metrics_description, metrics_examples,
         declare_metrics},
        {"completion", "Print a script by which a shell completes the options of zlink", "",
         completion_examples, declare_completion},
        {"manual", "Print a manual page in roff", "", "  zlink manual cat | man -l -\n", declare_manual,
         true},
    };
    return rows;
}

} // namespace cli

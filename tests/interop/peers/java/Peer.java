// SPDX-License-Identifier: MPL-2.0
//
// One end of an exchange on JeroMQ, with the arguments, scripts and words of interop_end.c; the message set comes as an
// argument: set=5;10,0,3;...

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;
import zmq.Msg;

public final class Peer {
    private static final BufferedReader STDIN = new BufferedReader(new InputStreamReader(System.in));
    private static final byte[] TOPIC = {'T'};
    private static final Set<SocketType> DRAFTS = Set.of(SocketType.CLIENT, SocketType.SERVER, SocketType.PEER, SocketType.CHANNEL,
        SocketType.SCATTER, SocketType.GATHER, SocketType.RADIO, SocketType.DISH);

    private final ZContext context = new ZContext();
    private final ZMQ.Socket socket;
    private final SocketType type;
    private final boolean isDraft;
    private List<int[]> set;
    private int partner; // of SERVER, PEER: who is spoken to
    private String group = "T"; // of RADIO, DISH

    private Peer(SocketType type) {
        this.type = type;
        isDraft = DRAFTS.contains(type);
        socket = context.createSocket(type);
        socket.setLinger(10000);
        socket.setSndHWM(0);
        socket.setRcvHWM(0);
        if (type == SocketType.ROUTER) {
            socket.setRouterMandatory(true);
            socket.setIdentity("peer".getBytes());
        }
    }

    private void apply(String argument) {
        String value = argument.substring(argument.indexOf(argument.contains(":") ? ':' : '=') + 1);
        switch (argument.split("[=:]")[0]) {
            case "set" -> set = List.of(value.split(";")).stream()
                .map(message -> List.of(message.split(",")).stream().mapToInt(Integer::parseInt).toArray()).toList();
            case "zap" -> startAuthenticator(value);
            case "44" -> socket.setPlainServer(true);
            case "45" -> socket.setPlainUsername(value);
            case "46" -> socket.setPlainPassword(value);
            case "47" -> socket.setCurveServer(true);
            case "48" -> socket.setCurvePublicKey(ZMQ.Curve.z85Decode(value));
            case "49" -> socket.setCurveSecretKey(ZMQ.Curve.z85Decode(value));
            case "50" -> socket.setCurveServerKey(ZMQ.Curve.z85Decode(value));
            case "55" -> socket.setZapDomain(value);
            default -> throw new IllegalArgumentException(argument);
        }
    }

    private void startAuthenticator(String status) {
        ZMQ.Socket handler = context.createSocket(SocketType.REP);
        handler.bind("inproc://zeromq.zap.01");
        Thread thread = new Thread(() -> {
            while (true) {
                List<byte[]> request = receive(handler);
                List<byte[]> reply = new ArrayList<>(List.of("1.0".getBytes(), request.get(1)));
                for (String frame : List.of(status, "told so", "the user", "")) {
                    reply.add(frame.getBytes());
                }
                send(handler, reply);
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    private static byte[] body(int message, int frame, int size) {
        byte[] bytes = new byte[size];
        for (int i = 0; i < size; i++) {
            bytes[i] = (byte) (message * 7 + frame * 13 + i * 31 + i / 251);
        }
        return bytes;
    }

    private List<byte[]> content(int message) {
        List<byte[]> frames = new ArrayList<>();
        for (int size : set.get(message)) {
            frames.add(body(message, frames.size(), size));
        }
        return frames;
    }

    private static void send(ZMQ.Socket to, List<byte[]> frames) {
        for (int i = 0; i < frames.size(); i++) {
            if (!to.send(frames.get(i), i + 1 < frames.size() ? ZMQ.SNDMORE : 0)) {
                throw new IllegalStateException("send failed: " + to.errno());
            }
        }
    }

    private static List<byte[]> receive(ZMQ.Socket from) {
        List<byte[]> frames = new ArrayList<>();
        do {
            frames.add(from.recv());
        } while (from.hasReceiveMore());
        return frames;
    }

    // What a draft type sends has one frame, which bears the address.
    private void give(List<byte[]> frames) {
        if (!isDraft) {
            send(socket, frames);
            return;
        }
        Msg message = new Msg(frames.get(0));
        if (type == SocketType.SERVER || type == SocketType.PEER) {
            message.setRoutingId(partner);
        }
        if (type == SocketType.RADIO) {
            message.setGroup(group);
        }
        if (!socket.sendMsg(message)) {
            throw new IllegalStateException("send failed: " + socket.errno());
        }
    }

    private List<byte[]> take() {
        if (!isDraft) {
            return receive(socket);
        }
        Msg message = socket.recvMsg();
        partner = message.getRoutingId();
        if (type == SocketType.DISH && !message.getGroup().equals(group)) {
            throw new IllegalStateException("group " + message.getGroup());
        }
        return List.of(message.data());
    }

    private void expect(int message, List<byte[]> frames) {
        List<byte[]> wanted = content(message);
        boolean same = frames.size() == wanted.size();
        for (int i = 0; same && i < wanted.size(); i++) {
            same = java.util.Arrays.equals(frames.get(i), wanted.get(i));
        }
        if (!same) {
            throw new IllegalStateException("message " + message + " came otherwise: " + frames.stream().map(f -> f.length).toList());
        }
    }

    private void ask(String prefix) throws InterruptedException {
        for (int message = 0; message < set.size(); message++) {
            List<byte[]> frames = content(message);
            if (prefix != null) {
                frames.add(0, prefix.getBytes());
            }
            sendWhenRoutable(frames);
            List<byte[]> answer = take();
            expect(message, prefix == null ? answer : answer.subList(1, answer.size()));
        }
    }

    private void sendWhenRoutable(List<byte[]> frames) throws InterruptedException {
        if (type == SocketType.ROUTER) {
            while (!routable(frames.get(0))) {
                Thread.sleep(10);
            }
            send(socket, frames.subList(1, frames.size()));
        } else {
            give(frames);
        }
    }

    private boolean routable(byte[] identity) {
        try {
            return socket.send(identity, ZMQ.SNDMORE);
        } catch (org.zeromq.ZMQException nobody) {
            return false;
        }
    }

    private void publish() throws Exception {
        if (type == SocketType.XPUB) {
            expectSubscription(1);
        } else {
            while (!STDIN.ready()) {
                socket.send("T-call");
                Thread.sleep(10);
            }
            STDIN.readLine();
        }
        for (int message = 0; message < set.size(); message++) {
            socket.send("other topic");
            List<byte[]> frames = content(message);
            frames.add(0, "T-body".getBytes());
            send(socket, frames);
        }
        if (type == SocketType.XPUB) {
            expectSubscription(0);
        }
    }

    private void expectSubscription(int kind) {
        byte[] frame = socket.recv();
        if (frame.length != 2 || frame[0] != kind || frame[1] != TOPIC[0]) {
            throw new IllegalStateException("no subscription: " + java.util.Arrays.toString(frame));
        }
    }

    private void setSubscription(boolean on) {
        if (type == SocketType.XSUB) {
            socket.send(new byte[] {(byte) (on ? 1 : 0), TOPIC[0]});
        } else if (on) {
            socket.subscribe(TOPIC);
        } else {
            socket.unsubscribe(TOPIC);
        }
    }

    private void hear() {
        setSubscription(true);
        boolean synced = false;
        for (int message = 0; message < set.size();) {
            List<byte[]> frames = receive(socket);
            String first = new String(frames.get(0), StandardCharsets.UTF_8);
            if (first.equals("T-call")) {
                if (!synced) {
                    System.out.println("synced");
                }
                synced = true;
            } else {
                expect(message++, frames.subList(1, frames.size()));
            }
        }
        setSubscription(false);
    }

    private void callGroup() throws Exception {
        while (!STDIN.ready()) {
            give(List.of("call".getBytes()));
            Thread.sleep(10);
        }
        STDIN.readLine();
        for (int message = 0; message < set.size(); message++) {
            for (String to : new String[] {"other", "T"}) {
                group = to;
                give(content(message));
            }
        }
    }

    private void hearGroup() {
        socket.join(group);
        boolean synced = false;
        for (int message = 0; message < set.size();) {
            List<byte[]> frames = take();
            if (!new String(frames.get(0), StandardCharsets.UTF_8).equals("call")) {
                expect(message++, frames);
            } else if (!synced) {
                System.out.println("synced");
                synced = true;
            }
        }
        socket.leave(group);
    }

    private void play(String script) throws Exception {
        switch (script) {
            case "ask" -> ask(null);
            case "ask_delimited" -> ask("");
            case "ask_routed" -> ask("peer");
            case "answer" -> {
                for (int message = 0; message < set.size(); message++) {
                    give(take());
                }
            }
            case "send" -> {
                for (int message = 0; message < set.size(); message++) {
                    give(content(message));
                }
            }
            case "receive" -> {
                for (int message = 0; message < set.size(); message++) {
                    expect(message, take());
                }
            }
            case "publish" -> publish();
            case "subscribe" -> hear();
            case "call" -> callGroup();
            case "hear" -> hearGroup();
            default -> throw new IllegalArgumentException(script);
        }
    }

    private void connect(String endpoint) {
        if (type == SocketType.PEER) {
            partner = socket.connectPeer(endpoint);
        } else {
            socket.connect(endpoint);
        }
    }

    public static void main(String[] arguments) throws Exception {
        Peer peer = new Peer(SocketType.valueOf(arguments[0]));
        for (int i = 4; i < arguments.length; i++) {
            peer.apply(arguments[i]);
        }
        if (arguments[1].equals("bind")) {
            peer.socket.bind(arguments[2]);
            System.out.println("bound " + peer.socket.getLastEndpoint());
        } else {
            peer.connect(arguments[2]);
        }
        peer.play(arguments[3]);
        System.out.println("done");
        STDIN.readLine();
        peer.socket.close();
        System.exit(0); // the authenticator waits for ever
    }
}

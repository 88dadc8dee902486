// SPDX-License-Identifier: MPL-2.0
//
// One end of an exchange on JeroMQ, with the arguments, scripts and words of interop_end.c; the message set comes as an
// argument: set=5;10,0,3;...

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;

public final class Peer {
    private static final BufferedReader STDIN = new BufferedReader(new InputStreamReader(System.in));
    private static final byte[] TOPIC = {'T'};

    private final ZContext context = new ZContext();
    private final ZMQ.Socket socket;
    private final SocketType type;
    private List<int[]> set;

    private Peer(SocketType type) {
        this.type = type;
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
            List<byte[]> answer = receive(socket);
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
            send(socket, frames);
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

    private void play(String script) throws Exception {
        switch (script) {
            case "ask" -> ask(null);
            case "ask_delimited" -> ask("");
            case "ask_routed" -> ask("peer");
            case "answer" -> {
                for (int message = 0; message < set.size(); message++) {
                    send(socket, receive(socket));
                }
            }
            case "send" -> {
                for (int message = 0; message < set.size(); message++) {
                    send(socket, content(message));
                }
            }
            case "receive" -> {
                for (int message = 0; message < set.size(); message++) {
                    expect(message, receive(socket));
                }
            }
            case "publish" -> publish();
            case "subscribe" -> hear();
            default -> throw new IllegalArgumentException(script);
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
            peer.socket.connect(arguments[2]);
        }
        peer.play(arguments[3]);
        System.out.println("done");
        STDIN.readLine();
        peer.socket.close();
        System.exit(0); // the authenticator waits for ever
    }
}

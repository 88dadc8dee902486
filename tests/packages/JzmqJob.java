// SPDX-License-Identifier: MPL-2.0
//
// What programs do with Debian's libzmq-java (jzmq, Java through JNI), told on stdout in words that are the same on every libzmq.

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.StreamSupport;
import org.zeromq.ZAuth;
import org.zeromq.ZContext;
import org.zeromq.ZLoop;
import org.zeromq.ZMQ;
import org.zeromq.ZMQException;
import org.zeromq.ZMsg;
import org.zeromq.ZThread;

public final class JzmqJob {
    private static final int PATIENCE_MS = 5000;
    private static final int QUIET_MS = 200;
    private static final ZContext CONTEXT = new ZContext();

    private static ZMQ.Socket open(int type) {
        ZMQ.Socket socket = CONTEXT.createSocket(type);
        socket.setReceiveTimeOut(PATIENCE_MS);
        socket.setLinger(0);
        return socket;
    }

    private static void connect(ZMQ.Socket bound, ZMQ.Socket connected) {
        connected.connect("tcp://127.0.0.1:" + bound.bindToRandomPort("tcp://127.0.0.1"));
    }

    private static void close(ZMQ.Socket... sockets) {
        for (ZMQ.Socket socket : sockets) {
            CONTEXT.destroySocket(socket);
        }
    }

    private static void tell(String what, Object... more) {
        System.out.println(what + ": " + List.of(more));
    }

    private static String text(byte[] bytes) {
        return bytes == null ? "nothing" : new String(bytes, StandardCharsets.UTF_8);
    }

    private static String hear(ZMQ.Socket socket) {
        return text(socket.recv());
    }

    /** The frames of a message: short ones whole, of long ones the size. */
    private static List<String> frames(ZMsg message) {
        return message == null ? List.of("nothing") : StreamSupport.stream(message.spliterator(), false)
            .map(frame -> frame.size() < 20 ? text(frame.getData()) : frame.size() + " bytes").toList();
    }

    private static String problem(Runnable call) {
        try {
            call.run();
            return "none";
        } catch (ZMQException exception) {
            ZMQ.Error known = null;
            try {
                known = ZMQ.Error.findByCode(exception.getErrorCode());
            } catch (IllegalArgumentException anErrnoOfTheSystem) {
                return "errno " + exception.getErrorCode();
            }
            return known.name();
        }
    }

    // ---- patterns, addresses

    private static void talk(String what, int first, int second) {
        ZMQ.Socket one = open(first);
        ZMQ.Socket other = open(second);
        other.setIdentity("java".getBytes());
        connect(one, other);
        ZMsg question = ZMsg.newStringMsg("head", "");
        question.add("x".repeat(70_000));
        question.send(other);
        ZMsg heard = ZMsg.recvMsg(one);
        tell(what, frames(heard));
        heard.removeLast();
        heard.add("answer");
        heard.send(one);
        tell(what, frames(ZMsg.recvMsg(other)));
        tell(what, one.getType(), text(other.getIdentity()), other.getLinger(), other.getReceiveTimeOut(), other.getEvents());
        close(one, other);
    }

    private static void publish() {
        ZMQ.Socket publisher = open(ZMQ.XPUB);
        ZMQ.Socket subscriber = open(ZMQ.SUB);
        subscriber.subscribe("topic".getBytes());
        connect(publisher, subscriber);
        byte[] subscription = publisher.recv();
        tell("xpub", subscription[0], new String(subscription, 1, subscription.length - 1));
        publisher.send("other");
        publisher.sendMore("topic");
        publisher.send("body");
        tell("sub", hear(subscriber), subscriber.hasReceiveMore(), hear(subscriber), subscriber.hasReceiveMore());
        subscriber.unsubscribe("topic".getBytes());
        tell("xpub", publisher.recv()[0]);
        close(publisher, subscriber);
    }

    private static void buffers(String address) {
        ZMQ.Socket pull = open(ZMQ.PULL);
        ZMQ.Socket push = open(ZMQ.PUSH);
        pull.bind(address);
        push.connect(address);
        ByteBuffer direct = ByteBuffer.allocateDirect(5000);
        for (int i = 0; i < 5000; i++) {
            direct.put((byte) i);
        }
        direct.flip();
        push.sendByteBuffer(direct, 0);
        ByteBuffer taken = ByteBuffer.allocateDirect(6000);
        int size = pull.recvByteBuffer(taken, 0);
        taken.flip();
        direct.rewind();
        tell("buffers over " + address, size, taken.equals(direct));
        push.sendZeroCopy(direct, direct.capacity(), 0);
        byte[] array = new byte[6000];
        size = pull.recv(array, 10, 5500, 0);
        tell("zero copy over " + address, size, array[9], array[10 + 4999] == (byte) 4999);
        push.disconnect(address);
        pull.unbind(address);
        tell("unbound twice", problem(() -> pull.unbind(address)));
        close(push, pull);
    }

    // ---- poller and loop

    private static void poll() {
        ZMQ.Socket pull = open(ZMQ.PULL);
        ZMQ.Socket push = open(ZMQ.PUSH);
        connect(pull, push);
        ZMQ.Poller poller = new ZMQ.Poller(2);
        poller.register(pull, ZMQ.Poller.POLLIN);
        tell("poller", poller.poll(20), poller.pollin(0));
        push.send("message");
        tell("poller", poller.poll(PATIENCE_MS), poller.pollin(0), poller.getSocket(0) == pull);
        poller.register(push, ZMQ.Poller.POLLOUT);
        tell("poller", poller.poll(PATIENCE_MS), poller.pollin(0), poller.pollout(1), poller.pollin(1));
        tell("message", hear(pull));
        close(push, pull);
    }

    private static void loop() {
        ZMQ.Socket pull = open(ZMQ.PULL);
        ZMQ.Socket push = open(ZMQ.PUSH);
        connect(pull, push);
        AtomicInteger calls = new AtomicInteger();
        ZLoop loop = new ZLoop();
        loop.addTimer(5, 3, (of, item, argument) -> push.send("call " + calls.incrementAndGet()) ? 0 : -1, null);
        loop.addPoller(new ZMQ.PollItem(pull, ZMQ.Poller.POLLIN), (of, item, argument) -> {
            String call = hear(item.getSocket());
            tell("loop", call);
            return call.endsWith("3") ? -1 : 0;
        }, null);
        tell("loop", loop.start());
        close(push, pull);
    }

    // ---- what does not work

    private static void errors() {
        ZMQ.Socket pull = open(ZMQ.PULL);
        ZMQ.Socket req = open(ZMQ.REQ);
        tell("nothing there", text(pull.recv(ZMQ.DONTWAIT)), req.send("x", ZMQ.DONTWAIT));
        tell("wrong way", problem(() -> pull.send("x")), problem(() -> req.recv(ZMQ.DONTWAIT)));
        tell("addresses", problem(() -> pull.bind("nonsense")), problem(() -> pull.bind("what://ever")),
             problem(() -> req.connect("tcp://127.0.0.1:99999")), problem(() -> req.connect("inproc://")));
        int port = pull.bindToRandomPort("tcp://127.0.0.1");
        tell("bound twice", problem(() -> req.bind("tcp://127.0.0.1:" + port)));
        tell("no such type", problem(() -> CONTEXT.getContext().socket(77)));
        tell("options", problem(() -> pull.setIdentity(new byte[300])), pull.getSndHWM(), pull.getRcvHWM(), pull.getMaxMsgSize(),
             pull.getReconnectIVL(), pull.getBacklog(), pull.getTCPKeepAliveSetting(), pull.getImmediate(), pull.getFD() >= 0);
        close(pull, req);
    }

    // ---- events

    private static void events() {
        ZMQ.Socket rep = open(ZMQ.REP);
        ZMQ.Socket req = open(ZMQ.REQ);
        rep.monitor("inproc://events", ZMQ.EVENT_ALL);
        ZMQ.Socket monitor = open(ZMQ.PAIR);
        monitor.connect("inproc://events");
        connect(rep, req);
        req.send("seen");
        tell("events of a request", hear(rep));
        for (int wanted : new int[] {ZMQ.EVENT_LISTENING, ZMQ.EVENT_ACCEPTED}) {
            tellEvent(monitor, wanted);
        }
        close(req);
        tellEvent(monitor, ZMQ.EVENT_DISCONNECTED);
        close(rep);
        tellEvent(monitor, ZMQ.EVENT_CLOSED);
        tellEvent(monitor, ZMQ.EVENT_MONITOR_STOPPED);
        close(monitor);
    }

    private static void tellEvent(ZMQ.Socket monitor, int wanted) {
        ZMQ.Event event = ZMQ.Event.recv(monitor);
        tell("event", event == null ? "none" : event.getEvent() == wanted ? "as wanted" : event.getEvent(),
             event != null && event.getAddress().startsWith("tcp://127.0.0.1:"));
    }

    // ---- threads

    private static void proxy() throws InterruptedException {
        ZMQ.Socket front = open(ZMQ.ROUTER);
        ZMQ.Socket back = open(ZMQ.DEALER);
        ZMQ.Socket capture = open(ZMQ.PUB);
        ZMQ.Socket request = open(ZMQ.REQ);
        connect(front, request);
        ZContext shadow = ZContext.shadow(CONTEXT);
        int port = back.bindToRandomPort("tcp://127.0.0.1");
        Thread worker = new Thread(() -> {
            ZMQ.Socket reply = shadow.createSocket(ZMQ.REP);
            reply.connect("tcp://127.0.0.1:" + port);
            reply.send(hear(reply).toUpperCase());
            reply.close();
        });
        front.setReceiveTimeOut(-1);
        Thread device = new Thread(() -> tell("proxy ended", problem(() -> ZMQ.proxy(front, back, capture))));
        device.setDaemon(true);
        worker.start();
        device.start();
        request.send("through the proxy");
        tell("proxy", hear(request));
        worker.join();
        close(request); // front, back and capture belong to the thread now
    }

    private static void attached() {
        ZMQ.Socket pipe = ZThread.fork(CONTEXT, (arguments, context, end) -> {
            for (String word = hear(end); !word.equals("stop"); word = hear(end)) {
                end.send(word + arguments[0]);
            }
            end.send("stopped");
        }, "!");
        for (String word : new String[] {"one", "two", "stop"}) {
            pipe.send(word);
            tell("thread", hear(pipe));
        }
    }

    /** PLAIN, with the right password and with another one, asked of jzmq's own authenticator. */
    private static void authenticate() {
        ZAuth authenticator = new ZAuth(CONTEXT);
        authenticator.configurePlain("*", "passwords");
        for (String password : new String[] {"right", "wrong"}) {
            ZMQ.Socket rep = open(ZMQ.REP);
            ZMQ.Socket req = open(ZMQ.REQ);
            rep.setPlainServer(true);
            rep.setZAPDomain("global".getBytes());
            req.setPlainUsername("user".getBytes());
            req.setPlainPassword(password.getBytes());
            connect(rep, req);
            req.send("secret", ZMQ.DONTWAIT);
            rep.setReceiveTimeOut(password.equals("right") ? PATIENCE_MS : QUIET_MS);
            tell("plain with the " + password + " password", text(rep.recv()));
            close(req, rep);
        }
        authenticator.destroy();
    }

    /** A context of its own that ends beneath a thread that waits. */
    private static void end() throws InterruptedException {
        ZMQ.Context context = ZMQ.context(1);
        ZMQ.Socket waits = context.socket(ZMQ.PULL);
        int port = waits.bindToRandomPort("tcp://127.0.0.1");
        Thread waiting = new Thread(() -> {
            tell("waited for the end", problem(waits::recv), port > 0);
            waits.close();
        });
        waiting.start();
        context.term();
        waiting.join();
    }

    private static void tellLibraries() throws Exception {
        try (var lines = Files.lines(Path.of("/proc/self/maps"))) {
            lines.filter(line -> line.matches(".*/lib(zmq|zlink)[^/]*")).map(line -> line.substring(line.indexOf('/'))).distinct()
                .forEach(path -> System.err.println("library: " + path));
        }
    }

    public static void main(String[] arguments) throws Exception {
        Files.writeString(Path.of("passwords"), "user=right\n");
        talk("pair", ZMQ.PAIR, ZMQ.PAIR);
        talk("rep req", ZMQ.REP, ZMQ.REQ);
        talk("router dealer", ZMQ.ROUTER, ZMQ.DEALER);
        publish();
        for (String address : new String[] {"inproc://buffers", "ipc://buffers.ipc"}) {
            buffers(address);
        }
        poll();
        loop();
        errors();
        events();
        attached();
        authenticate();
        end();
        proxy();
        tellLibraries();
        System.out.println("done");
        System.exit(0); // the proxy waits for ever
    }
}

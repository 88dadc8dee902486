// SPDX-License-Identifier: MPL-2.0
//
// One end of an exchange on the crate zeromq, with the arguments, scripts and words of interop_end.c; the message set comes as
// an argument: set=5;10,0,3;...
use bytes::Bytes;
use std::{collections::VecDeque, env, process, time::Duration};
use tokio::io::{AsyncBufReadExt, BufReader, Lines, Stdin};
use zeromq::{prelude::*, util::PeerIdentity, SocketOptions, ZmqMessage};

type Frames = Vec<Bytes>;
type Input = Lines<BufReader<Stdin>>;

struct Exchange {
    set: Vec<Vec<usize>>,
    how: String,
    endpoint: String,
}

fn fail(what: String) -> ! {
    println!("failed: {what}");
    process::exit(1)
}

fn must<T, E: std::fmt::Debug>(result: Result<T, E>) -> T {
    result.unwrap_or_else(|problem| fail(format!("{problem:?}")))
}

fn message_of(frames: Frames) -> ZmqMessage {
    ZmqMessage::try_from(VecDeque::from(frames)).unwrap_or_else(|_| fail("no frames".into()))
}

impl Exchange {
    fn content(&self, message: usize) -> Frames {
        let body = |(frame, size): (usize, &usize)| {
            (0..*size).map(|i| (message * 7 + frame * 13 + i * 31 + i / 251) as u8).collect::<Bytes>()
        };
        self.set[message].iter().enumerate().map(body).collect()
    }

    fn expect(&self, message: usize, frames: &[Bytes]) {
        if frames != self.content(message) {
            let sizes: Vec<_> = frames.iter().map(Bytes::len).collect();
            fail(format!("message {message} came otherwise: {sizes:?}"));
        }
    }

    async fn reach<S: Socket>(&self, socket: &mut S) {
        if self.how == "bind" {
            println!("bound {}", must(socket.bind(&self.endpoint.replace('*', "0")).await));
        } else {
            must(socket.connect(&self.endpoint).await);
        }
    }

    async fn send<S: SocketSend>(&self, socket: &mut S, frames: Frames) {
        let message = message_of(frames);
        // One that has bound has nobody to send to at first, and says so.
        for _ in 0..1000 {
            match socket.send(message.clone()).await {
                Ok(()) => return,
                Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
            }
        }
        fail("nowhere to send".into())
    }

    async fn receive<S: SocketRecv>(&self, socket: &mut S) -> Frames {
        must(socket.recv().await).into_vec()
    }

    async fn ask<S: SocketSend + SocketRecv>(&self, socket: &mut S, prefix: Option<&'static str>) {
        for message in 0..self.set.len() {
            let mut frames = self.content(message);
            if let Some(text) = prefix {
                frames.insert(0, Bytes::from_static(text.as_bytes()));
            }
            self.send(socket, frames).await;
            let answer = self.receive(socket).await;
            self.expect(message, &answer[prefix.map_or(0, |_| 1)..]);
        }
    }

    async fn answer<S: SocketSend + SocketRecv>(&self, socket: &mut S) {
        for _ in &self.set {
            let frames = self.receive(socket).await;
            self.send(socket, frames).await;
        }
    }

    async fn send_set<S: SocketSend>(&self, socket: &mut S) {
        for message in 0..self.set.len() {
            self.send(socket, self.content(message)).await;
        }
    }

    async fn receive_set<S: SocketRecv>(&self, socket: &mut S) {
        for message in 0..self.set.len() {
            let frames = self.receive(socket).await;
            self.expect(message, &frames);
        }
    }

    async fn call<S: SocketSend>(&self, socket: &mut S, input: &mut Input) {
        while tokio::time::timeout(Duration::from_millis(10), input.next_line()).await.is_err() {
            self.send(socket, vec![Bytes::from_static(b"T-call")]).await;
        }
    }

    async fn publish<S: SocketSend>(&self, socket: &mut S) {
        for message in 0..self.set.len() {
            self.send(socket, vec![Bytes::from_static(b"other topic")]).await;
            let mut frames = self.content(message);
            frames.insert(0, Bytes::from_static(b"T-body"));
            self.send(socket, frames).await;
        }
    }

    async fn expect_subscription<S: SocketRecv>(&self, socket: &mut S, kind: u8) {
        let frames = self.receive(socket).await;
        if frames != [Bytes::from(vec![kind, b'T'])] {
            fail(format!("no subscription: {frames:?}"));
        }
    }

    async fn hear<S: SocketRecv>(&self, socket: &mut S) {
        let (mut message, mut synced) = (0, false);
        while message < self.set.len() {
            let frames = self.receive(socket).await;
            if frames[0] == "T-call" {
                if !synced {
                    println!("synced");
                }
                synced = true;
                continue;
            }
            self.expect(message, &frames[1..]);
            message += 1;
        }
    }
}

async fn finish<S: Socket>(socket: S, input: &mut Input) {
    println!("done");
    let _ = input.next_line().await;
    socket.close().await;
}

async fn play(exchange: &Exchange, kind: &str, script: &str, input: &mut Input) {
    macro_rules! with {
        ($type:ident, |$socket:ident| $steps:expr) => {{
            let mut options = SocketOptions::default();
            if kind == "ROUTER" {
                options.peer_identity(must(PeerIdentity::try_from(b"peer".to_vec())));
            }
            let mut $socket = zeromq::$type::with_options(options);
            exchange.reach(&mut $socket).await;
            $steps;
            finish($socket, input).await
        }};
    }
    match (kind, script) {
        ("REQ", "ask") => with!(ReqSocket, |s| exchange.ask(&mut s, None).await),
        ("REP", "answer") => with!(RepSocket, |s| exchange.answer(&mut s).await),
        ("DEALER", "ask") => with!(DealerSocket, |s| exchange.ask(&mut s, None).await),
        ("DEALER", "ask_delimited") => with!(DealerSocket, |s| exchange.ask(&mut s, Some("")).await),
        ("DEALER", "answer") => with!(DealerSocket, |s| exchange.answer(&mut s).await),
        ("ROUTER", "ask_routed") => with!(RouterSocket, |s| exchange.ask(&mut s, Some("peer")).await),
        ("ROUTER", "answer") => with!(RouterSocket, |s| exchange.answer(&mut s).await),
        ("PUSH", "send") => with!(PushSocket, |s| exchange.send_set(&mut s).await),
        ("PULL", "receive") => with!(PullSocket, |s| exchange.receive_set(&mut s).await),
        ("PUB", "publish") => with!(PubSocket, |s| {
            exchange.call(&mut s, input).await;
            exchange.publish(&mut s).await
        }),
        ("XPUB", "publish") => with!(XPubSocket, |s| {
            exchange.expect_subscription(&mut s, 1).await;
            exchange.publish(&mut s).await;
            exchange.expect_subscription(&mut s, 0).await
        }),
        ("SUB", "subscribe") => with!(SubSocket, |s| {
            must(s.subscribe("T").await);
            exchange.hear(&mut s).await;
            must(s.unsubscribe("T").await)
        }),
        ("XSUB", "subscribe") => with!(XSubSocket, |s| {
            must(s.subscribe("T").await);
            exchange.hear(&mut s).await;
            must(s.unsubscribe("T").await)
        }),
        _ => fail(format!("no {kind} that does {script}")),
    }
}

fn parse_set(text: &str) -> Vec<Vec<usize>> {
    text.split(';').map(|message| message.split(',').map(|size| must(size.parse())).collect()).collect()
}

#[tokio::main]
async fn main() {
    let arguments: Vec<String> = env::args().collect();
    let [_, kind, how, endpoint, script, options @ ..] = arguments.as_slice() else {
        fail("TYPE bind|connect ENDPOINT SCRIPT set=...".into());
    };
    let set = options.iter().find_map(|option| option.strip_prefix("set=")).map(parse_set);
    let exchange = Exchange { set: set.unwrap_or_default(), how: how.clone(), endpoint: endpoint.clone() };
    let mut input = BufReader::new(tokio::io::stdin()).lines();
    play(&exchange, kind, script, &mut input).await;
}

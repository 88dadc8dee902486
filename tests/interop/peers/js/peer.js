// SPDX-License-Identifier: MPL-2.0
//
// One end of an exchange on jszmq, with the arguments, scripts and words of interop_end.c; the message set comes as an
// argument: set=5;10,0,3;...
"use strict";
const http = require("http");
const readline = require("readline");
const zmq = require("jszmq");

const [kind, how, endpoint, script, ...options] = process.argv.slice(2);
const topic = Buffer.from("T");
const socket = zmq.socket(kind.toLowerCase());
let set = [];
let peerCame = how === "connect";

function fail(what, ...details) {
  console.log("failed:", what, ...details);
  process.exit(1);
}

function content(message) {
  return set[message].map((size, frame) => {
    const body = Buffer.alloc(size);
    for (let i = 0; i < size; i++) body[i] = message * 7 + frame * 13 + i * 31 + Math.floor(i / 251);
    return body;
  });
}

// ---- what comes is kept until it is asked for

function queue() {
  const kept = [];
  let waiting = null;
  return {
    put(one) {
      if (waiting) {
        const wake = waiting;
        waiting = null;
        wake(one);
      } else {
        kept.push(one);
      }
    },
    next: () => (kept.length ? Promise.resolve(kept.shift()) : new Promise((wake) => (waiting = wake))),
    isEmpty: () => kept.length === 0,
  };
}

const messages = queue();
const words = queue();
socket.on("message", (...frames) => messages.put(frames.map((frame) => Buffer.from(frame))));
const lines = readline.createInterface({ input: process.stdin });
lines.on("line", (line) => words.put(line.trim()));
lines.on("close", () => process.exit(1));

const sleep = (ms) => new Promise((wake) => setTimeout(wake, ms));

// jszmq drops what is sent while there is no connection.
async function havePeer() {
  while (!peerCame) await sleep(5);
}

function check(found, wanted, message) {
  const right = found.length === wanted.length && found.every((frame, number) => frame.equals(wanted[number]));
  if (!right) fail(`message ${message}:`, found.map((frame) => frame.length), "in place of", wanted.map((frame) => frame.length));
}

// ---- the scripts

async function ask(prefix) {
  await havePeer();
  for (let message = 0; message < set.length; message++) {
    const whole = [...prefix, ...content(message)];
    socket.send(whole);
    check(await messages.next(), whole, message);
  }
}

async function answer() {
  for (let message = 0; message < set.length; message++) socket.send(await messages.next());
}

async function sendSet() {
  await havePeer();
  for (let message = 0; message < set.length; message++) socket.send(content(message));
}

async function receiveSet() {
  for (let message = 0; message < set.length; message++) check(await messages.next(), content(message), message);
}

async function expectSubscription(first) {
  check(await messages.next(), [Buffer.concat([Buffer.from([first]), topic])], "subscription");
}

async function publish() {
  if (kind === "XPUB") {
    await expectSubscription(1);
  } else {
    for (; words.isEmpty(); await sleep(10)) socket.send("T-call");
    if ((await words.next()) !== "go") fail("no go");
  }
  for (let message = 0; message < set.length; message++) {
    socket.send("other topic");
    socket.send(["T-body", ...content(message)]);
  }
  if (kind === "XPUB") await expectSubscription(0);
}

function subscribe(first) {
  if (kind === "XSUB") socket.send(Buffer.concat([Buffer.from([first]), topic]));
  else if (first) socket.subscribe(topic);
  else socket.unsubscribe(topic);
}

async function hear() {
  subscribe(1);
  let synced = false;
  for (let message = 0; message < set.length; ) {
    const [first, ...frames] = await messages.next();
    if (first.toString() === "T-call") {
      if (!synced) console.log("synced");
      synced = true;
    } else {
      check([first, ...frames], [Buffer.from("T-body"), ...content(message)], message);
      message++;
    }
  }
  subscribe(0);
}

const scripts = {
  ask: () => ask([]),
  ask_delimited: () => ask([Buffer.alloc(0)]),
  ask_routed: () => ask([Buffer.from("peer")]),
  answer,
  send: sendSet,
  receive: receiveSet,
  publish,
  subscribe: hear,
};

// ---- the endpoint

async function bind() {
  const server = http.createServer();
  socket.bind(endpoint, server);
  const { hostname, port } = new URL(endpoint);
  await new Promise((done) => server.listen(Number(port), hostname, done));
  // The type that binds is told of its peer a moment after the request.
  server.on("upgrade", () => setTimeout(() => (peerCame = true), 100));
  console.log("bound", endpoint);
}

async function main() {
  for (const option of options) {
    if (!option.startsWith("set=")) fail("no option", option);
    set = option.slice(4).split(";").map((message) => message.split(",").map(Number));
  }
  if (kind === "ROUTER") socket.options.routingId = "peer";
  if (how === "bind") await bind();
  else socket.connect(endpoint);
  // A ROUTER cannot send before it knows the peer's name.
  if (script === "ask_routed") await sleep(200);
  await scripts[script]();
  console.log("done");
  while ((await words.next()) !== "quit");
  process.exit(0);
}

main().catch((error) => fail(error));

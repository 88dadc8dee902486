// SPDX-License-Identifier: MPL-2.0
// What programs do with Node's zeromq: every pattern over tcp, ipc and inproc, bursts, timeouts, CURVE, monitors, closing while receiving.
const zmq = require('zeromq');
const say = (name, outcome) => console.log(`case ${name}: ${outcome}`);
const ENDS = [['tcp', 'tcp://127.0.0.1:*'], ['ipc', 'ipc://node.sock'], ['inproc', 'inproc://node']];

async function joined(first, second, address) {
  await first.bind(address);
  second.connect(first.lastEndpoint || address);
  for (const socket of [first, second]) { socket.receiveTimeout = 10000; socket.sendTimeout = 10000; socket.linger = 0; }
}

async function requests(scheme, address) {
  const rep = new zmq.Reply(), req = new zmq.Request();
  await joined(rep, req, address);
  const served = (async () => { for (let i = 0; i < 500; i++) { const parts = await rep.receive(); await rep.send(parts); } })();
  let sum = 0;
  const started = Date.now();
  for (let i = 0; i < 500; i++) { await req.send(String(i)); sum += Number(await req.receive()); }
  await served;
  say(`500 requests over ${scheme}`, sum);
  console.log(`benchmark: ${Date.now() - started} ms`);
  rep.close(); req.close();
}

async function pipeline(scheme, address) {
  const push = new zmq.Push(), pull = new zmq.Pull();
  await joined(push, pull, address);
  const sent = (async () => { for (let i = 0; i < 5000; i++) await push.send([String(i), 'x'.repeat(i % 300)]); })();
  let good = 0;
  for (let i = 0; i < 5000; i++) { const [number, body] = await pull.receive(); if (Number(number) === i && body.length === i % 300) good++; }
  await sent;
  say(`5000 messages over ${scheme}`, good);
  await push.send(Buffer.alloc(5_000_000, 7));
  say(`large over ${scheme}`, (await pull.receive())[0].length);
  pull.receiveTimeout = 50;
  say(`receive timeout over ${scheme}`, await pull.receive().then(() => 'received', error => error.code));
  push.close(); pull.close();
}

async function burst(scheme, address) {
  const router = new zmq.Router(), dealers = [];
  router.receiveTimeout = 10000; router.linger = 0;
  await router.bind(address);
  for (let i = 0; i < 10; i++) {
    const dealer = new zmq.Dealer({ receiveTimeout: 10000, linger: 0 });
    dealer.connect(router.lastEndpoint || address);
    dealers.push(dealer);
  }
  const serve = (async () => { for (let i = 0; i < 1000; i++) { const [id, body] = await router.receive(); await router.send([id, body]); } })();
  const counts = await Promise.all(dealers.map(async dealer => {
    for (let i = 0; i < 100; i++) await dealer.send(`${i}`);
    let count = 0;
    for (let i = 0; i < 100; i++) if (String(await dealer.receive()) === `${i}`) count++;
    return count;
  }));
  await serve;
  say(`ten dealers over ${scheme}`, counts.join(' '));
  dealers.forEach(dealer => dealer.close()); router.close();
}

async function topics(scheme, address) {
  const pub = new zmq.XPublisher(), sub = new zmq.Subscriber();
  await joined(pub, sub, address);
  sub.subscribe('a', 'b');
  const subscribed = [];
  for (let i = 0; i < 2; i++) subscribed.push(String((await pub.receive())[0].subarray(1)));
  say(`subscriptions over ${scheme}`, subscribed.sort().join(' '));
  for (let i = 0; i < 300; i++) await pub.send([['a', 'b', 'c'][i % 3], String(i)]);
  let last;
  for (let i = 0; i < 200; i++) last = await sub.receive();
  say(`topics over ${scheme}`, last.map(String).join(' '));
  sub.unsubscribe('a');
  say(`unsubscription over ${scheme}`, (await pub.receive())[0].toString('hex'));
  pub.close(); sub.close();
}

async function secure() {
  const server = zmq.curveKeyPair(), client = zmq.curveKeyPair();
  const rep = new zmq.Reply({ curveServer: true, curveSecretKey: server.secretKey });
  const req = new zmq.Request({ curveServerKey: server.publicKey, curvePublicKey: client.publicKey, curveSecretKey: client.secretKey });
  await joined(rep, req, 'tcp://127.0.0.1:*');
  await req.send('secret');
  await rep.send(await rep.receive());
  say('CURVE', String(await req.receive()));
  say('mechanism', req.securityMechanism);
  rep.close(); req.close();
}

async function events() {
  const pull = new zmq.Pull(), push = new zmq.Push(), seen = [];
  push.events.on('connect', () => seen.push('connect'));
  push.events.on('handshake', () => seen.push('handshake'));
  push.events.on('disconnect', () => seen.push('disconnect'));
  await joined(pull, push, 'tcp://127.0.0.1:*');
  await push.send('x'); await pull.receive();
  pull.close();
  for (let i = 0; i < 200 && !seen.includes('disconnect'); i++) await new Promise(done => setTimeout(done, 25));
  say('events', seen.slice(0, 3).join(' '));
  push.close();
}

async function closing() {
  const pull = new zmq.Pull();
  await pull.bind('tcp://127.0.0.1:*');
  const waiting = pull.receive().then(() => 'received', error => error.code);
  pull.close();
  say('closed while receiving', await waiting);
  const proxy = new zmq.Proxy(new zmq.Router(), new zmq.Dealer());
  await proxy.frontEnd.bind('inproc://front'); await proxy.backEnd.bind('inproc://back');
  const running = proxy.run();
  const req = new zmq.Request({ receiveTimeout: 10000 }), rep = new zmq.Reply({ receiveTimeout: 10000 });
  req.connect('inproc://front'); rep.connect('inproc://back');
  await req.send('through'); await rep.send(await rep.receive());
  say('proxy', String(await req.receive()));
  proxy.terminate(); await running;
  say('proxy ends', 'yes'); req.close(); rep.close();
}

(async () => {
  for (const [scheme, address] of ENDS) for (const one of [requests, pipeline, burst, topics]) await one(scheme, address);
  await secure(); await events(); await closing();
  say('end', 'reached');
})().catch(error => { console.log(error); process.exit(1); });

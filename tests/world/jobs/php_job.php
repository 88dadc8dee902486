<?php
// SPDX-License-Identifier: MPL-2.0
// What programs do with PHP's extension zmq, one line per case.
function say($name, $outcome) { echo "case $name: $outcome\n"; }
$context = new ZMQContext();
say('options', $context->getOpt(ZMQ::CTXOPT_MAX_SOCKETS));
foreach (['tcp://127.0.0.1:*', 'ipc://php.sock', 'inproc://php'] as $address) {
    $scheme = explode(':', $address)[0];
    $rep = new ZMQSocket($context, ZMQ::SOCKET_REP);
    $req = new ZMQSocket($context, ZMQ::SOCKET_REQ);
    foreach ([$rep, $req] as $socket) { $socket->setSockOpt(ZMQ::SOCKOPT_RCVTIMEO, 10000); $socket->setSockOpt(ZMQ::SOCKOPT_LINGER, 0); }
    $rep->bind($address);
    $req->connect($rep->getSockOpt(ZMQ::SOCKOPT_LAST_ENDPOINT));
    $sum = 0;
    for ($i = 0; $i < 300; $i++) { $req->send("$i"); $rep->send($rep->recv()); $sum += (int) $req->recv(); }
    say("300 requests over $scheme", $sum);
    $req->sendMulti(['a', 'b', '']);
    say("parts over $scheme", json_encode($rep->recvMulti()));
    try { $rep->recv(); say("state over $scheme", 'none'); } catch (ZMQSocketException $error) { say("state over $scheme", $error->getCode() . ' ' . $error->getMessage()); }
    $rep->send('x'); $req->recv();
    say("nothing over $scheme", var_export($rep->recv(ZMQ::MODE_DONTWAIT), true));
    $poll = new ZMQPoll();
    $id = $poll->add($rep, ZMQ::POLL_IN);
    $readable = $writable = [];
    say("poll, nothing over $scheme", $poll->poll($readable, $writable, 50));
    $req->send('y');
    say("poll over $scheme", $poll->poll($readable, $writable, 5000) . ' ' . count($readable));
    say("endpoints over $scheme", count($rep->getEndpoints()['bind']));
    $xpub = new ZMQSocket($context, ZMQ::SOCKET_XPUB);
    $sub = new ZMQSocket($context, ZMQ::SOCKET_SUB);
    foreach ([$xpub, $sub] as $socket) { $socket->setSockOpt(ZMQ::SOCKOPT_RCVTIMEO, 10000); $socket->setSockOpt(ZMQ::SOCKOPT_LINGER, 0); }
    $xpub->bind($scheme == 'tcp' ? $address : "$address-2");
    $sub->connect($xpub->getSockOpt(ZMQ::SOCKOPT_LAST_ENDPOINT));
    $sub->setSockOpt(ZMQ::SOCKOPT_SUBSCRIBE, 'n');
    say("subscription over $scheme", bin2hex($xpub->recv()));
    for ($i = 0; $i < 100; $i++) $xpub->send(($i % 2 ? 'n' : 'm') . $i);
    for ($i = 0; $i < 50; $i++) $last = $sub->recv();
    say("topics over $scheme", $last);
    try { $sub->send('x'); say("sub sends over $scheme", 'sent'); } catch (ZMQSocketException $error) { say("sub sends over $scheme", $error->getCode()); }
    try { $sub->connect('nonsense://x'); say("bad address over $scheme", 'none'); } catch (ZMQSocketException $error) { say("bad address over $scheme", $error->getMessage()); }
}
$again = new ZMQContext(1, true);
$one = $again->getSocket(ZMQ::SOCKET_PUSH, 'persistent');
say('persistent', $one->isPersistent() ? 'yes' : 'no');
say('end', 'reached');

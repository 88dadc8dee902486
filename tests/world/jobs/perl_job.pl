# SPDX-License-Identifier: MPL-2.0
# What programs do with Perl's ZMQ::FFI, one line per case.
use strict; use warnings;
use ZMQ::FFI qw(:all);
$| = 1;
sub say_case { my ($name, $outcome) = @_; print "case $name: $outcome\n"; }
my $context = ZMQ::FFI->new(soname => 'libzmq.so.5');  # by itself it asks for a whole path
say_case("major", ($context->version)[0]);
$context->set(ZMQ_MAX_SOCKETS, 500);
say_case("max sockets", $context->get(ZMQ_MAX_SOCKETS));
for my $address ('tcp://127.0.0.1:*', 'ipc://perl.sock', 'inproc://perl') {
    my ($scheme) = split /:/, $address;
    my ($rep, $req) = ($context->socket(ZMQ_REP), $context->socket(ZMQ_REQ));
    $_->set(ZMQ_RCVTIMEO, 'int', 10000), $_->set_linger(0) for $rep, $req;
    $rep->bind($address);
    my $end = $rep->get(ZMQ_LAST_ENDPOINT, 'string');
    $req->connect($end);
    my $sum = 0;
    for my $number (1 .. 200) { $req->send($number); $rep->send($rep->recv() * 2); $sum += $req->recv(); }
    say_case("200 requests over $scheme", $sum);
    $req->send_multipart([qw(a b c)]);
    say_case("parts over $scheme", join ' ', $rep->recv_multipart());
    eval { $rep->recv(); }; say_case("state over $scheme", $@ ? 'error' : 'none');
    $rep->send('');
    say_case("empty over $scheme", length $req->recv());
    eval { $rep->bind('tcp://127.0.0.1:notaport'); }; say_case("bad address over $scheme", $@ ? 'error' : 'none');
    my ($pub, $sub) = ($context->socket(ZMQ_XPUB), $context->socket(ZMQ_SUB));
    $_->set(ZMQ_RCVTIMEO, 'int', 10000), $_->set_linger(0) for $pub, $sub;
    $pub->bind($scheme eq 'tcp' ? $address : "$address-2");
    $sub->connect($pub->get(ZMQ_LAST_ENDPOINT, 'string'));
    $sub->subscribe('x');
    say_case("subscription over $scheme", unpack 'H*', $pub->recv());
    $pub->send($_ % 2 ? "x$_" : "y$_") for 1 .. 100;
    my $last; $last = $sub->recv() for 1 .. 50;
    say_case("topics over $scheme", $last);
    $sub->unsubscribe('x');
    say_case("unsubscription over $scheme", unpack 'H*', $pub->recv());
    say_case("no input over $scheme", $sub->has_pollin ? 'yes' : 'no');
    $_->close for $rep, $req, $pub, $sub;
}
my ($pull, $push) = ($context->socket(ZMQ_PULL), $context->socket(ZMQ_PUSH));
$pull->set(ZMQ_RCVTIMEO, 'int', 10000);
$pull->bind('inproc://device'); $push->connect('inproc://device');
$push->send('z' x 3_000_000);
say_case("large", length $pull->recv());
my $fd = $pull->get_fd(); say_case("descriptor", $fd > 0 ? 'yes' : 'no');
$_->close for $pull, $push;
$context->destroy();
say_case("end", 'reached');

% SPDX-License-Identifier: MPL-2.0
% What programs do with Debian's octave-zeromq, told on stdout in words that are the same on every libzmq; then the tests that
% the package itself comes with.
pkg load zeromq

function answer = hear(socket)
  answer = char(zmq_recv(socket, 100000, 0));
end

function play(what, first, second)
  zmq_bind(first, "tcp://127.0.0.1:*");
  endpoint = zmq_getsockopt(first, ZMQ_LAST_ENDPOINT);
  zmq_connect(second, endpoint);
  zmq_send(second, uint8("question"), ZMQ_SNDMORE);
  zmq_send(second, uint8(repmat("x", 1, 70000)));
  printf("%s: %s", what, hear(first));
  printf(" more %d size %d\n", zmq_getsockopt(first, ZMQ_RCVMORE), numel(hear(first)));
  if (! strcmp(what, "pull push"))
    zmq_send(first, uint8("answer"));
    printf("%s: %s\n", what, hear(second));
  end
  zmq_close(second);
  zmq_close(first);
end

play("rep req", zmq_socket(ZMQ_REP), zmq_socket(ZMQ_REQ));
play("pair", zmq_socket(ZMQ_PAIR), zmq_socket(ZMQ_PAIR));
play("dealer", zmq_socket(ZMQ_DEALER), zmq_socket(ZMQ_DEALER));
play("pull push", zmq_socket(ZMQ_PULL), zmq_socket(ZMQ_PUSH));

maps = fileread("/proc/self/maps");
libraries = unique(regexp(maps, '/\S*(libzmq|libzlink)\S*', "match"));
fprintf(stderr, "library: %s\n", libraries{:});

installed = pkg("list", "zeromq");
tests = sort(glob(fullfile(installed{1}.archprefix, "*", "*.cc-tst")));
for i = 1:numel(tests)
  [~, name] = fileparts(tests{i});
  [passed, all] = test(tests{i}, "quiet");
  printf("octave-zeromq's own test of %s: %d of %d\n", name, passed, all);
end

# SPDX-License-Identifier: MPL-2.0
# What programs do with Debian's ruby-ffi-rzmq, told on stdout in words that are the same on every libzmq.
require 'ffi-rzmq'

$stdout.sync = true
File.foreach('/proc/self/maps').map { |line| line.split.last }.uniq.grep(/libzmq|libzlink/).each { |path| warn "library: #{path}" }

PATIENCE_MS = 5000
QUIET_MS = 200
CONTEXT = ZMQ::Context.new

def must(result)
  raise "#{ZMQ::Util.errno}: #{ZMQ::Util.error_string}" unless ZMQ::Util.resultcode_ok?(result)
end

def open(type)
  socket = CONTEXT.socket(type)
  must socket.setsockopt(ZMQ::RCVTIMEO, PATIENCE_MS)
  must socket.setsockopt(ZMQ::LINGER, 0)
  yield socket if block_given?
  socket
end

def connect(bound, connected)
  must bound.bind('tcp://127.0.0.1:*')
  endpoint = []
  must bound.getsockopt(ZMQ::LAST_ENDPOINT, endpoint)
  must connected.connect(endpoint[0].delete("\0"))
end

def hear(socket)
  frames = []
  ZMQ::Util.resultcode_ok?(socket.recv_strings(frames)) ? frames : ZMQ::Util.error_string
end

def talk(what, first, second)
  connect(first, second)
  must second.send_strings(%w[head body] + ['x' * 70_000])
  frames = hear(first)
  puts "#{what}: #{frames.map(&:size)}"
  must first.send_strings(frames[0..-2] + ['answer'])
  puts "#{what}: #{hear(second)}"
  [first, second].each(&:close)
end

talk 'pair', open(ZMQ::PAIR), open(ZMQ::PAIR)
talk 'rep req', open(ZMQ::REP), open(ZMQ::REQ)
talk('router dealer', open(ZMQ::ROUTER), open(ZMQ::DEALER) { |socket| must socket.setsockopt(ZMQ::IDENTITY, 'ruby') })

# Publish and subscribe, with the subscriptions read.
publisher = open(ZMQ::XPUB)
subscriber = open(ZMQ::SUB) { |socket| must socket.setsockopt(ZMQ::SUBSCRIBE, 'topic') }
connect(publisher, subscriber)
puts "xpub: #{hear(publisher).inspect}"
must publisher.send_string('other')
must publisher.send_strings(%w[topic body])
puts "sub: #{hear(subscriber)}"
[publisher, subscriber].each(&:close)

# Messages, the poller, and what does not work.
pull = open(ZMQ::PULL)
push = open(ZMQ::PUSH)
connect(pull, push)
poller = ZMQ::Poller.new
poller.register_readable(pull)
puts "poller: #{poller.poll(20)} #{poller.readables.size}"
must push.sendmsg(ZMQ::Message.new('message'))
puts "poller: #{poller.poll(PATIENCE_MS)} #{poller.readables == [pull]}"
message = ZMQ::Message.new
must pull.recvmsg(message)
puts "message: #{message.size} #{message.copy_out_string}"
puts "nothing: #{pull.recv_string(String.new, ZMQ::DONTWAIT)} #{ZMQ::Util.error_string}"
puts "wrong way: #{pull.send_string('x')} #{ZMQ::Util.error_string}"
puts "bad address: #{pull.bind('nonsense')} #{ZMQ::Util.error_string}"
[push, pull].each(&:close)

# A device between two pairs of sockets, in a thread.
front = open(ZMQ::ROUTER)
back = open(ZMQ::DEALER)
request = open(ZMQ::REQ)
reply = open(ZMQ::REP)
connect(front, request)
connect(back, reply)
[front, back].each { |socket| must socket.setsockopt(ZMQ::RCVTIMEO, -1) }
device = Thread.new { ZMQ::Device.new(front, back) }
answerer = Thread.new { reply.send_string(hear(reply)[0].upcase) }
must request.send_string('through the device')
answerer.join
puts "device: #{hear(request)}"

# CURVE, with the right key of the server and with another one.
server = ZMQ::Util.curve_keypair
client = ZMQ::Util.curve_keypair
[server, client].each do |known|
  rep = open(ZMQ::REP) do |socket|
    must socket.setsockopt(ZMQ::CURVE_SERVER, 1)
    must socket.setsockopt(ZMQ::CURVE_SECRETKEY, server[1])
  end
  req = open(ZMQ::REQ) do |socket|
    must socket.setsockopt(ZMQ::CURVE_SERVERKEY, known[0])
    must socket.setsockopt(ZMQ::CURVE_PUBLICKEY, client[0])
    must socket.setsockopt(ZMQ::CURVE_SECRETKEY, client[1])
  end
  connect(rep, req)
  req.send_string('sealed', ZMQ::DONTWAIT) # one that has been refused already has nowhere to send
  must rep.setsockopt(ZMQ::RCVTIMEO, known == server ? PATIENCE_MS : QUIET_MS)
  puts "curve: #{hear(rep)}"
  [req, rep].each(&:close)
end

# The context ends and lets the device go.
[request, reply].each(&:close)
ending = Thread.new { CONTEXT.terminate }
device.join
[front, back].each(&:close)
ending.join
puts 'ended'

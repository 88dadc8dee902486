#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""zlink proxy."""
import subprocess

import support


class Proxy(support.CommandTest):
    def start_proxy(self, kind, *arguments):
        front, back = self.endpoint(), self.endpoint()
        proxy = self.start("proxy", kind, "--frontend", front, "--backend", back, *arguments)
        proxy.wait_for_error(b"started")
        return proxy, front, back

    def test_queue_forwards_requests_and_answers(self):
        proxy, front, back = self.start_proxy("queue")
        self.start("cat", "--type", "REP", "--connect", back, "--echo")
        done = self.run_zlink("cat", "--type", "REQ", "--connect", front, "--timeout", support.DEADLINE, data=b"a\nb\n")
        self.assertEqual(done, (0, b"a\nb\n", b""))
        status, _, errors = proxy.stop()
        self.assertEqual(status, 0)
        self.assertIn(b"frontend received 2 messages", errors)

    def test_streamer_with_a_capture(self):
        capture = self.endpoint()
        watcher = self.start("sub", capture, "--bind", "--count", 2)
        _, front, back = self.start_proxy("streamer", "--capture-connect", capture)
        pull = self.start("cat", "--type", "PULL", "--connect", back, "--receive-only")
        push = self.start("cat", "--type", "PUSH", "--connect", front, stdin=subprocess.PIPE)
        # The capture is a PUB: it may miss what passes before it is subscribed to.
        for number in range(10000):
            push.send(b"%d\n" % number)
            self.assertEqual(pull.read_line(), b"%d\n" % number)
            if watcher.process.poll() is not None:
                break
        self.assertEqual(watcher.finish()[0], 0)

    def test_forwarder_passes_subscriptions(self):
        _, front, back = self.start_proxy("forwarder")
        sub = self.start("sub", back, "b", "--count", 1)
        done = self.run_zlink("cat", "--type", "PUB", "--connect", front, "--wait-subscribers", 1, "--timeout", support.DEADLINE,
                              data=b"apple\nbanana\n")
        self.assertEqual(done, (0, b"", b""))
        self.assertEqual(sub.finish(), (0, b"banana\n", b""))

    def test_control_steers(self):
        control = self.endpoint()
        proxy, front, back = self.start_proxy("streamer", "--control", control)
        steering = self.start("cat", "--type", "REQ", "--connect", control, "--format", "json", stdin=subprocess.PIPE)
        steering.send(b'"PAUSE"\n')
        self.assertEqual(steering.read_line(), b'[""]\n')
        pull = self.start("cat", "--type", "PULL", "--connect", back, "--count", 1)
        self.run_zlink("cat", "--type", "PUSH", "--connect", front, data=b"x\n")
        steering.send(b'"STATISTICS"\n')
        self.assertEqual(steering.read_line().count(b"base64") + 0, 0)  # eight numbers of zero: nothing has passed
        self.assertIsNone(pull.process.poll())
        steering.send(b'"RESUME"\n')
        steering.read_line()
        self.assertEqual(pull.finish()[:2], (0, b"x\n"))
        steering.send(b'"TERMINATE"\n')
        status, _, errors = proxy.finish()
        self.assertEqual(status, 0)
        self.assertIn(b"ended by TERMINATE", errors)

    def test_wrong_usage(self):
        self.check_failure(2, ["queue", "forwarder", "streamer"], "proxy")
        self.check_failure(2, ["which kind"], "proxy", "pump")
        self.check_failure(2, ["--frontend"], "proxy", "queue")
        self.check_failure(2, ["--backend"], "proxy", "queue", "--frontend", self.endpoint())
        self.check_failure(1, ["cannot bind nonsense"], "proxy", "queue", "--frontend", "nonsense", "--backend", self.endpoint())


if __name__ == "__main__":
    support.main()

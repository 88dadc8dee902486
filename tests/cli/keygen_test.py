#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""zlink keygen."""
import os
import stat

import support


class Keygen(support.CommandTest):
    def test_prints_a_pair(self):
        status, out, errors = self.run_zlink("keygen")
        self.assertEqual((status, errors), (0, b""))
        lines = [line.split() for line in out.splitlines()]
        self.assertEqual([line[0] for line in lines], [b"public", b"secret"])
        self.assertEqual([len(line[1]) for line in lines], [40, 40])
        self.assertNotEqual(out, self.run_zlink("keygen")[1])

    def test_only_the_owner_may_read_the_secret_file(self):
        public, secret = self.folder / "a.pub", self.folder / "a.key"
        old = os.umask(0)
        self.addCleanup(os.umask, old)
        status, out, _ = self.run_zlink("keygen", "--public", public, "--secret", secret)
        self.assertEqual((status, out), (0, b""))
        self.assertEqual(stat.S_IMODE(secret.stat().st_mode), 0o600)
        self.assertEqual(stat.S_IMODE(public.stat().st_mode), 0o644)
        self.assertEqual([len(file.read_text().strip()) for file in (public, secret)], [40, 40])

    def test_keeps_files_that_exist(self):
        secret = self.folder / "a.key"
        secret.write_text("mine")
        public = self.folder / "a.pub"
        self.check_failure(1, ["a.key exists", "--force"], "keygen", "--public", public, "--secret", secret)
        self.assertEqual(secret.read_text(), "mine")
        self.assertFalse(public.exists())

    def test_force_replaces_a_file_and_its_mode(self):
        secret = self.folder / "a.key"
        secret.write_text("mine")
        secret.chmod(0o666)
        status, out, _ = self.run_zlink("keygen", "--secret", secret, "--force")
        self.assertEqual(status, 0)
        self.assertTrue(out.startswith(b"public "))
        self.assertEqual(stat.S_IMODE(secret.stat().st_mode), 0o600)
        self.assertNotEqual(secret.read_text(), "mine")

    def test_force_does_not_write_through_a_link(self):
        target, secret = self.folder / "target", self.folder / "a.key"
        target.write_text("mine")
        secret.symlink_to(target)
        self.assertEqual(self.run_zlink("keygen", "--secret", secret, "--force")[0], 0)
        self.assertEqual(target.read_text(), "mine")
        self.assertFalse(secret.is_symlink())

    def test_a_folder_that_is_not_there_is_told(self):
        self.check_failure(1, ["cannot make", "No such file"], "keygen", "--secret", self.folder / "no/a.key")

    def test_a_pair_is_whole_or_not_there(self):
        public, secret = self.folder / "a.pub", self.folder / "a.key"
        self.check_failure(1, ["cannot make"], "keygen", "--secret", secret, "--public", self.folder / "no/a.pub")
        self.check_failure(1, ["cannot make"], "keygen", "--secret", self.folder / "no/a.key", "--public", public)
        self.assertEqual(list(self.folder.iterdir()), [])
        self.run_zlink("keygen", "--secret", secret, "--public", public)
        before = secret.read_text()
        self.check_failure(1, ["cannot make"], "keygen", "--force", "--secret", secret, "--public", self.folder / "no/a.pub")
        self.assertEqual(secret.read_text(), before)

    def test_one_file_for_both_is_refused(self):
        path = self.folder / "both"
        self.check_failure(2, ["two files"], "keygen", "--secret", path, "--public", path)


if __name__ == "__main__":
    support.main()

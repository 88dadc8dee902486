#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""Tags the last commit as the release that CMakeLists.txt names. The tag's text is that version's part of CHANGELOG.md.

    make_release.py [--check] [--notes] [--unsigned]

--check only says whether a release can be made, and --notes only prints its text. A release needs a clean tree, one version in all
files, a dated heading of it at the top of CHANGELOG.md, a version above all tags, and no such tag yet. Nothing is pushed.
"""
import argparse
import datetime
import re
import subprocess
import sys

from make_packages import TOP, version_of_tree

HEADING = re.compile(r"^## +(\S+?), +(.+?) *$", re.M)


def git(*arguments, **options):
    return subprocess.run(["git", *arguments], cwd=TOP, text=True, capture_output=True, check=True, **options).stdout


def numbers(version):
    return [int(part) for part in version.split(".")]


def top_of_changelog():
    """(version, date, text) of the newest part of CHANGELOG.md; empty texts if there is none."""
    page = (TOP / "CHANGELOG.md").read_text(encoding="utf-8")
    headings = list(HEADING.finditer(page))
    if not headings:
        return "", "", ""
    end = re.search(r"^## ", page[headings[0].end():], re.M)
    text = page[headings[0].end():][:end.start() if end else None]
    return headings[0].group(1), headings[0].group(2), text.strip()


def problems(version):
    """What is in the way of the release."""
    if git("status", "--porcelain").strip():
        yield "the tree has changes that are not committed"
    named, date, text = top_of_changelog()
    if named != version:
        yield f"CHANGELOG.md begins with version {named or 'none'}, and the files name {version}"
    try:
        if datetime.date.fromisoformat(date) > datetime.date.today():
            yield f"the date in CHANGELOG.md is to come: {date}"
    except ValueError:
        yield f"CHANGELOG.md has no date (2026-12-31) for {version}: {date or 'nothing'}"
    if not text:
        yield f"CHANGELOG.md has no text for {version}"
    released = [tag[1:] for tag in git("tag", "--list", "v*").split() if re.fullmatch(r"v\d+(\.\d+)*", tag)]
    if version in released:
        yield f"the tag v{version} is there already"
    elif any(numbers(version) <= numbers(other) for other in released):
        yield f"a version that is not below {version} has a tag already"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="only says whether a release can be made")
    parser.add_argument("--notes", action="store_true", help="only prints the text of the tag")
    parser.add_argument("--unsigned", action="store_true", help="makes a tag without a signature")
    options = parser.parse_args()
    version = version_of_tree()
    notes = f"zlink {version}\n\n{top_of_changelog()[2]}\n"
    if options.notes:
        print(notes, end="")
        return
    found = list(problems(version))
    if found:
        sys.exit(f"FAILED: {version} cannot be released:\n" + "\n".join(f"  {problem}" for problem in found))
    if options.check:
        print(f"{version} can be released")
        return
    # A line that begins with # is text, not a comment of git.
    made = ["tag", "--annotate" if options.unsigned else "--sign", "--cleanup=whitespace", "--file=-", f"v{version}"]
    done = subprocess.run(["git", *made], cwd=TOP, text=True, input=notes, stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        sys.exit(f"FAILED: git made no tag:\n{done.stderr}")
    print(f"made the tag v{version}. Next: make packages, and git push origin v{version}")


if __name__ == "__main__":
    main()

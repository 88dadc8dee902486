#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""Makes a site with search and pictures out of the documents, by MkDocs: make_site.py [--out build/site] [--stage-only]

The pages stay where they are and as they are. A copy of them gets links that work on the site: a link to a file that is no page
becomes the name of the file.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)#\s]*)(#[^)\s]*)?\)")
# Page of the tree -> page of the site, where they differ from docs/X -> X.
PLACES = {"README.md": "index.md", "README.ko.md": "korean.md", "docs/README.md": "documents.md", "CHANGELOG.md": "CHANGELOG.md",
          "CONTRIBUTING.md": "CONTRIBUTING.md", "SECURITY.md": "REPORTING.md"}
CONFIGURATION = """\
site_name: zlink
docs_dir: pages
site_dir: html
use_directory_urls: false
theme:
  name: material
  font: false
  features: [navigation.tabs, navigation.top, search.highlight, content.code.copy]
  palette:
    - {scheme: default, media: "(prefers-color-scheme: light)"}
    - {scheme: slate, media: "(prefers-color-scheme: dark)"}
plugins: [search]
markdown_extensions: [tables, fenced_code, toc, pymdownx.highlight, pymdownx.superfences]
validation: {links: {not_found: warn, anchors: info}}
nav:
  - Start: [{zlink: index.md}, {Install: INSTALL.md}, {From libzmq: MIGRATING.md}, {The command: cli.md}, {한국어: korean.md}]
"""
SECTIONS = {"Sockets": "api/sockets", "Transports": "api/transports", "Reference": "api", "Decisions": "decisions", "Experiments": "experiments"}


def pages_of_tree():
    listing = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "docs", *[p for p in PLACES if "/" not in p]],
                             cwd=TOP, text=True, capture_output=True, check=True).stdout.split("\n")
    places = {name: PLACES.get(name, name.removeprefix("docs/")) for name in listing if name.endswith((".md", ".png", ".svg"))}
    return {name: place for name, place in places.items() if (TOP / name).is_file()}


def moved(name, text, places):
    """The text of a page with the links of its place on the site."""
    def link(match):
        picture, words, target, anchor = match.groups()
        if not target or "://" in target or target.startswith("mailto:"):
            return match.group(0)
        goal = os.path.normpath(os.path.join(os.path.dirname(name), target))
        if goal not in places and f"{goal}/README.md" in places:
            goal += "/README.md"
        if goal not in places:
            return words if words.startswith("`") else f"{words} (`{goal}`)" if words != goal else f"`{goal}`"
        return f"{picture}[{words}]({os.path.relpath(places[goal], os.path.dirname(places[name]) or '.')}{anchor or ''})"
    return LINK.sub(link, text)


def navigation(places):
    """The rest of the navigation: the pages at the top, then one section for each folder."""
    taken = {"index.md", "INSTALL.md", "MIGRATING.md", "cli.md", "korean.md"}
    pages = sorted(place for place in places.values() if place.endswith(".md") and place not in taken)
    lines = ["  - Documents: [" + ", ".join(page for page in pages if "/" not in page) + "]\n"]
    for title, folder in SECTIONS.items():
        inside = [page for page in pages if page.startswith(folder + "/") and page not in taken]
        taken.update(inside)
        inside.sort(key=lambda page: (not page.endswith("README.md"), page))
        if inside:
            lines.append(f"  - {title}: [" + ", ".join(inside) + "]\n")
    return "".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=pathlib.Path, default=TOP / "build/site")
    parser.add_argument("--stage-only", action="store_true", help="only lays the pages out")
    options = parser.parse_args()
    out, places = options.out.resolve(), pages_of_tree()
    shutil.rmtree(out / "pages", ignore_errors=True)
    for name, place in places.items():
        goal = out / "pages" / place
        goal.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith(".md"):
            goal.write_text(moved(name, (TOP / name).read_text(encoding="utf-8"), places), encoding="utf-8")
        else:
            shutil.copy(TOP / name, goal)
    (out / "mkdocs.yml").write_text(CONFIGURATION + navigation(places), encoding="utf-8")
    if options.stage_only:
        return
    venv = out.parent / "tools/site"
    venv.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run([TOP / "tools/make_venv.sh", venv, TOP / "tools/site_requirements.txt"], check=True)
    done = subprocess.run([venv / "bin/mkdocs", "build", "--quiet", "--strict", "--config-file", out / "mkdocs.yml"], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode != 0:
        sys.exit(f"FAILED: mkdocs says\n{done.stdout}")
    print(f"made {out / 'html/index.html'}")


if __name__ == "__main__":
    main()

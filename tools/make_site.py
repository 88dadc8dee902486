#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""Makes a site with search and pictures out of the documents, by MkDocs: make_site.py [--out build/site] [--stage-only]

The pages stay where they are and as they are. A copy of them gets links that work on the site: a link to a file that is no page
becomes the name of the file. A link to nothing, a page that is not in the navigation and a warning of MkDocs end it.
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
validation: {links: {not_found: warn, anchors: warn, absolute_links: warn}, nav: {omitted_files: warn, not_found: warn}}
nav:
  - Start: [{zlink: index.md}, {Install: INSTALL.md}, {From libzmq: MIGRATING.md}, {The command: cli.md}, {한국어: [korean.md, INSTALL.ko.md]}]
"""
SECTIONS = {"Sockets": "api/sockets", "Transports": "api/transports", "Beyond libzmq": "api", "Reference": "api/reference", "Performance": "performance",
            "Decisions": "decisions", "Experiments": "experiments", "Tests": "testing"}


def pages_of_tree():
    listing = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "docs", *[p for p in PLACES if "/" not in p]],
                             cwd=TOP, text=True, capture_output=True, check=True).stdout.split("\n")
    places = {name: PLACES.get(name, name.removeprefix("docs/")) for name in listing if name.endswith((".md", ".png", ".svg"))}
    return {name: place for name, place in places.items() if (TOP / name).is_file()}


def dead_links(name, text):
    """The links of a page to files that the tree does not have."""
    for match in LINK.finditer(text):
        target = match.group(3)
        if target and "://" not in target and not target.startswith("mailto:") and not (TOP / name).parent.joinpath(target).exists():
            yield f"{name}: a link to {target}, which is not there"


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


def tree_of(pages):
    """Pages as entries of the navigation: those of a folder in a folder are a group with its name."""
    groups = {}
    for page in pages:
        groups.setdefault(os.path.dirname(page), []).append(page)
    if len(groups) == 1:
        return ", ".join(pages)
    return ", ".join(f"{{{os.path.basename(group).replace('-', ' ')}: [{', '.join(inside)}]}}" for group, inside in groups.items())


def navigation(places):
    """The rest of the navigation: the pages at the top, then one section for each folder."""
    left = {place for place in places.values() if place.endswith(".md")} - {"index.md", "INSTALL.md", "MIGRATING.md", "cli.md", "korean.md", "INSTALL.ko.md"}
    sections = {"Documents": sorted(page for page in left if "/" not in page)}
    # An inner folder has its pages before the folder around it gets the rest.
    inside = {}
    for title, folder in sorted(SECTIONS.items(), key=lambda item: -len(item[1])):
        inside[title] = sorted((page for page in left if page.startswith(folder + "/")), key=lambda page: (not page.endswith("README.md"), page))
        left -= set(inside[title])
    sections |= {title: inside[title] for title in SECTIONS}
    left -= set(sections["Documents"])
    if left:
        sys.exit(f"FAILED: these pages belong to no section of the navigation: {' '.join(sorted(left))}")
    return "".join(f"  - {title}: [{tree_of(pages)}]\n" for title, pages in sections.items() if pages)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=pathlib.Path, default=TOP / "build/site")
    parser.add_argument("--stage-only", action="store_true", help="only lays the pages out")
    options = parser.parse_args()
    out, places = options.out.resolve(), pages_of_tree()
    dead = [link for name in places if name.endswith(".md") for link in dead_links(name, (TOP / name).read_text(encoding="utf-8"))]
    if dead:
        sys.exit("FAILED: " + "\n".join(dead))
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
    # With --quiet MkDocs would not count its warnings, and --strict would find none. The theme has a notice about itself, too.
    done = subprocess.run([venv / "bin/mkdocs", "build", "--strict", "--config-file", out / "mkdocs.yml"], text=True,
                          env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode != 0:
        sys.exit(f"FAILED: mkdocs says\n{done.stdout}")
    print(f"made {out / 'html/index.html'}")


if __name__ == "__main__":
    main()

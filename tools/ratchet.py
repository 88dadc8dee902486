# SPDX-License-Identifier: MPL-2.0
"""A file of counts that may only fall: {name: count} or {name: {name: count}}. What the file does not name counts as 0."""
import argparse
import json


def flat(counts):
    """{(name, ...): count} of the counts, without zeros."""
    found = {}
    for name, value in counts.items():
        if isinstance(value, dict):
            found |= {(name, *rest): count for rest, count in flat(value).items()}
        elif value:
            found[(name,)] = value
    return found


def compare(recorded, counts):
    """(worse, better) as lists of (name, recorded count, count)."""
    before, now = flat(recorded), flat(counts)
    changed = [(": ".join(name), before.get(name, 0), now.get(name, 0)) for name in sorted(before | now)]
    return [one for one in changed if one[2] > one[1]], [one for one in changed if one[2] < one[1]]


def load(path):
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def save(path, counts):
    path.write_text(json.dumps(counts, indent=2, sort_keys=True) + "\n", encoding="utf-8")


def hold(path, counts, script, update, accept):
    """Compares the counts with those of the file, says how they differ, and writes the file. Returns the exit code.

    update: writes better counts if none is worse. accept: writes the counts whatever they are.
    """
    worse, better = compare(load(path), counts)
    for name, before, now in worse:
        print(f"{'accepted' if accept else 'WORSE'}: {name}: {now}, recorded: {before}")
    for name, before, now in better:
        print(f"better: {name}: {now}, recorded: {before}")
    if accept or (update and not worse):
        save(path, counts)
        return 0
    if worse:
        print(f"{script} --show NAME lists the places. If a count has to rise, {script} --accept records it; the commit says why.")
        return 1
    if better:
        print(f"{script} --update records the better counts")
    return 0


def arguments(description, shown):
    """The command line of a script with such a file. `shown` names what --show lists."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--accept", action="store_true")
    parser.add_argument("--show", metavar=shown)
    parser.add_argument("--self-test", action="store_true")
    return parser.parse_args()

# SPDX-License-Identifier: MPL-2.0
"""Counts what the classes of src/ consist of, as libclang sees them.

All headers and the sources that define a class are parsed as one translation unit, without the bodies of functions. The
anonymous namespace of a source gets a name of its own there, since two sources may use one name in theirs.
"""
import collections
import dataclasses
import pathlib
import re
import subprocess

from clang import cindex

CLASSES = {cindex.CursorKind.CLASS_DECL, cindex.CursorKind.STRUCT_DECL, cindex.CursorKind.CLASS_TEMPLATE}
SCOPES = CLASSES | {cindex.CursorKind.NAMESPACE, cindex.CursorKind.LINKAGE_SPEC}
FUNCTIONS = {cindex.CursorKind.CXX_METHOD, cindex.CursorKind.FUNCTION_TEMPLATE, cindex.CursorKind.CONSTRUCTOR,
             cindex.CursorKind.DESTRUCTOR, cindex.CursorKind.CONVERSION_FUNCTION}
DEFINES_CLASS = re.compile(r"^\s*(?:class|struct)\s+(?:\w+\s+)?\w+[^;(){}]*\{", re.M)
ANONYMOUS = re.compile(r"\bnamespace\s*\{")


@dataclasses.dataclass
class Class:
    """One class definition. `usr` identifies it for its derived classes."""
    name: str
    place: str
    usr: str
    functions: int = 0
    fields: int = 0
    bools: int = 0
    public_fields: list = dataclasses.field(default_factory=list)
    friends: list = dataclasses.field(default_factory=list)
    bases: list = dataclasses.field(default_factory=list)
    pure: set = dataclasses.field(default_factory=set)
    overrides: set = dataclasses.field(default_factory=set)


class Unparsed(Exception):
    """libclang did not understand the sources, so that no count would be right."""


def note_member(of, member):
    kind = member.kind
    if kind in FUNCTIONS:
        if member.is_deleted_method() or member.is_default_method():
            return
        of.functions += 1
        signature = (member.spelling, len(list(member.get_arguments())), member.is_const_method())
        if kind != cindex.CursorKind.DESTRUCTOR:
            (of.pure if member.is_pure_virtual_method() else of.overrides).add(signature)
    elif kind == cindex.CursorKind.FIELD_DECL:
        of.fields += 1
        of.bools += member.type.get_canonical().spelling in ("bool", "std::atomic<bool>")
        is_mutable = not member.type.is_const_qualified() and "&" not in member.type.spelling
        if member.access_specifier == cindex.AccessSpecifier.PUBLIC and is_mutable:
            of.public_fields.append(member.spelling)
    elif kind == cindex.CursorKind.FRIEND_DECL:
        of.friends.append(f"{of.place.split(':')[0]}:{member.location.line}: friend of {of.name}")
    elif kind == cindex.CursorKind.CXX_BASE_SPECIFIER:
        base = member.referenced or member.type.get_declaration()
        of.bases.append(base.get_usr())


def classes_below(cursor, short_names, found):
    for child in cursor.get_children():
        if child.kind not in SCOPES:
            continue
        name = child.location.file and child.location.file.name
        if name and name not in short_names:
            continue
        if child.kind in CLASSES and child.is_definition():
            one = Class(child.spelling, f"{short_names[name]}:{child.location.line}", child.get_usr())
            for member in child.get_children():
                note_member(one, member)
            found.append(one)
        classes_below(child, short_names, found)


def unit_of(top, files):
    """The text that includes `files`, and the files that are changed for it, as (name, text)."""
    changed, lines = [], []
    for number, name in enumerate(files):
        text = (top / name).read_text(encoding="utf-8")
        if name.endswith(".cpp"):
            if not DEFINES_CLASS.search(text):
                continue
            changed.append((str(top / name), ANONYMOUS.sub(f"inline namespace file_{number} {{", text)))
        lines.append(f'#include "{name.split("/", 1)[1]}"\n')
    return "".join(lines), changed


def parse(top, folder="src"):
    """All classes of the folder. Throws Unparsed."""
    top = pathlib.Path(top).resolve()
    files = sorted(str(path.relative_to(top)) for pattern in ("*.hpp", "*.cpp") for path in (top / folder).rglob(pattern))
    files.sort(key=lambda name: name.endswith(".cpp"))
    short_names = {str(top / name): name for name in files}
    text, changed = unit_of(top, files)
    # libclang from PyPI comes without the compiler's own headers, as stddef.h.
    own = subprocess.run(["g++", "-print-file-name=include"], text=True, capture_output=True, check=True).stdout.strip()
    options = cindex.TranslationUnit.PARSE_SKIP_FUNCTION_BODIES | cindex.TranslationUnit.PARSE_INCOMPLETE
    unit = cindex.Index.create().parse("all_classes.cpp", options=options, unsaved_files=[("all_classes.cpp", text)] + changed,
                                       args=["-x", "c++", "-std=c++20", f"-I{top / folder}", f"-I{top}/include", "-isystem", own,
                                             "-ferror-limit=0", "-w"])
    errors = [str(one) for one in unit.diagnostics if one.severity == cindex.Diagnostic.Fatal or (
        one.severity == cindex.Diagnostic.Error and one.location.file and one.location.file.name.endswith(".hpp")
        and one.location.file.name in short_names)]
    if errors:
        raise Unparsed("\n".join(errors[:10]))
    found = []
    classes_below(unit.cursor, short_names, found)
    return found


def single_implementations(classes):
    """(abstract class, its only implementation or None) for the abstract classes with fewer than two."""
    by_usr = {one.usr: one for one in classes}
    derived = collections.defaultdict(list)
    for one in classes:
        for base in one.bases:
            derived[base].append(one)

    def open_functions(one):
        """Pure functions of the class that neither it nor a class between defines."""
        names = set(one.pure)
        for base in one.bases:
            if base in by_usr:
                names |= open_functions(by_usr[base])
        return names - one.overrides

    def implementations(one):
        below = []
        for child in derived[one.usr]:
            below += ([] if open_functions(child) else [child]) + implementations(child)
        return below

    for one in classes:
        if one.pure:
            found = {child.usr: child for child in implementations(one)}
            if len(found) < 2:
                yield one, next(iter(found.values()), None)

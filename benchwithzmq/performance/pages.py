# SPDX-License-Identifier: MPL-2.0
"""All files that are made from the stored series: written, drawn, or checked."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from performance import cells_page, page, readme
from performance.series import Series


def pictures_folder(root: Path) -> Path:
    return root / "docs" / page.PICTURES


def texts(root: Path, stored: Sequence[Series]) -> dict[Path, str]:
    """Every file that holds numbers, with the text it must have."""
    def pictures(start: str) -> list[str]:
        return sorted(path.name for path in pictures_folder(root).glob(f"{start}*"))

    made = {root / "docs" / "PERFORMANCE.md": page.to_markdown(stored, pictures)}
    for part, pattern in page.patterns_and_parts(stored):
        made[root / "docs" / "performance" / cells_page.page_name(part, pattern)] = cells_page.to_markdown(stored, part, pattern)
    for name in readme.LANGUAGES:
        made[root / name] = readme.with_block(name, (root / name).read_text(encoding="utf-8"), stored)
    return made


def outdated(root: Path, made: dict[Path, str]) -> list[Path]:
    """Pages of cells that no stored series has."""
    return sorted(path for path in (root / "docs" / "performance").glob("*/*.md") if path not in made)


def write(root: Path, stored: Sequence[Series]) -> int:
    """Returns the number of files."""
    made = texts(root, stored)
    for path in outdated(root, made):
        path.unlink()
    for path, text in made.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return len(made)


def problems(root: Path, stored: Sequence[Series]) -> list[str]:
    """A line for each file that is not what the stored series say."""
    made = texts(root, stored)
    found = [f"{path.relative_to(root)}: no stored series has these cells" for path in outdated(root, made)]
    for path, text in made.items():
        written = path.read_text(encoding="utf-8") if path.is_file() else ""
        if written != text:
            found.append(f"{path.relative_to(root)}:{first_difference(written, text)}: differs from the stored series")
    chart_names = [page.newcomer.picture(series) for series in stored if page.newcomer.PART in series.parts]
    found += [f"docs/{page.PICTURES}/{name} is missing" for name in chart_names
              if not (pictures_folder(root) / name).is_file()]
    return found


def first_difference(left: str, right: str) -> int:
    """The number of the first line that differs."""
    lines = zip([*left.splitlines(), None], [*right.splitlines(), None])
    return next((number for number, (one, other) in enumerate(lines, 1) if one != other), 1)

# SPDX-License-Identifier: MPL-2.0
"""Notebooks executed by nbconvert in real kernels: text, errors, displays, large output, input that is refused, a kernel that dies."""

import nbconvert.preprocessors
import nbformat.v4

import job

CELLS = {
    "text": "print('a'); import sys; print('b', file=sys.stderr); 6 * 7",
    "large": "print('x' * 3_000_000)",
    "many": "for i in range(3000): print(i)",
    "display": "from IPython.display import display, HTML; [display(HTML(str(i))) for i in range(50)]; None",
    "error": "1 / 0",
    "state": "value = 1\nvalue",
    "after": "value + 1",
    "thread": "import threading; t = threading.Thread(target=print, args=('from a thread',)); t.start(); t.join()",
    "child": "import subprocess; print(subprocess.run(['echo', 'child'], capture_output=True, text=True).stdout)",
    "async": "import asyncio; await asyncio.sleep(0.1); 'awaited'",
    "magic": "%who_ls int",
}


def shape(output):
    text = output.get("text") or str(output.get("data", "")) or output.get("ename", "")
    return f"{output.output_type} {text.strip()[:40]!r} {len(text)}"


def joined(outputs):
    """Streams come in pieces of any size: joined, they must be the same."""
    streams, others = {}, []
    for output in outputs:
        if output.output_type == "stream":
            streams[output.name] = streams.get(output.name, "") + output.text
        else:
            others.append(shape(output))
    return [f"{name} {len(text)} {text[:20]!r} {text[-20:]!r}" for name, text in sorted(streams.items())] + others[:3] + [str(len(others))]


def main():
    for turn in range(3):
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in CELLS.values()])
        nbconvert.preprocessors.ExecutePreprocessor(timeout=60, allow_errors=True, kernel_name="python3").preprocess(notebook)
        for name, cell in zip(CELLS, notebook.cells):
            job.case(f"{name} in kernel {turn}", "; ".join(joined(cell.outputs)).replace("\n", " "))
    dying = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("import os; os._exit(3)")])
    try:
        nbconvert.preprocessors.ExecutePreprocessor(timeout=60).preprocess(dying)
        job.case("kernel dies", "nobody noticed")
    except Exception as error:
        job.case("kernel dies", type(error).__name__)


main()

"""Run docs/guide/notebook.ipynb from top to bottom."""

from __future__ import annotations

import ast
import json

import pytest

from docs.conftest import Shell
from docs.markdown import ROOT

pytestmark = pytest.mark.any_version

# A notebook shows the last expression of a cell, as HTML if it has some.
SHOW = """
def show(value):
    if value is not None:
        print(value._repr_html_() if hasattr(value, "_repr_html_") else repr(value))
"""


def test_notebook(dsn: str, shell: Shell) -> None:
    notebook = json.loads((ROOT / "docs" / "guide" / "notebook.ipynb").read_text())
    assert notebook["nbformat"] == 4
    program = [SHOW]
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == []
            body = ast.parse("".join(cell["source"])).body
            if isinstance(body[-1], ast.Expr):
                body[-1] = ast.Expr(ast.Call(ast.Name("show", ast.Load()), [body[-1].value], []))
            program.append(ast.unparse(ast.fix_missing_locations(ast.Module(body, []))))
    shown = shell("python", "-W", "error", "-c", "\n".join(program)).stdout
    for piece in ("4 inserted", "<mark>", "<td>a3</td>", "<Axes: ", "full text #", "fusion"):
        assert piece in shown, (piece, shown)

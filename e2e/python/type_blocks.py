"""Types blocks of Python as in a notebook: a JSON list of them on standard input, a JSON list of what each showed on standard output."""

from __future__ import annotations

import ast
import contextlib
import io
import json
import sys
from typing import Any


def typed(block: str, names: dict[str, Any]) -> str:
    """What the block prints, and the value of its last expression."""
    printed = io.StringIO()
    body = ast.parse(block).body
    last = ast.Expression(body.pop().value) if body and isinstance(body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(body, []), "<block>", "exec"), names)
        value = None if last is None else eval(compile(last, "<block>", "eval"), names)
    return printed.getvalue() + ("" if value is None else repr(value))


names: dict[str, Any] = {"__name__": "__main__"}
json.dump([typed(block, names) for block in json.load(sys.stdin)], sys.stdout)

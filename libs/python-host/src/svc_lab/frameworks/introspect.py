"""Declarations of device functions, read from the signatures, type hints and docstrings of a driver."""

from __future__ import annotations

import enum
import inspect
import math
import re
import typing
from typing import Any, Callable

from ..functions import LARGEST_DECLARATIONS, declaration_size
from .construct import _DICTS, _LISTS, _UNIONS, Hint, hints_of, parameters_of

LONGEST_DESCRIPTION = 200
"""Characters of a description of a function or a parameter. All declarations of a device share 32 kB."""
_PLAIN: dict[Any, str] = {bool: "bool", str: "str", dict: "dict"}


class Described:
    """What a service can be told about a method of a driver."""

    def __init__(self, method: Callable[..., Any], is_named: Callable[[type], bool]) -> None:
        """`is_named` says of which classes the objects travel by name."""
        doc = inspect.getdoc(method) or ""
        first = " ".join(doc.split("\n\n", maxsplit=1)[0].split())[:LONGEST_DESCRIPTION] or None
        self.parameters = _parameters(method, doc, is_named)
        # A function without declared parameters still says what it takes.
        self.description = first
        if self.parameters is None:
            takes = ", ".join(each.name for each in parameters_of(method))
            self.description = f"Takes {takes}.{'' if first is None else f' {first}'}"[:LONGEST_DESCRIPTION]

    def shorten(self) -> None:
        """Leaves the descriptions of the parameters out."""
        for spec in (self.parameters or {}).values():
            spec.pop("desc", None)

    def size(self, name: str) -> int:
        declared = {"name": name, "kind": "idempotent", "timeout_s": 604_800, "description": self.description}
        return declaration_size({name: {**declared, "parameters": self.parameters}})


def shorten_to_fit(described: dict[str, Described]) -> None:
    """Leaves descriptions of parameters out until an agent keeps all declarations, longest first."""
    sizes = {name: each.size(name) for name, each in described.items()}
    for name in sorted(sizes, key=lambda each: -sizes[each]):
        if sum(sizes.values()) < LARGEST_DECLARATIONS * 0.9:
            return
        described[name].shorten()
        sizes[name] = described[name].size(name)


def _parameters(method: Callable[..., Any], doc: str, is_named: Callable[[type], bool]) -> dict[str, Any] | None:
    """Declarations by name; None: a parameter cannot be expressed, so nothing is declared."""
    hints = hints_of(method)
    texts = _texts_of_arguments(doc)
    declared: dict[str, Any] = {}
    for each in parameters_of(method):
        if each.kind is each.VAR_POSITIONAL or each.name.startswith("_"):
            return None
        if each.kind is each.VAR_KEYWORD:
            spec: dict[str, Any] | None = {"type": "dict", "optional": True, "desc": "Further arguments by name"}
        else:
            spec = spec_of(hints.get(each.name, each.annotation), is_named)
        if spec is None:
            return None
        if each.name in texts:
            spec["desc"] = texts[each.name]
        if each.kind is not each.VAR_KEYWORD and each.default is not each.empty:
            spec.update(_default(each.default, spec))
        declared[each.name] = spec
    return declared


def _default(value: Any, spec: dict[str, Any]) -> dict[str, Any]:
    if isinstance(value, enum.Enum):
        value = value.name
    kind = spec["type"]
    fits = {
        "bool": isinstance(value, bool),
        "int": isinstance(value, int) and not isinstance(value, bool),
        "float": isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value),
        "str": isinstance(value, str),
        "choice": value in spec.get("choices", ()),
    }
    return {"value": value} if fits.get(kind, False) else {"optional": True}


def spec_of(hint: Hint, is_named: Callable[[type], bool]) -> dict[str, Any] | None:
    """The declaration of a parameter with a type hint; None: the terms of `task.yml` cannot express it."""
    origin = typing.get_origin(hint)
    if origin in _UNIONS:
        options = [each for each in typing.get_args(hint) if each is not type(None)]
        if set(options) == {int, float}:
            options = [float]
        specs = [spec_of(each, is_named) for each in options]
        return specs[0] if specs and all(each == specs[0] for each in specs) else None
    if origin is typing.Literal:
        return {"type": "choice", "choices": list(typing.get_args(hint))}
    if origin in _LISTS:
        element = spec_of((typing.get_args(hint) or (Any,))[0], is_named)
        if element is None or element["type"] in ("list", "choice"):
            return None
        return {"type": "list", "element_type": element["type"]}
    if origin in _DICTS:
        return {"type": "dict"}
    if hint in (int, float):
        return {"type": "int" if hint is int else "float", "unit": "n/a"}
    if hint in _PLAIN:
        return {"type": _PLAIN[hint]}
    if not isinstance(hint, type) or hint is inspect.Parameter.empty:
        return None
    if issubclass(hint, enum.Enum):
        return {"type": "choice", "choices": [each.name for each in hint]}
    if is_named(hint):
        return {"type": "str"}
    return None if inspect.isabstract(hint) or hint.__module__ == "builtins" else {"type": "dict"}


def _texts_of_arguments(doc: str) -> dict[str, str]:
    """What the section `Args:` of a docstring says about each argument."""
    _, _, section = doc.partition("Args:\n")
    section = re.split(r"\n\S", section, maxsplit=1)[0]
    # A line that is indented further goes on with the text before it.
    found = re.findall(r"^( +)(\w+)(?: \([^)]*\))?: (.+(?:\n\1 +.+)*)", section, flags=re.MULTILINE)
    return {name: " ".join(text.split())[:LONGEST_DESCRIPTION] for _, name, text in found}

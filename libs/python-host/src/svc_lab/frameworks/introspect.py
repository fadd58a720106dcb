"""Declarations of device functions, read from the signatures, type hints and docstrings of a driver."""

from __future__ import annotations

import enum
import inspect
import math
import re
import typing
from collections.abc import Collection
from typing import Any, Callable

from ..functions import LARGEST_DECLARATIONS, declaration_size
from .construct import _DICTS, _LISTS, _UNIONS, Hint, hints_of, parameters_of

LONGEST_DESCRIPTION = 200
"""Characters of a description of a function or a parameter. All declarations of a device share 32 kB."""
_PLAIN: dict[Any, str] = {bool: "bool", str: "str", dict: "dict"}


class Described:
    """What a service can be told about something that a driver can do."""

    def __init__(self, description: str | None, parameters: dict[str, Any] | None, takes: str = "") -> None:
        """`parameters` has declarations by name; None: they cannot be expressed, and `takes` has the names.

        Raises nothing: a text that is too long is cut.
        """
        first = " ".join((description or "").split("\n\n", maxsplit=1)[0].split())
        self.parameters = parameters
        # A function without declared parameters still says what it takes.
        self.description = f"Takes {takes}. {first}".strip() if parameters is None else first
        self.description = self.description[:LONGEST_DESCRIPTION] or None

    @classmethod
    def of_method(cls, method: Callable[..., Any], is_named: Callable[[type], bool] = lambda _: False) -> Described:
        """`is_named` says of which classes the objects travel by name."""
        doc = inspect.getdoc(method) or ""
        takes = ", ".join(each.name for each in parameters_of(method))
        return cls(doc, _parameters(method, doc, is_named), takes)

    @classmethod
    def of_value(cls, description: str | None, spec: dict[str, Any] | None) -> Described:
        """A function that sets a value, which it takes as `value`."""
        return cls(description, None if spec is None else {"value": spec}, "value")

    def shorten(self) -> None:
        """Leaves the descriptions of the parameters out."""
        for spec in (self.parameters or {}).values():
            spec.pop("desc", None)

    def silence(self) -> None:
        """Leaves the description out too."""
        self.description = None

    def size(self, name: str) -> int:
        declared = {"name": name, "kind": "idempotent", "timeout_s": 604_800, "description": self.description}
        return declaration_size({name: {**declared, "parameters": self.parameters}})


def shorten_to_fit(described: dict[str, Described]) -> None:
    """Leaves descriptions out until an agent keeps all declarations: those of parameters, then those of functions, longest first.

    Raises ValueError when the declarations are too large without any description.
    """
    sizes = {name: each.size(name) for name, each in described.items()}
    for leave_out in (Described.shorten, Described.silence):
        for name in sorted(sizes, key=lambda each: -sizes[each]):
            if sum(sizes.values()) < LARGEST_DECLARATIONS * 0.9:
                return
            leave_out(described[name])
            sizes[name] = described[name].size(name)
    size = sum(sizes.values())
    if size > LARGEST_DECLARATIONS:
        raise ValueError(
            f"the instrument has {len(described)} functions, whose declarations take {size} bytes of JSON, and at most "
            f"{LARGEST_DECLARATIONS} are kept of a device: name those that you need in init_parameters.only, as in [get_*]"
        )


def methods_of(thing: Any, hidden: Collection[str] = ()) -> dict[str, Callable[..., Any]]:
    """The public methods of an object that its class defines, by name, without those for `with` statements and those in `hidden`."""
    kind = type(thing)
    return {
        name: getattr(thing, name)
        for name in dir(kind)
        if not name.startswith("_")
        and name not in hidden
        and inspect.isfunction(inspect.getattr_static(kind, name))
        and not _is_context(inspect.getattr_static(kind, name))
    }


def names_of(*classes: type) -> set[str]:
    """All names that classes and their bases define."""
    return {name for each in classes for name in dir(each)}


def needs_arguments(method: Callable[..., Any]) -> bool:
    return any(
        each.default is each.empty and each.kind not in (each.VAR_KEYWORD, each.VAR_POSITIONAL)
        for each in parameters_of(method)
    )


def _is_context(method: Callable[..., Any]) -> bool:
    """Whether a method is for `with` statements or loops, which a call cannot make."""
    inner = inspect.unwrap(method)
    return inspect.isgeneratorfunction(inner) or inspect.isasyncgenfunction(inner)


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
            spec = spec_of(hints.get(each.name, _annotation(each)), is_named)
        if spec is None:
            return None
        if each.name in texts:
            spec["desc"] = texts[each.name]
        if each.kind is not each.VAR_KEYWORD and each.default is not each.empty:
            spec.update(_default(each.default, spec))
        declared[each.name] = spec
    return declared


def _annotation(parameter: inspect.Parameter) -> Hint:
    """A parameter without a hint has the type of its default: a number may have a fraction."""
    if parameter.annotation is not parameter.empty:
        return parameter.annotation
    kind = type(parameter.default)
    return {bool: bool, str: str, int: float, float: float}.get(kind, parameter.empty)


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
    if hint is Any:
        # It is a class since Python 3.11.
        return None
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
    """What the section `Args:` of a docstring, or a line `:param name:`, says about each argument."""
    fields = re.findall(r"^ *:param (?:[\w.]+ )?(\w+): ?(.+(?:\n {2,}[^ :].*)*)", doc, flags=re.MULTILINE)
    _, _, section = doc.partition("Args:\n")
    section = re.split(r"\n\S", section, maxsplit=1)[0]
    # A line that is indented further goes on with the text before it.
    found = re.findall(r"^( +)(\w+)(?: \([^)]*\))?: (.+(?:\n\1 +.+)*)", section, flags=re.MULTILINE)
    texts = [*fields, *((name, text) for _, name, text in found)]
    return {name: " ".join(text.split())[:LONGEST_DESCRIPTION] for name, text in texts}

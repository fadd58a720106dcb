"""Values of instruments: how they travel, and the terms of `task.yml` for what they may be."""

from __future__ import annotations

import dataclasses
import datetime
import enum
import math
from collections.abc import Iterable, Mapping
from typing import Any, Callable

from ..parameters import LARGEST_INTEGER

Spec = dict

MOST_CHOICES = 64


def plain(value: Any, own: Callable[[Any], Any] = lambda value: value) -> Any:
    """A result of a driver as JSON: an enum as its name, NaN as None, an array as a list, bytes as hexadecimal digits.

    `own` replaces the objects of a framework and returns everything else as it is.
    """
    replaced = own(value)
    if replaced is not value:
        return plain(replaced, own)
    if isinstance(value, enum.Enum):
        return value.name
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, complex):
        return {"real": plain(value.real), "imaginary": plain(value.imag)}
    if isinstance(value, (bytes, bytearray)):
        return bytes(value).hex()
    if isinstance(value, Mapping):
        return {str(name): plain(each, own) for name, each in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(each, own) for each in value]
    if isinstance(value, (datetime.datetime, datetime.date)):
        return value.isoformat()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {each.name: plain(getattr(value, each.name), own) for each in dataclasses.fields(value)}
    to_list = getattr(value, "tolist", None)
    return plain(to_list(), own) if callable(to_list) and not isinstance(value, (type, memoryview)) else value


def number(kind: str, unit: str | None = None, lowest: Any = None, highest: Any = None) -> Spec:
    """A parameter of the type `int` or `float`. A bound that JSON cannot carry is no bound."""
    spec: Spec = {"type": kind, "unit": (unit or "").strip() or "n/a"}
    for key, bound in (("min", lowest), ("max", highest)):
        if bound is not None and math.isfinite(bound) and abs(bound) <= LARGEST_INTEGER:
            spec[key] = int(bound) if kind == "int" else _short(float(bound))
    return spec


def _short(bound: float) -> float | int:
    return int(bound) if bound.is_integer() and abs(bound) < 1e15 else bound


class Choices:
    """Values of which a parameter takes one. An enum travels as its name."""

    def __init__(self, values: Iterable[Any]) -> None:
        self._values: dict[Any, Any] = {}
        for value in values:
            shown = value.name if isinstance(value, enum.Enum) else plain(value)
            if not isinstance(shown, (str, int, float)):
                raise TypeError(f"{value!r} cannot be a choice")
            # `True` and 1 are different in JSON.
            self._values.setdefault((type(shown), shown), value)

    @property
    def spec(self) -> Spec:
        return {"type": "choice", "choices": [shown for _, shown in self._values]}

    def value(self, shown: Any) -> Any:
        """What the driver takes for a choice. Whatever is none stays as it is: the driver refuses it."""
        return self._values.get((type(shown), shown), shown) if isinstance(shown, (str, int, float)) else shown


class Taken:
    """What a driver takes for a value: its declaration, and how a value of JSON becomes one of the driver."""

    __slots__ = ("spec", "value")

    def __init__(self, spec: Spec | None = None, value: Callable[[Any], Any] = lambda value: value) -> None:
        """`spec` is None if the terms of `task.yml` cannot express it. Then the driver alone checks the value."""
        self.spec = spec
        self.value = value

    @classmethod
    def one_of(cls, values: Iterable[Any]) -> Taken:
        """Consecutive whole numbers are a range. Very many choices are not declared, because all declarations share 32 kB."""
        if isinstance(values, range) and abs(values.step) == 1 and len(values) > 0:
            return cls(number("int", None, min(values), max(values)))
        listed = list(values)
        try:
            choices = Choices(listed)
        except TypeError:
            return cls()
        return cls(choices.spec, choices.value) if 0 < len(listed) <= MOST_CHOICES else cls()

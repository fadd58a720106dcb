"""The properties of instruments of PyMeasure, and what they take.

`Instrument.control`, `measurement` and `setting` make properties whose functions have the validator and its values as defaults of
their parameters. A dynamic property has others in the object, under a name with a prefix.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from typing import Any, Callable

from .construct import hints_of
from .introspect import spec_of
from .values import Spec, Taken, number

_MADE_BY = "pymeasure.instruments.common_base"
_RANGES = ("strict_range", "strict_discrete_range", "truncated_range")
_SETS = ("strict_discrete_set", "truncated_discrete_set")


class InstrumentProperty:
    def __init__(self, name: str, prop: property) -> None:
        self.name = name
        self._prop = prop
        self.description = inspect.getdoc(prop) or inspect.getdoc(prop.fget) or ""
        reads, sets = _defaults(prop.fget), _defaults(prop.fset)
        self.is_readable = prop.fget is not None and (not _is_made(prop.fget) or reads.get("get_command") is not None)
        self.is_settable = prop.fset is not None and (not _is_made(prop.fset) or sets.get("set_command") is not None)

    def taken(self, part: Any) -> Taken:
        """What the property takes. A validator that changes a value in silence is declared as one that refuses it."""
        fset = self._prop.fset
        assert fset is not None
        if not _is_made(fset):
            return Taken(_hinted(fset))
        rules = {**_defaults(fset), **self._dynamic(part)}
        values, command = rules.get("values"), str(rules.get("set_command"))
        validator = getattr(rules.get("validator"), "__name__", "")
        if validator in _SETS or (rules.get("map_values") and values):
            return Taken.one_of(values or ())
        if validator in _RANGES:
            return Taken(_ranged(values, command))
        return Taken(_formatted(command) if validator == "<lambda>" else None)

    def _dynamic(self, part: Any) -> dict[str, Any]:
        prefix = f"{getattr(self._prop, 'prefix', '')}{self.name}_"
        is_dynamic = hasattr(self._prop, "fset_params_list")
        return {key[len(prefix) :]: value for key, value in vars(part).items() if is_dynamic and key.startswith(prefix)}


def properties_of(part: Any, inherited: type | None = None) -> Iterator[InstrumentProperty]:
    """The public properties of an instrument or a channel, without those that it has from the class `inherited`."""
    kind = type(part)
    for name in dir(kind):
        found = inspect.getattr_static(kind, name)
        is_own = inherited is None or found is not inspect.getattr_static(inherited, name, None)
        if isinstance(found, property) and is_own and not name.startswith("_"):
            yield InstrumentProperty(name, found)


def _is_made(function: Any) -> bool:
    return getattr(function, "__module__", "") == _MADE_BY


def _defaults(function: Any) -> dict[str, Any]:
    if function is None:
        return {}
    return {
        each.name: each.default
        for each in inspect.signature(function).parameters.values()
        if each.default is not each.empty
    }


def _hinted(fset: Callable[..., Any]) -> Spec | None:
    """A property that the author of the driver has written."""
    names = list(inspect.signature(fset).parameters)
    return spec_of(hints_of(fset).get(names[1], Any), lambda _: False) if len(names) > 1 else None


def _ranged(values: Any, command: str) -> Spec | None:
    try:
        bounds = list(values.keys()) if isinstance(values, Mapping) else list(values)
        return number(_number_type(command) or "float", None, min(bounds), max(bounds))
    except (TypeError, ValueError):
        return None


def _formatted(command: str) -> Spec | None:
    """A command such as `VOLT %g` takes a number, and one such as `DISP %s` says nothing."""
    kind = _number_type(command)
    return None if kind is None else number(kind)


def _number_type(command: str) -> str | None:
    found = re.findall(r"%[-+ #0]*[\d.*]*([diouxXeEfFgGcrsa])", command)
    if len(found) != 1:
        return None
    return "int" if found[0] in "diu" else "float" if found[0] in "eEfFgG" else None

"""The rules of declared parameters, which are those of `task.yml`."""

from __future__ import annotations

import json
import math
import re

# See device.py.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

LONGEST_TEXT = 500
"""Characters of a description."""
LARGEST_DECLARATION = 16_000
"""Bytes of the JSON of all parameters of a function."""
LARGEST_INTEGER = 2**53 - 1

_COMMON = ("type", "desc", "value", "optional", "secret")
_KEYS = {
    "int": (*_COMMON, "unit", "min", "max"),
    "float": (*_COMMON, "unit", "min", "max"),
    "str": _COMMON,
    "bool": _COMMON,
    "dict": _COMMON,
    "choice": (*_COMMON, "choices"),
    "list": (*_COMMON, "element_type", "length", "min", "max"),
}


def declaration_faults(description: object, parameters: object) -> list[str]:
    """All faults of a declaration, as sentences without a full stop."""
    faults: list[str] = []
    if description is not None and not _is_text(description):
        faults.append(f"description must be a text of at most {LONGEST_TEXT} characters")
    if parameters is None:
        return faults
    if not isinstance(parameters, dict):
        return [*faults, "parameters must be a dict of declarations by name"]
    for name, spec in parameters.items():
        if not isinstance(name, str) or re.fullmatch("[A-Za-z][A-Za-z0-9_]*", name) is None:
            faults.append(f"parameters.{name}: that is no parameter name")
        faults.extend(_spec_faults(f"parameters.{name}", spec))
    if faults:
        return faults
    size = len(json.dumps(parameters).encode())
    if size > LARGEST_DECLARATION:
        return [f"parameters are {size} bytes of JSON: at most {LARGEST_DECLARATION} are kept"]
    return []


def _spec_faults(path: str, spec: object) -> list[str]:
    if not isinstance(spec, dict):
        return [f"{path} must be a dict with a type"]
    kind = spec.get("type")
    keys = _KEYS.get(kind) if isinstance(kind, str) else None
    if keys is None:
        return [f"{path}.type is {_show(kind)}: it is one of {', '.join(_KEYS)}"]
    faults = [
        f"{path}.{key} means nothing for type {kind}: possible are {', '.join(keys)}" for key in spec if key not in keys
    ]

    def must(holds: bool, text: str) -> None:
        if not holds:
            faults.append(f"{path}{text}")

    must("desc" not in spec or _is_text(spec["desc"]), f".desc must be a text of at most {LONGEST_TEXT} characters")
    must(isinstance(spec.get("optional", False), bool), ".optional must be True or False")
    must(isinstance(spec.get("secret", False), bool), ".secret must be True or False")
    must(not (spec.get("optional") is True and "value" in spec), " has a default, so it is optional anyway: keep one")
    if kind in ("int", "float"):
        unit = spec.get("unit")
        must(
            isinstance(unit, str) and _is_text(unit) and unit.strip() != "",
            ".unit must be a unit; n/a when it has none",
        )
        faults.extend(_bound_faults(path, spec.get("min"), spec.get("max"), kind == "int"))
    if kind == "choice":
        choices = spec.get("choices")
        must(isinstance(choices, list) and len(choices) > 0, ".choices must be a list of at least one value")
        must(_is_json(choices), ".choices must be values that JSON can carry")
    if kind == "list":
        faults.extend(_list_faults(path, spec))
    if not faults and "value" in spec:
        faults.extend(_default_faults(path, spec, spec["value"]))
    return faults


def _bound_faults(path: str, lowest: object, highest: object, whole: bool) -> list[str]:
    faults = [
        f"{path}.{key} is {_show(bound)}: it must be {'an integer' if whole else 'a finite number'}"
        for key, bound in (("min", lowest), ("max", highest))
        if bound is not None and not _fits("int" if whole else "float", bound)
    ]
    both = isinstance(lowest, (int, float)) and isinstance(highest, (int, float))
    if not faults and both and lowest > highest:  # type: ignore[operator]
        faults.append(f"{path}.min is {lowest}, above the maximum {highest}")
    return faults


def _list_faults(path: str, spec: Mapping[str, Any]) -> list[str]:
    element, length = spec.get("element_type"), spec.get("length")
    elements = [kind for kind in _KEYS if kind != "list"]
    if element not in elements:
        return [f"{path}.element_type is {_show(element)}: it is one of {', '.join(elements)}"]
    if length is not None and not (_fits("int", length) and length >= 0):
        return [f"{path}.length is {_show(length)}: it must be a whole number from 0 on"]
    faults: list[str] = []
    for key in ("min", "max"):
        bounds = spec.get(key)
        if bounds is None:
            continue
        if element not in ("int", "float"):
            faults.append(f"{path}.{key}: a {element} has no bounds")
        elif not isinstance(bounds, list) or len(bounds) != length:
            faults.append(f'{path}.{key} must be a list of one bound per element, with "length" beside it')
    if faults:
        return faults
    lowest, highest = spec.get("min"), spec.get("max")
    return [
        fault
        for index in range(len(lowest or highest or []))
        for fault in _bound_faults(f"{path}[{index}]", _at(lowest, index), _at(highest, index), element == "int")
    ]


def _default_faults(path: str, spec: Mapping[str, Any], value: object) -> list[str]:
    kind = spec["type"]
    if not _is_json(value):
        wanted = "a value that JSON can carry"
    elif kind == "choice":
        wanted = "" if value in spec["choices"] else "one of the choices"
    elif kind != "list":
        fits = _fits(kind, value, spec.get("min"), spec.get("max"))
        wanted = "" if fits else f"of type {kind} and within the bounds"
    else:
        element, length = spec["element_type"], spec.get("length")
        right = (
            isinstance(value, list)
            and length in (None, len(value))
            and all(
                _fits(element, each, _at(spec.get("min"), index), _at(spec.get("max"), index))
                for index, each in enumerate(value)
            )
        )
        wanted = "" if right else f"a list of {element} that keeps the length and the bounds"
    return [f"{path}.value is {_show(value)}: it must be {wanted}"] if wanted else []


def _fits(kind: str, value: Any, lowest: Any = None, highest: Any = None) -> bool:
    if kind in ("int", "float"):
        if isinstance(value, bool) or not isinstance(value, int if kind == "int" else (int, float)):
            return False
        if not math.isfinite(value) or (isinstance(value, int) and abs(value) > LARGEST_INTEGER):
            return False
        return (lowest is None or value >= lowest) and (highest is None or value <= highest)
    plain = {"str": str, "bool": bool, "dict": dict}.get(kind)
    return plain is None or isinstance(value, plain)


def _is_json(value: object, depth: int = 0) -> bool:
    if depth > 64:
        return False
    if value is None or isinstance(value, (bool, str)):
        return True
    if isinstance(value, (int, float)):
        return _fits("float", value)
    if isinstance(value, list):
        return all(_is_json(each, depth + 1) for each in value)
    return isinstance(value, dict) and all(
        isinstance(key, str) and _is_json(each, depth + 1) for key, each in value.items()
    )


def _is_text(value: object) -> bool:
    return isinstance(value, str) and len(value) <= LONGEST_TEXT


def _at(bounds: list[Any] | None, index: int) -> Any:
    return bounds[index] if bounds is not None and index < len(bounds) else None


def _show(value: object) -> str:
    if value is None:
        return "missing"
    return "a dict or list" if isinstance(value, (dict, list)) else str(value)[:60]

"""Copies of the author's values that JSON can carry."""

from __future__ import annotations

import json
import math

from ..parameters import LARGEST_INTEGER

# See ../device.py.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MAX_VALUE_BYTES = 250_000
"""Largest value that author code gets or returns, in bytes of JSON. With its envelope it fills a message."""
MAX_DEPTH = 64

_encode = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":")).encode


class NotJson(TypeError):
    """Author code returned a value that cannot be sent. The message says where it is and what to return instead."""


def to_json(value: object, where: str, *, storable: bool = False, most: int | None = MAX_VALUE_BYTES) -> Any:
    """Copies a value as JSON. `where` names it for the author, for example `the result of mix`.

    Numbers and arrays of numpy become plain ones: whatever has `tolist()` is replaced by its result. `storable` refuses
    characters that a database cannot store. `most` is the largest size in bytes; None: any.

    Raises NotJson for anything else that is no JSON, for integers that other programs would round, and for a value that
    contains itself, is nested too deep, or is too large.
    """
    copy = _copy_of(value, where, (), storable)
    if most is not None:
        check_size(copy, where)
    return copy


def to_json_object(value: object, where: str, *, storable: bool = False) -> dict[str, Any]:
    """As `to_json`, for a value that must be a dict."""
    if not isinstance(value, dict):
        raise NotJson(f"{where} must be a dict, not {kind_of(value)}")
    return to_json(value, where, storable=storable)


def check_size(value: object, where: str) -> None:
    if value is None or isinstance(value, (bool, int, float)):
        return
    size = len(_encode(value).encode("utf-8", "surrogatepass"))
    if size > MAX_VALUE_BYTES:
        raise NotJson(
            f"{where} is {size} bytes of JSON, more than the {MAX_VALUE_BYTES} that fit: return large data of a task as a file"
        )


def _copy_of(value: Any, where: str, above: tuple[int, ...], storable: bool) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        if storable:
            _check_storable(value, where)
        return str.__str__(value)
    if isinstance(value, int):
        if abs(value) > LARGEST_INTEGER:
            raise NotJson(
                f"{where} is {int(value)}, an integer beyond 2**53 that other programs round: return it as a string or a float"
            )
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise NotJson(f"{where} is {float(value)}, which JSON cannot carry: use a finite number or None")
        return float(value)
    if id(value) in above:
        raise NotJson(f"{where} contains itself: return data without circles")
    if len(above) >= MAX_DEPTH:
        raise NotJson(f"{where} is nested deeper than {MAX_DEPTH} levels")
    path = (*above, id(value))
    if isinstance(value, dict):
        return _copy_of_dict(value, where, path, storable)
    if isinstance(value, (list, tuple)):
        return [_copy_of(each, f"{where}[{index}]", path, storable) for index, each in enumerate(value)]
    to_list = getattr(value, "tolist", None)
    if callable(to_list) and not isinstance(value, (type, memoryview)):
        return _copy_of(to_list(), where, path, storable)
    raise NotJson(f"{where} is {kind_of(value)}: make it a dict, list, string or number")


def _copy_of_dict(value: dict[Any, Any], where: str, path: tuple[int, ...], storable: bool) -> dict[str, Any]:
    copy: dict[str, Any] = {}
    for key, element in value.items():
        if not isinstance(key, str):
            raise NotJson(f"{where} has the key {key!r}: the keys must be strings")
        if key == "__proto__":
            raise NotJson(f"{where} has a property named __proto__: choose another name")
        if storable:
            _check_storable(key, f"a property name in {where}")
        copy[str.__str__(key)] = _copy_of(element, f"{where}.{key}", path, storable)
    return copy


def _check_storable(text: str, where: str) -> None:
    if "\0" in text:
        raise NotJson(f"{where} holds the character U+0000, which cannot be stored: remove it")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise NotJson(f"{where} holds half a surrogate pair, which cannot be stored: remove it") from None


def kind_of(value: object) -> str:
    """Describes a value for error messages."""
    if value is None:
        return "None"
    if isinstance(value, (list, tuple)):
        return f"a {type(value).__name__} of {len(value)}"
    if isinstance(value, dict):
        return "a dict"
    name = type(value).__name__
    return (
        f"{'an' if name[0] in 'aeiou' else 'a'} {name}" if type(value).__module__ == "builtins" else f"a {name} object"
    )

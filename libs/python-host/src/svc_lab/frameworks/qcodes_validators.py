"""The validators of QCoDeS in the terms of `task.yml`."""

from __future__ import annotations

from typing import Any

from .values import Taken, number


def taken_by(validator: Any, unit: str | None = None) -> Taken:
    """What a parameter with a validator takes. None: it has no validator."""
    from qcodes import validators  # type: ignore[import-not-found]

    if isinstance(validator, (validators.MultiType, validators.MultiTypeOr)):
        return _of_several(validator, unit)
    if isinstance(validator, validators.Bool):
        return Taken({"type": "bool"})
    if isinstance(validator, validators.Ints):
        return Taken(number("int", unit, validator._min_value, validator._max_value))
    if isinstance(validator, validators.Numbers):
        return Taken(number("float", unit, validator._min_value, validator._max_value))
    if isinstance(validator, validators.Strings):
        return Taken({"type": "str"})
    if isinstance(validator, (validators.Enum, validators.OnOff)):
        return _of_choices(validator)
    if isinstance(validator, validators.Arrays):
        return _of_array(validator)
    if isinstance(validator, (validators.Lists, validators.Sequence)):
        return _of_list(validator, unit)
    return Taken({"type": "dict"} if isinstance(validator, validators.Dict) else None)


def _of_choices(validator: Any) -> Taken:
    # OnOff keeps an Enum inside.
    inner = getattr(validator, "_validator", validator)
    values = getattr(inner, "_values", ())
    # The examples have the order of the driver.
    ordered = [each for each in getattr(inner, "_valid_values", ()) if each in values]
    return Taken.one_of([*ordered, *(each for each in values if each not in ordered)])


def _of_several(validator: Any, unit: str | None) -> Taken:
    """A number or nothing is a number. Other alternatives are expressed only if they are the same."""
    if getattr(validator, "_combiner", "OR") != "OR":
        return Taken()
    options = [each for each in validator._validators if getattr(each, "_values", None) != {None}]
    taken = [taken_by(each, unit) for each in options]
    return taken[0] if taken and all(each.spec == taken[0].spec for each in taken) else Taken()


def _of_array(validator: Any) -> Taken:
    import numpy  # type: ignore[import-not-found]

    shape = getattr(validator, "_shape", None)
    if shape is not None and len(shape) != 1:
        return Taken()
    return Taken({"type": "list", "element_type": "float"}, numpy.asarray)


def _of_list(validator: Any, unit: str | None) -> Taken:
    element = taken_by(getattr(validator, "_elt_validator", None), unit).spec
    if element is None or element["type"] in ("list", "choice"):
        return Taken()
    return Taken({"type": "list", "element_type": element["type"]})

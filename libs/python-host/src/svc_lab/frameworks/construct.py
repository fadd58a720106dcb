"""Objects that a definition describes: `{class: ..., arguments: {...}}`, and values in the types that a signature asks for."""

from __future__ import annotations

import collections.abc
import enum
import importlib
import importlib.util
import inspect
import sys
import types
import typing
from typing import Any, Callable, Optional

Hint = Any
Finder = Callable[[str, Hint], Optional[list]]
"""Finds the objects of the framework that a text names, for example wells; None: the text names none of that type."""

_UNIONS = (typing.Union, getattr(types, "UnionType", typing.Union))
_LISTS = (list, tuple, collections.abc.Sequence, collections.abc.Iterable)
_DICTS = (dict, collections.abc.Mapping)


def load(path: object, framework: str) -> Any:
    """The class or function that a dotted path names, such as `pylabrobot.pumps.Pump`.

    `framework` is the package of PyPI with the classes of the framework, for the error. Raises ValueError and ModuleNotFoundError,
    in one sentence.
    """
    if not isinstance(path, str) or "." not in path:
        raise ValueError(f"class is {path!r}: it is the path of a class, as in {framework}.module.Class")
    parts = path.split(".")
    for length in range(len(parts) - 1, 0, -1):
        module = ".".join(parts[:length])
        try:
            found: Any = importlib.import_module(module)
        except ModuleNotFoundError as error:
            if error.name == module and length > 1:
                continue
            raise ModuleNotFoundError(_missing(path, error.name or module), name=error.name) from None
        for part in parts[length:]:
            if not hasattr(found, part):
                raise ValueError(f"class is {path}: {module} has no {'.'.join(parts[length:])}")
            found = getattr(found, part)
        if not callable(found):
            raise ValueError(f"class is {path}: that is no class and no function")
        return found
    raise ValueError(f"class is {path}: there is no such module")


def _missing(path: str, module: str) -> str:
    return (
        f"{path} needs the package {module.split('.', maxsplit=1)[0]}, which {sys.executable} does not have: install it, "
        "or let SVC_PYTHON name a Python that has it"
    )


def demand(module: str, package: str, wanted_by: str) -> None:
    """Raises ModuleNotFoundError in one sentence if there is no module, which a package of PyPI has."""
    if importlib.util.find_spec(module) is None:
        raise ModuleNotFoundError(_missing(wanted_by, package), name=module)


def built(value: Any, where: str, make: Callable[[dict, str], Any]) -> Any:
    """A value in which `make` has made each object that `{class: ..., arguments: {...}}` describes, the inner ones first."""
    if isinstance(value, list):
        return [built(each, f"{where}[{index}]", make) for index, each in enumerate(value)]
    if not isinstance(value, dict):
        return value
    if "class" in value:
        return make(value, where)
    return {name: built(each, f"{where}.{name}", make) for name, each in value.items()}


def hints_of(function: Callable[..., Any]) -> dict[str, Hint]:
    """The annotations of a function or of the constructor of a class, as far as they can be resolved."""
    function = function.__init__ if isinstance(function, type) else function
    try:
        return typing.get_type_hints(function)
    except Exception:
        # An annotation may name what only type checkers import.
        return {}


def parameters_of(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """The parameters that a caller gives."""
    if isinstance(function, type) and type(function).__call__ is not type.__call__:
        # Its metaclass passes all arguments on.
        return list(inspect.signature(function.__init__).parameters.values())[1:]
    return list(inspect.signature(function).parameters.values())


def takes(function: Callable[..., Any], name: str) -> bool:
    """Whether a function has a parameter of that name, or takes any name."""
    return any(each.name == name or each.kind is each.VAR_KEYWORD for each in parameters_of(function))


class Converter:
    """Turns JSON into what a signature asks for."""

    def __init__(self, find: Finder = lambda text, hint: None) -> None:
        self._find = find

    def make(self, found: Callable[..., Any], given: dict[str, Any], framework: str, where: str) -> Any:
        """Calls a class with arguments in which objects are described by `{class: ..., arguments: {...}}`."""

        def part(spec: dict[str, Any], at: str) -> Any:
            return self.make(load(spec["class"], framework), spec.get("arguments", {}), framework, f"{at}.arguments")

        return found(**self.arguments(found, built(given, where, part)))

    def arguments(self, function: Callable[..., Any], given: dict[str, Any]) -> dict[str, Any]:
        """The arguments of a call. Raises ValueError and TypeError that name the argument."""
        hints = hints_of(function)
        known = {each.name: each for each in parameters_of(function)}
        open_names = [name for name, each in known.items() if each.kind is each.VAR_KEYWORD]
        # Further arguments travel in a dict with the name of `**kwargs`.
        further: dict[str, Any] = {}
        for name in open_names:
            further.update(given.get(name) or {})
        converted = {
            name: self.value(value, hints.get(name, Any), name)
            for name, value in given.items()
            if name not in open_names
        }
        unknown = [name for name in converted if name not in known]
        if unknown and not open_names:
            takes = ", ".join(known) or "nothing"
            raise TypeError(f"{getattr(function, '__name__', 'it')} takes no {', '.join(unknown)}; it takes: {takes}")
        return {**converted, **further}

    def value(self, value: Any, hint: Hint, where: str) -> Any:
        """Converts one value. A value that no type asks for stays as it is."""
        origin = typing.get_origin(hint)
        if value is None or hint in (Any, inspect.Parameter.empty):
            return value
        if origin in _UNIONS:
            return self._of_union(value, typing.get_args(hint), where)
        if origin is typing.Literal:
            return value
        if origin in _LISTS and isinstance(value, list):
            elements = typing.get_args(hint) or (Any,)
            return self._of_list(value, elements[0], where)
        if origin in _DICTS and isinstance(value, dict):
            keys, values = typing.get_args(hint) or (Any, Any)
            return {_key(key, keys): self.value(each, values, f"{where}.{key}") for key, each in value.items()}
        if isinstance(hint, type):
            return self._of_class(value, hint, where)
        return value

    def _of_class(self, value: Any, hint: type, where: str) -> Any:
        if isinstance(value, hint):
            return value
        if issubclass(hint, enum.Enum):
            return _member(value, hint, where)
        if isinstance(value, str):
            found = self._find(value, hint)
            if found is None or hint is str:
                return value
            if len(found) != 1:
                raise ValueError(f"{where} is {value}: that names {len(found)} objects, and one is wanted")
            return found[0]
        if hint is float and isinstance(value, int):
            return float(value)
        if isinstance(value, dict) and hint.__module__ != "builtins" and not inspect.isabstract(hint):
            if "class" in value:
                return value
            return hint(**self.arguments(hint, value))
        return value

    def _of_list(self, values: list[Any], element: Hint, where: str) -> list[Any]:
        result: list[Any] = []
        for index, each in enumerate(values):
            found = self._found(each, element)
            # `plate[A1:H1]` names several wells.
            result.extend(found if found is not None else [self.value(each, element, f"{where}[{index}]")])
        return result

    def _found(self, value: Any, hint: Hint) -> list[Any] | None:
        if not isinstance(value, str):
            return None
        options = typing.get_args(hint) if typing.get_origin(hint) in _UNIONS else (hint,)
        for each in options:
            found = self._find(value, each) if isinstance(each, type) and each is not str else None
            if found is not None:
                return found
        return None

    def _of_union(self, value: Any, options: tuple[Hint, ...], where: str) -> Any:
        found = self._found(value, typing.Union[options])
        if found is not None and len(found) == 1:
            return found[0]
        fault: Exception | None = None
        for option in options:
            try:
                converted = self.value(value, option, where)
            except (TypeError, ValueError) as error:
                fault = error
                continue
            if _is_of(converted, option):
                return converted
        if fault is not None:
            raise fault
        return value


def _is_of(value: Any, hint: Hint) -> bool:
    origin = typing.get_origin(hint)
    if hint is Any:
        return True
    if origin is typing.Literal:
        return value in typing.get_args(hint)
    if origin in _LISTS:
        elements = typing.get_args(hint) or (Any,)
        return isinstance(value, (list, tuple)) and all(_is_of(each, elements[0]) for each in value)
    if origin in _UNIONS:
        return any(_is_of(value, each) for each in typing.get_args(hint))
    plain = origin or hint
    return isinstance(plain, type) and isinstance(value, plain)


def _key(key: str, hint: Hint) -> Any:
    """JSON has only texts as keys."""
    return int(key) if hint is int and isinstance(key, str) and key.lstrip("-").isdigit() else key


def _member(value: Any, hint: type[enum.Enum], where: str) -> enum.Enum:
    for each in hint:
        if value in (each.name, each.value):
            return each
    raise ValueError(f"{where} is {value!r}: it is one of {', '.join(each.name for each in hint)}")

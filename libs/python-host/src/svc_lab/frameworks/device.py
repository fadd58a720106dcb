"""What the devices of all frameworks have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Callable

from ..device import BaseDevice
from ..functions import effect, idempotent, query
from .introspect import Described, shorten_to_fit

_KINDS = {"effect": effect, "idempotent": idempotent, "query": query}
COMMON_SETTINGS = ("class", "arguments", "simulate", "queries", "idempotent", "timeouts")


class FrameworkDevice(BaseDevice):
    """A device whose functions are the public methods of an object of a framework.

    A subclass makes the object in `_initialize` and says how values travel. The init parameters `queries` and `idempotent` are
    lists of functions; every other function is an effect. `timeouts` has seconds by function.
    """

    _settings: Mapping[str, Any]

    def _read_settings(self, parameters: Mapping[str, Any], known: tuple[str, ...] = ()) -> None:
        """Raises ValueError that names what is wrong with the init parameters."""
        known = (*COMMON_SETTINGS, *known)
        unknown = [name for name in parameters if name not in known]
        if unknown:
            raise ValueError(
                f"init_parameters has {', '.join(unknown)}, which means nothing here: possible are {', '.join(known)}"
            )
        if not parameters.get("class"):
            raise ValueError("init_parameters has no class: name the class of the instrument")
        for name, kind, what in (
            ("arguments", dict, "arguments by name"),
            ("queries", list, "a list of functions"),
            ("idempotent", list, "a list of functions"),
            ("timeouts", dict, "seconds by function"),
        ):
            if not isinstance(parameters.get(name, kind()), kind):
                raise ValueError(f"init_parameters.{name} must be {what}")
        if not isinstance(parameters.get("simulate"), (bool, dict, type(None))):
            raise ValueError("init_parameters.simulate must be true, false, or the class and arguments of a simulator")
        self._settings = parameters

    def _methods(self) -> Mapping[str, Callable[..., Any]]:
        """The methods of the driver that are functions of the device, by name, with their signatures and docstrings."""
        raise NotImplementedError

    def _caller(self, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        """A function that takes and returns JSON and calls a method of the driver. Plain or `async`."""
        raise NotImplementedError

    def _is_named(self, hint: type) -> bool:
        """Whether objects of a class travel as texts."""
        raise NotImplementedError

    def _kind(self, name: str) -> str:
        """The kind of a function that the init parameters do not list."""
        return "effect"

    def _svc_functions(self) -> dict[str, Callable[..., Any]]:
        methods = self._methods()
        described = {name: Described(method, self._is_named) for name, method in methods.items()}
        shorten_to_fit(described)
        self._check_lists(methods)
        functions: dict[str, Callable[..., Any]] = {}
        for name, method in methods.items():
            declare = _KINDS[self._kind_of(name)]
            about = described[name]
            call = self._caller(name, method)
            call.__name__ = name
            timeout = self._settings.get("timeouts", {}).get(name)
            functions[name] = declare(timeout=timeout, description=about.description, parameters=about.parameters)(call)
        return functions

    def _kind_of(self, name: str) -> str:
        if name in self._settings.get("queries", []):
            return "query"
        return "idempotent" if name in self._settings.get("idempotent", []) else self._kind(name)

    def _check_lists(self, methods: Mapping[str, Any]) -> None:
        for setting in ("queries", "idempotent", "timeouts"):
            unknown = [str(name) for name in self._settings.get(setting, []) if name not in methods]
            if unknown:
                raise ValueError(
                    f"init_parameters.{setting} names {', '.join(unknown)}, which {self._settings['class']} does not have; "
                    f"it has: {', '.join(methods) or 'no functions'}"
                )

"""The decorators of device functions, and the declarations that a class makes with them."""

from __future__ import annotations

import contextvars
import json
import re
import types

from .parameters import LONGEST_TEXT, declaration_faults

# See device.py.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Protocol, TypeVar, overload

    from .device import BaseDevice

    Method = TypeVar("Method", bound=Callable[..., Any])
    Parameters = Mapping[str, Mapping[str, Any]]

    class Decorator(Protocol):
        @overload
        def __call__(self, method: Method, /) -> Method: ...
        @overload
        def __call__(
            self,
            *,
            timeout: float | None = None,
            description: str | None = None,
            parameters: Parameters | None = None,
            beside: bool = False,
        ) -> Callable[[Method], Method]: ...


CALL_ID: contextvars.ContextVar[str | None] = contextvars.ContextVar("svc_call_id", default=None)
"""Id of the call that the running code serves."""

LONGEST_TIMEOUT_S = 604_800
LARGEST_DECLARATIONS = 32_000
"""Largest declaration of a device in bytes. It is limited because every heartbeat of the agent contains it."""

_MARK = "_svc_function"
_CODE_WITH_KEYWORDS = 0x08


def _decorator(kind: str) -> Decorator:
    def declare(
        method: Any = None,
        /,
        *,
        timeout: float | None = None,
        description: str | None = None,
        parameters: Parameters | None = None,
        beside: bool = False,
    ) -> Any:
        def mark(function: Any) -> Any:
            name = getattr(function, "__name__", "")
            if not isinstance(function, types.FunctionType) or name.startswith("_"):
                raise TypeError(
                    f"@{kind} cannot stand on {name or repr(function)}: "
                    "a device function is a method whose name does not begin with _"
                )
            if hasattr(function, _MARK):
                raise TypeError(f"{name} is declared twice: keep one of the decorators")
            faults = _faults(function, timeout, description, parameters)
            if beside and kind != "idempotent":
                faults.append("only an idempotent function can run beside an effect; a query always does")
            if faults:
                raise TypeError(f"@{kind} on {name}: {'; '.join(faults)}")
            setattr(function, _MARK, (kind, timeout, description, parameters, beside))
            return function

        return mark if method is None else mark(method)

    return declare


def _faults(
    function: types.FunctionType, timeout: object, description: object, parameters: Parameters | None
) -> list[str]:
    faults: list[str] = []
    if timeout is not None and not (
        isinstance(timeout, (int, float)) and not isinstance(timeout, bool) and 0 < timeout <= LONGEST_TIMEOUT_S
    ):
        faults.append(f"timeout is {timeout!r}: it is a number of seconds, more than 0 and at most {LONGEST_TIMEOUT_S}")
    faults.extend(declaration_faults(description, parameters))
    if faults or parameters is None:
        return faults
    code = function.__code__
    # The first parameter of a method is the device. A function that a device adds has no such parameter.
    first = 1 if code.co_argcount > 0 and code.co_varnames[0] not in parameters else 0
    taken = code.co_varnames[first : code.co_argcount + code.co_kwonlyargcount]
    if not code.co_flags & _CODE_WITH_KEYWORDS:
        faults.extend(f"parameters.{name}: the method does not take it" for name in parameters if name not in taken)
    optional = len(function.__defaults__ or ())
    positional = code.co_varnames[first : code.co_argcount - optional]
    keyword = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    needed = [*positional, *(name for name in keyword if name not in (function.__kwdefaults__ or {}))]
    for name in needed:
        if name not in parameters:
            faults.append(f"the method takes {name}, which the parameters do not declare")
        elif parameters[name].get("optional") is True:
            faults.append(f"parameters.{name} is optional: give it a default in the method")
    return faults


effect = _decorator("effect")
"""Declares a method that changes the physical world: it moves, doses, heats or writes.

The service sends each call at most once, and runs one effect at a time per device. Write `@effect`, or
`@effect(timeout=900, description="...", parameters={...})`. `timeout` is the longest duration of a call in seconds, at most a
week; without it, the setting of the agent applies, 60 s. `parameters` has the terms of `task.yml`; the service checks them
before each call. Raises TypeError when the class is defined.
"""

idempotent = _decorator("idempotent")
"""Declares a method of which two calls have the same result as one, such as to set a temperature. See `effect`.

With `beside=True` a call runs at once, also beside an effect in progress, as a button for a pause must.
"""

query = _decorator("query")
"""Declares a method that only reads. It runs at once, also while an effect is in progress. See `effect`."""


def declared_functions(
    device_class: type[BaseDevice], added: Mapping[str, Callable[..., Any]] | None = None
) -> dict[str, dict[str, Any]]:
    """The functions of a device class by name, as the agent gets them.

    `added` are those of `BaseDevice._svc_functions`. A method without a decorator is an effect. Raises TypeError when a name of
    `added` is none, or when all declarations together are too large.
    """
    methods = device_class._svc_methods()
    for name in added or {}:
        if not isinstance(name, str) or re.fullmatch("[A-Za-z][A-Za-z0-9_]*", name) is None:
            raise TypeError(f"_svc_functions returned the name {name!r}: a name has letters, digits and _")
    found = {name: _declaration(name, method) for name, method in {**methods, **(added or {})}.items()}
    for each in found.values():
        if device_class._svc_timeout_s is not None and each["kind"] != "query":
            each.setdefault("timeout_s", device_class._svc_timeout_s)
    if device_class._svc_by_position:
        for name, method in methods.items():
            if names := _names_by_position(method):
                found[name]["positional"] = names
    size = declaration_size(found)
    if size > LARGEST_DECLARATIONS:
        raise TypeError(
            f"the functions are declared with {size} bytes of JSON: at most {LARGEST_DECLARATIONS} are kept of a device, "
            "so shorten the descriptions"
        )
    return found


def _names_by_position(method: Any) -> list[str]:
    """The names of the parameters that a caller may give without a name, in their order."""
    takes_self = not isinstance(method, staticmethod)
    function = getattr(method, "__func__", method)
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    return list(function.__code__.co_varnames[int(takes_self) : function.__code__.co_argcount])


def declaration_size(functions: Mapping[str, Mapping[str, Any]]) -> int:
    """Bytes of the JSON of what `declared_functions` returns."""
    return len(json.dumps(list(functions.values())).encode())


def _declaration(name: str, method: Any) -> dict[str, Any]:
    kind, timeout, description, parameters, beside = getattr(method, _MARK, ("effect", None, None, None, False))
    if description is None:
        description = (method.__doc__ or "").strip().split("\n")[0][:LONGEST_TEXT] or None
    declared: dict[str, Any] = {"name": name, "kind": kind}
    if timeout is not None:
        declared["timeout_s"] = timeout
    if description is not None:
        declared["description"] = description
    if beside:
        declared["beside"] = True
    if parameters is not None:
        declared["parameters"] = parameters
    return declared

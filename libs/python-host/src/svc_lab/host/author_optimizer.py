"""The optimizer of an `optimizer.py`: how it is made, and its names and settings. As `libs/sdk/src/hosts/author-optimizer.ts`."""

from __future__ import annotations

import copy
import inspect
import json

from ..domain import Declaration, Domain, Invalid, fault
from ..optimizer import AbstractSequentialOptimizer
from .author_error import message_of
from .json_values import NotJson, kind_of, to_json, to_json_object
from .package_code import PackageCode, module_of, need_of
from .tables import to_frame, to_rows

# See ../device.py.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from ..domain import Fault
    from .worker_calls import WorkerCalls

FACTORY = "svc_create_campaign_optimizer"
EOS_FACTORY = "eos_create_campaign_optimizer"
METHODS = (
    "sample",
    "report",
    "get_optimal_solutions",
    "get_input_names",
    "get_output_names",
    "get_num_samples_reported",
)
DOMAIN_KEYS = ("inputs", "outputs", "constraints")
"""Constructor arguments that define the search domain. Every optimizer may have them."""
FIELD_TYPES = ("checkbox", "number", "text", "select")


class AuthorOptimizer:
    """An optimizer object of the author. It completes coroutines, converts tables, and leaves out what a method does not take."""

    def __init__(self, optimizer: Any, complete: Callable[[Any], Any]) -> None:
        self.object = optimizer
        self._complete = complete
        self._takes_frames: bool = getattr(type(optimizer), "svc_data_frames", False) is True

    def has(self, method: str) -> bool:
        return callable(getattr(self.object, method, None))

    def call(self, method: str, *arguments: Any) -> Any:
        return self._complete(getattr(self.object, method)(*arguments))

    def call_with_tables(self, method: str, *arguments: Any, run_names: Sequence[str] | None) -> Any:
        """As `call`; lists of rows among the arguments become what the class wants, and it gets the names if it takes them."""
        function = getattr(self.object, method)
        given = [to_frame(each) if isinstance(each, list) and self._takes_frames else each for each in arguments]
        names = {} if run_names is None or not _takes(function, "run_names") else {"run_names": list(run_names)}
        return self._complete(function(*given, **names))

    def rows(self, method: str, table: Any) -> list[dict[str, Any]]:
        """A table that a method returned, as rows. Raises TypeError when it is none."""
        return to_rows(table, method)

    def names(self, method: str) -> list[str]:
        return names_of(self.call(method), method)

    def runtime_params(self) -> dict[str, Any]:
        """Raises TypeError when they are not single values by name."""
        values = to_json_object(self.call("get_runtime_params"), "the result of get_runtime_params")
        for key, value in values.items():
            if isinstance(value, (dict, list)):
                raise TypeError(
                    f'get_runtime_params gives {kind_of(value)} as "{key}"; a runtime parameter is a single value'
                )
        return values

    def set_runtime_params(self, params: Mapping[str, Any], prefix: str = "") -> None:
        """Changes runtime parameters. If one is not allowed, none is changed.

        `prefix` stands before the name of a parameter in the submission. Raises Invalid with the unknown or refused
        parameters.
        """
        before = self.runtime_params()
        faults = []
        for key, value in params.items():
            if key not in before:
                faults.append(_unknown(f"{prefix}{key}", key, "runtime parameter", list(before)))
            elif isinstance(value, (dict, list)):
                text = f'"{key}" takes a single value, not {kind_of(value)}'
                faults.append(fault(f"{prefix}{key}", "type", text))
        if faults:
            raise Invalid(_text_of("The runtime parameters do not fit", faults), faults)
        try:
            self.call("set_runtime_params", dict(params))
        except Exception as error:
            # By contract the author's code has changed nothing. This restores the values in case it did.
            if self.runtime_params() != before:
                self.call("set_runtime_params", before)
            if isinstance(error, Invalid):
                found = [{**each, "path": f"{prefix}{each['path']}"} for each in error.faults]
            else:
                text = message_of(error)
                named = next((key for key in params if key in text), next(iter(params)))
                found = [fault(f"{prefix}{named}", "value", text)]
            raise Invalid(message_of(error), found) from error


class Made:
    def __init__(self, optimizer: AuthorOptimizer, fields: list[dict[str, Any]], arguments: dict[str, Any]) -> None:
        self.optimizer = optimizer
        self.fields = fields
        self.arguments = arguments
        """As JSON, including secrets."""


def make_optimizer(
    code: PackageCode,
    source: str,
    overrides: dict[str, Any],
    integers: Sequence[str],
    complete: Callable[[Any], Any],
    *,
    worker: WorkerCalls | None = None,
) -> Made:
    """Imports an `optimizer.py`, makes the optimizer of its factory and, if it has a method `svc_connect`, gives it the worker.

    `overrides` replace the arguments with the same keys; runtime parameters among them are set on the new object.
    `integers` are `TASK.PARAMETER` of the integer parameters. Raises Invalid with each override that does not fit, or the
    argument that the constructor refuses; TypeError that says what the module should define; and any error of the
    author's code.
    """
    given, optimizer_class = _pair_of(code, source, complete)
    fields = inherited_fields(optimizer_class)
    arguments, later, at_start = _laid_over(given, overrides, fields, optimizer_class)
    if hasattr(optimizer_class, "svc_fit_arguments"):
        arguments = optimizer_class.svc_fit_arguments(arguments, list(integers))
    described = {key: _described(value, f"the argument {key}") for key, value in arguments.items()}
    try:
        _check_arguments(optimizer_class, arguments)
        made = AuthorOptimizer(optimizer_class(**arguments), complete)
    except Invalid as error:
        raise Invalid(str(error), [_at_override(each, overrides) for each in error.faults]) from error
    known = [*at_start, *made.runtime_params()]
    faults = [
        _unknown(_override_path(key), key, "parameter", list(dict.fromkeys(known))) for key in later if key not in known
    ]
    if faults:
        raise Invalid(_text_of("The overrides do not fit", faults), faults)
    if later:
        made.set_runtime_params(later, "optimizer_overrides.")
    if worker is not None and made.has("svc_connect"):
        try:
            made.call("svc_connect", worker)
        except Invalid as error:
            raise Invalid(str(error), [_at_override(each, overrides) for each in error.faults]) from error
    if made.has("get_param_schema"):
        fields = _fields_of(made.call("get_param_schema"), "get_param_schema")
    return Made(made, fields, described)


def names_of(names: Any, method: str) -> list[str]:
    """Checks a list of names. Raises TypeError when it is not a list of different names."""
    if not isinstance(names, (list, tuple)) or not all(isinstance(name, str) and name != "" for name in names):
        raise TypeError(f"{method} must return a list of names TASK.PARAMETER")
    repeated = next((name for index, name in enumerate(names) if name in names[:index]), None)
    if repeated is not None:
        raise TypeError(f'{method} returns "{repeated}" twice')
    return list(names)


def _pair_of(code: PackageCode, source: str, complete: Callable[[Any], Any]) -> tuple[dict[str, Any], Any]:
    name, factory = _factory_of(code, source)
    pair = complete(factory())
    if not isinstance(pair, (list, tuple)) or len(pair) != 2:
        raise TypeError(f"{name} returned {kind_of(pair)}; it must return a pair: (arguments, class of the optimizer)")
    arguments, optimizer_class = pair
    if not isinstance(arguments, dict) or not all(isinstance(key, str) for key in arguments):
        raise TypeError(
            f"The first of the pair that {name} returned is {kind_of(arguments)}, not a dict of arguments by name"
        )
    if not isinstance(optimizer_class, type):
        raise TypeError(
            f"The second of the pair that {name} returned is {kind_of(optimizer_class)}, not a class of optimizers"
        )
    missing = [
        method
        for method in METHODS
        if getattr(optimizer_class, method, None) in (None, getattr(AbstractSequentialOptimizer, method))
    ]
    is_of_eos = name == EOS_FACTORY
    if missing or not (is_of_eos or issubclass(optimizer_class, AbstractSequentialOptimizer)):
        lacks = f"lacks {', '.join(missing)}; extend" if missing else "does not extend"
        raise TypeError(
            f"The class {optimizer_class.__name__} that {name} returned {lacks} AbstractSequentialOptimizer"
        )
    if is_of_eos:
        from ..eos.campaign import class_for

        return arguments, class_for(optimizer_class)
    return arguments, optimizer_class


def _factory_of(code: PackageCode, source: str) -> tuple[str, Callable[[], Any]]:
    """The name of the factory and the function. Raises ImportError in one sentence when a library is missing."""
    try:
        module = module_of(code, source)
    except ModuleNotFoundError as error:
        missing = (error.name or "").split(".")[0]
        if missing in ("", code.package, "user", "eos", "svc_lab"):
            raise
        raise ImportError(f"{source} {need_of(missing)}") from error
    for name in (FACTORY, EOS_FACTORY):
        factory = getattr(module, name, None)
        if callable(factory):
            return name, factory
    raise TypeError(f"{source} defines no function {FACTORY}; it must return (arguments, class of the optimizer)")


def _check_arguments(optimizer_class: type, arguments: Mapping[str, Any]) -> None:
    """Raises TypeError that names the argument which the constructor lacks or does not take."""
    try:
        inspect.signature(optimizer_class).bind(**arguments)
    except TypeError as error:
        raise TypeError(f"The arguments of {FACTORY} do not fit {optimizer_class.__name__}: {error}") from None
    except ValueError:
        # A class of C without a signature.
        return


def _described(value: Any, where: str) -> Any:
    """An argument as JSON, for people and for the comparison with the protocol."""
    if isinstance(value, (list, tuple)):
        return [_described(each, f"{where}[{index}]") for index, each in enumerate(value)]
    if isinstance(value, dict):
        return {str(key): _described(each, f"{where}.{key}") for key, each in value.items()}
    if isinstance(value, (Declaration, Domain)):
        return to_json(value.to_json(), where)
    if callable(getattr(value, "model_dump_json", None)) and not isinstance(value, type):
        return to_json(json.loads(value.model_dump_json()), where)
    try:
        return to_json(value, where)
    except NotJson:
        # NaN and numbers that are too large are mistakes; objects are not.
        if isinstance(value, (int, float)):
            raise
        return getattr(value, "__name__", None) or type(value).__name__


def inherited_fields(optimizer_class: type) -> list[dict[str, Any]]:
    """The settings of a class and of its base classes. A subclass overrides settings of the same key."""
    fields: dict[str, dict[str, Any]] = {}
    for each in optimizer_class.__mro__:
        described = vars(each).get("svc_param_schema")
        if described is None:
            continue
        for field in _fields_of(described.__get__(None, optimizer_class)(), "svc_param_schema"):
            fields.setdefault(field["key"], field)
    return list(fields.values())


def _fields_of(described: Any, method: str) -> list[dict[str, Any]]:
    found = to_json(described, f"the result of {method}")
    if not isinstance(found, list):
        raise TypeError(f"{method} must return a list of fields")
    for index, field in enumerate(found):
        problem = _field_problem(field)
        if problem is not None:
            raise TypeError(f"Field {index} of {method} {problem}")
    return found


def _field_problem(field: Any) -> str | None:
    if not isinstance(field, dict):
        return "is not a dict"
    key, kind, options = field.get("key"), field.get("type"), field.get("options")
    if not isinstance(key, str) or key == "":
        return "has no key"
    if kind not in FIELD_TYPES:
        return f'("{key}") has the type {kind}; there are {", ".join(FIELD_TYPES)}'
    if not isinstance(field.get("runtime"), bool):
        return f'("{key}") does not say whether it is a runtime parameter (runtime: True or False)'
    if "default" not in field or isinstance(field["default"], (dict, list)):
        return f'("{key}") needs a default: a single value or None'
    if kind == "select" and not (isinstance(options, list) and all(isinstance(each, str) for each in options)):
        return f'("{key}") is a select and needs options: a list of texts'
    return None


def _laid_over(
    given: dict[str, Any], overrides: dict[str, Any], fields: Sequence[Mapping[str, Any]], optimizer_class: Any
) -> tuple[dict[str, Any], dict[str, Any], list[str]]:
    """Applies the start-up and domain overrides, and separates the values that can only be set later."""
    runtime = [field["key"] for field in fields if field["runtime"]]
    more = optimizer_class.svc_argument_names() if hasattr(optimizer_class, "svc_argument_names") else []
    known = [*given, *DOMAIN_KEYS, *(field["key"] for field in fields), *names_of(more, "svc_argument_names")]
    at_start = list(dict.fromkeys(known))
    over: dict[str, Any] = {}
    later: dict[str, Any] = {}
    for key, value in overrides.items():
        # An argument that is an object may have the same key as a runtime parameter that is one of its values.
        is_single = not isinstance(value, (dict, list))
        if (key in runtime and is_single) or key not in at_start:
            later[key] = value
        else:
            over[key] = copy.deepcopy(value)
    return {**given, **over}, later, at_start


def _takes(function: Any, name: str) -> bool:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return False
    return any(each.name == name or each.kind is each.VAR_KEYWORD for each in parameters)


def _at_override(found: Fault, overrides: Mapping[str, Any]) -> Fault:
    key = found["path"].split(".")[0].split("[")[0]
    return {**found, "path": _override_path(found["path"])} if key in overrides else found


def _override_path(path: str) -> str:
    return f"optimizer_overrides.{path}"


def _unknown(path: str, key: str, what: str, known: Sequence[str]) -> Fault:
    hint = f"It has {', '.join(known)}" if known else "It has none"
    return fault(path, "unknown_field", f'The optimizer has no {what} "{key}"', hint)


def _text_of(what: str, faults: Sequence[Fault]) -> str:
    more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
    return f"{what}: {faults[0]['message']}{more}"

"""What an optimizer may choose and what it learns: inputs, outputs, objectives and constraints.

The JSON of each declaration is that of `libs/optimization/src/domain/space.ts`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

# See device.py.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, ClassVar, Union

    Row = dict[str, Any]
    Fault = dict[str, str]
    Input = Union["ContinuousInput", "DiscreteInput", "CategoricalInput"]
    Objective = Union["Minimize", "Maximize", "CloseToTarget"]
    Constraint = Union["LinearEquality", "LinearInequality", "NChooseK"]

TOLERANCE = 1e-6
"""How far a row may be from a bound, a step or a constraint, relative to the size of the numbers."""
MOST_STEPS = 1e9
"""An integer input with more values than this gets no step: the service then rounds its values."""


class Invalid(ValueError):
    """Arguments or rows do not fit. Each fault has `path`, `code`, `message`, and perhaps `hint`."""

    def __init__(self, message: str, faults: Sequence[Fault]) -> None:
        super().__init__(message)
        self.faults = list(faults)


def invalid(what: str, faults: Sequence[Fault]) -> Invalid:
    more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
    return Invalid(f"{what}: {faults[0]['path']}: {faults[0]['message']}{more}", faults)


def fault(path: str, code: str, message: str, hint: str | None = None) -> Fault:
    found = {"path": path, "code": code, "message": message}
    return found if hint is None else {**found, "hint": hint}


class Declaration:
    """A declaration that JSON can carry."""

    kind: ClassVar[str]

    def to_json(self) -> dict[str, Any]:
        values = ((field.name, getattr(self, field.name)) for field in fields(self))  # type: ignore[arg-type]
        return {"kind": self.kind, **{name: _plain(value) for name, value in values if value is not None}}


def _plain(value: object) -> object:
    if isinstance(value, Declaration):
        return value.to_json()
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    return list(value) if isinstance(value, (tuple, list)) else value


@dataclass(frozen=True)
class ContinuousInput(Declaration):
    """A number between two bounds, in the unit of its parameter. With `step`, a multiple of it above the lower bound."""

    key: str
    bounds: tuple[float, float]
    step: float | None = None
    kind = "continuous"


@dataclass(frozen=True)
class DiscreteInput(Declaration):
    """One of several numbers whose order and distances have a meaning."""

    key: str
    values: Sequence[float]
    kind = "discrete"


@dataclass(frozen=True)
class CategoricalInput(Declaration):
    """One of several texts without an order.

    `descriptors`: by category its measurable properties, as many numbers for each, in any units. An optimizer may
    expect similar results of categories with similar numbers.
    """

    key: str
    categories: Sequence[str]
    descriptors: Mapping[str, Sequence[float]] | None = None
    kind = "categorical"


@dataclass(frozen=True)
class Minimize(Declaration):
    """`weight`, above 0, is the importance beside other objectives."""

    weight: float = 1
    kind = "minimize"


@dataclass(frozen=True)
class Maximize(Declaration):
    weight: float = 1
    kind = "maximize"


@dataclass(frozen=True)
class CloseToTarget(Declaration):
    """As near to `target` as possible, on either side, in the unit of the output."""

    target: float
    weight: float = 1
    kind = "close_to_target"


@dataclass(frozen=True)
class ContinuousOutput(Declaration):
    """A measured number. Only results of at least, or at most, a threshold are useful."""

    key: str
    objective: Objective | None = None
    at_least: float | None = None
    at_most: float | None = None

    def to_json(self) -> dict[str, Any]:
        limits = {"at_least": self.at_least, "at_most": self.at_most}
        constraint = {name: limit for name, limit in limits.items() if limit is not None}
        objective = None if self.objective is None else self.objective.to_json()
        return {"key": self.key, "objective": objective, **({"constraint": constraint} if constraint else {})}

    def cost(self, value: float) -> float:
        """What an optimizer that minimizes gets of a measured value. Call it for an output with an objective."""
        if isinstance(self.objective, CloseToTarget):
            return abs(value - self.objective.target)
        return -value if isinstance(self.objective, Maximize) else value

    def excess(self, value: float) -> float:
        """By how much a value misses the thresholds; 0 or less: it meets them."""
        above = -math.inf if self.at_most is None else value - self.at_most
        below = -math.inf if self.at_least is None else self.at_least - value
        return max(above, below)


@dataclass(frozen=True)
class LinearEquality(Declaration):
    """The sum of coefficients times features is `rhs`."""

    features: Sequence[str]
    coefficients: Sequence[float]
    rhs: float
    kind = "linear_equality"


@dataclass(frozen=True)
class LinearInequality(Declaration):
    """The sum of coefficients times features is at most `rhs`."""

    features: Sequence[str]
    coefficients: Sequence[float]
    rhs: float
    kind = "linear_inequality"


@dataclass(frozen=True)
class NChooseK(Declaration):
    """Between `min_count` and `max_count` of the features are not 0; or all are 0 with `none_also_valid`."""

    features: Sequence[str]
    max_count: int
    min_count: int = 0
    none_also_valid: bool = False
    kind = "n_choose_k"


_KINDS = {
    each.kind: each
    for each in (
        *(ContinuousInput, DiscreteInput, CategoricalInput, Minimize, Maximize, CloseToTarget),
        *(LinearEquality, LinearInequality, NChooseK),
    )
}


def _declared(value: Any, path: str, wanted: tuple[type, ...], faults: list[Fault]) -> Any:
    """A declaration, or that of its JSON. Adds a fault and returns None when it is neither."""
    if isinstance(value, wanted):
        return value
    names = ", ".join(each.__name__ for each in wanted)
    if not isinstance(value, dict):
        faults.append(fault(path, "type", f"it is {value!r}, and must be one of {names}"))
        return None
    given = with_kind(value)
    kind = _KINDS.get(given.pop("kind", None))
    if ContinuousOutput in wanted:
        kind = ContinuousOutput
        given = {**{name: each for name, each in given.items() if name != "constraint"}, **given.get("constraint", {})}
        if given.get("objective") is not None:
            given["objective"] = _declared(
                given["objective"], f"{path}.objective", (Minimize, Maximize, CloseToTarget), faults
            )
    if kind not in wanted:
        faults.append(fault(f"{path}.kind", "value", f"{value.get('kind')!r} is none of {names}"))
        return None
    try:
        return kind(**given)
    except TypeError as error:
        faults.append(fault(path, "unknown_field", str(error).replace("__init__() ", "")))
        return None


def declared(given: Any) -> Any:
    """The declaration of a JSON of any kind. Raises Invalid when there is no such declaration."""
    faults: list[Fault] = []
    is_output = "kind" not in with_kind(given)
    wanted = (ContinuousOutput,) if is_output else (*INPUTS, *CONSTRAINTS)
    found = _declared(given, "declaration", wanted, faults)
    if faults:
        raise invalid("a declaration is wrong", faults)
    return found


def with_kind(given: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON of an input with its kind, which its other fields tell."""
    if "kind" in given:
        return dict(given)
    if "bounds" in given:
        return {"kind": "continuous", **given}
    if "categories" in given:
        return {"kind": "categorical", **given}
    if "values" not in given:
        return dict(given)
    others = {name: value for name, value in given.items() if name != "values"}
    if all(_is_number(value) for value in given["values"]):
        return {"kind": "discrete", **given}
    return {"kind": "categorical", **others, "categories": given["values"]}


def fitted(args: Mapping[str, Any], integers: Sequence[str]) -> dict[str, Any]:
    """Constructor arguments in which an input of an integer parameter has whole bounds and the step 1."""
    inputs = args.get("inputs")
    if not isinstance(inputs, (list, tuple)):
        return dict(args)
    return {**args, "inputs": [_fitted(each, integers) for each in inputs]}


def _fitted(given: Any, integers: Sequence[str]) -> Any:
    value = _declared(given, "", INPUTS, [])
    if not isinstance(value, ContinuousInput) or value.step is not None or value.key not in integers:
        return given
    if not _are_bounds(value.bounds):
        return given
    low, high = math.ceil(value.bounds[0]), math.floor(value.bounds[1])
    return ContinuousInput(value.key, (low, high), 1) if low < high and high - low <= MOST_STEPS else given


INPUTS = (ContinuousInput, DiscreteInput, CategoricalInput)
CONSTRAINTS = (LinearEquality, LinearInequality, NChooseK)


class Domain:
    """Inputs, outputs and constraints that fit each other."""

    def __init__(self, inputs: Iterable[Any], outputs: Iterable[Any], constraints: Iterable[Any] = ()) -> None:
        """Takes declarations or their JSON. Raises `Invalid` with all faults."""
        faults: list[Fault] = []
        self.inputs: list[Input] = _all(inputs, "inputs", INPUTS, faults)
        self.outputs: list[ContinuousOutput] = _all(outputs, "outputs", (ContinuousOutput,), faults)
        self.constraints: list[Constraint] = _all(constraints, "constraints", CONSTRAINTS, faults)
        if not faults:
            faults = [*self._input_faults(), *self._output_faults(), *self._constraint_faults()]
        if faults:
            raise invalid("the domain is wrong", faults)
        self.input_names = [each.key for each in self.inputs]
        self.output_names = [each.key for each in self.outputs]
        self.objectives = [each for each in self.outputs if each.objective is not None]

    def check(self, row: Mapping[str, Any], path: str = "row") -> Row:
        """The row in the order of the inputs, with each value on its step. Raises `Invalid` with all faults."""
        faults = [
            fault(f"{path}.{name}", "unknown_input", "there is no such input")
            for name in row
            if name not in self.input_names
        ]
        checked: Row = {}
        for each in self.inputs:
            if each.key not in row:
                faults.append(fault(f"{path}.{each.key}", "missing", "it is missing"))
                continue
            value = plain(row[each.key])
            nearest = _nearest(each, value)
            if nearest is None or (nearest != value and not _are_close(nearest, value)):
                faults.append(fault(f"{path}.{each.key}", "value", f"{value!r} is not {_allowed(each)}"))
            else:
                checked[each.key] = nearest
        if not faults:
            faults = [
                fault(path, "constraint", f"{_text(each)} does not hold: {amount:g}")
                for each in self.constraints
                for amount, holds in (_state(each, checked),)
                if not holds
            ]
        if faults:
            raise invalid("the row does not fit the domain", faults)
        return checked

    def round(self, row: Mapping[str, Any]) -> Row:
        """The row with each number moved to the nearest allowed one. A constraint may then no longer hold."""
        return {each.key: _rounded(each, plain(row[each.key])) for each in self.inputs if each.key in row}

    def to_json(self) -> dict[str, Any]:
        return {
            "inputs": [each.to_json() for each in self.inputs],
            "outputs": [each.to_json() for each in self.outputs],
            "constraints": [each.to_json() for each in self.constraints],
        }

    def _input_faults(self) -> Iterable[Fault]:
        if not self.inputs:
            yield fault("inputs", "missing", "there is no input")
        for index, each in enumerate(self.inputs):
            path = f"inputs[{index}]"
            yield from _key_faults(each.key, path, [other.key for other in self.inputs[:index]])
            if isinstance(each, ContinuousInput):
                if not _are_bounds(each.bounds):
                    yield fault(f"{path}.bounds", "bounds", f"{each.bounds!r} is not a lower and a higher number")
                elif each.step is not None and not (_is_number(each.step) and each.step > 0):
                    yield fault(f"{path}.step", "step", f"{each.step!r} is not a number above 0")
                continue
            name, fits, what = (
                ("values", _is_number, "numbers")
                if isinstance(each, DiscreteInput)
                else ("categories", _is_text, "texts")
            )
            values = getattr(each, name)
            if not isinstance(values, (list, tuple)) or not values or not all(fits(value) for value in values):
                yield fault(f"{path}.{name}", "value", f"it must be a list of {what}")
            elif len(set(values)) < len(values):
                yield fault(f"{path}.{name}", "value", "a value is there twice")
            elif isinstance(each, CategoricalInput) and each.descriptors is not None:
                yield from _descriptor_faults(each, f"{path}.descriptors")

    def _output_faults(self) -> Iterable[Fault]:
        if not any(each.objective is not None for each in self.outputs):
            yield fault(
                "outputs",
                "missing",
                "no output has an objective",
                "give one Minimize(), Maximize() or CloseToTarget(target)",
            )
        for index, each in enumerate(self.outputs):
            path = f"outputs[{index}]"
            yield from _key_faults(each.key, path, [other.key for other in self.outputs[:index]])
            limits = [("at_least", each.at_least), ("at_most", each.at_most)]
            if each.objective is not None:
                limits.append(("objective.weight", each.objective.weight))
                if isinstance(each.objective, CloseToTarget):
                    limits.append(("objective.target", each.objective.target))
            for name, value in limits:
                if value is not None and not _is_number(value):
                    yield fault(f"{path}.{name}", "type", f"{value!r} is no finite number")
                elif name == "objective.weight" and value is not None and value <= 0:
                    yield fault(f"{path}.{name}", "value", "it must be above 0")

    def _constraint_faults(self) -> Iterable[Fault]:
        numbers = [each.key for each in self.inputs if not isinstance(each, CategoricalInput)]
        for index, each in enumerate(self.constraints):
            path = f"constraints[{index}]"
            for name in each.features:
                if name not in numbers:
                    yield fault(f"{path}.features", "unknown_input", f'"{name}" is no continuous or discrete input')
            if len(set(each.features)) < len(each.features) or not each.features:
                yield fault(f"{path}.features", "value", "they must be different inputs")
            if isinstance(each, NChooseK):
                if not 0 <= each.min_count <= each.max_count <= len(each.features):
                    yield fault(
                        f"{path}.max_count", "value", "0 <= min_count <= max_count <= number of features must hold"
                    )
            elif len(each.coefficients) != len(each.features) or not all(
                _is_number(value) and value != 0 for value in each.coefficients
            ):
                yield fault(f"{path}.coefficients", "value", "there must be one number other than 0 for each feature")
            elif not _is_number(each.rhs):
                yield fault(f"{path}.rhs", "type", f"{each.rhs!r} is no finite number")


def plain(value: Any) -> Any:
    """A number of numpy as one of Python."""
    to_list = getattr(value, "tolist", None)
    return to_list() if callable(to_list) else value


def _all(given: Any, path: str, wanted: tuple[type, ...], faults: list[Fault]) -> list[Any]:
    if isinstance(given, (str, dict)) or not hasattr(given, "__iter__"):
        faults.append(fault(path, "type", "it must be a list"))
        return []
    return [_declared(each, f"{path}[{index}]", wanted, faults) for index, each in enumerate(given)]


def _key_faults(key: Any, path: str, before: Sequence[str]) -> Iterable[Fault]:
    if not _is_text(key) or "." not in key:
        yield fault(f"{path}.key", "value", f"{key!r} is no name TASK.PARAMETER")
    elif key in before:
        yield fault(f"{path}.key", "value", f'"{key}" is there twice')


def _nearest(each: Input, value: Any) -> Any:
    """The allowed value next to a value; None when it has the wrong type or lies outside of the bounds."""
    if isinstance(each, CategoricalInput):
        return value if isinstance(value, str) and value in each.categories else None
    if not _is_number(value):
        return None
    if isinstance(each, ContinuousInput):
        low, high = each.bounds
        slack = TOLERANCE * max(1.0, high - low)
        if not low - slack <= value <= high + slack:
            return None
    return _rounded(each, value)


def _rounded(each: Input, value: Any) -> Any:
    if isinstance(each, CategoricalInput) or not _is_number(value):
        return value
    if isinstance(each, DiscreteInput):
        return min(each.values, key=lambda allowed: abs(allowed - value))
    low, high = each.bounds
    within = min(max(value, low), high)
    if each.step is None:
        return within
    steps = min(round((within - low) / each.step), math.floor((high - low) / each.step + TOLERANCE))
    # 12 digits, so that 3 steps of 0.1 are 0.3.
    on_step = float(f"{low + steps * each.step:.12g}")
    return int(on_step) if isinstance(each.step, int) and isinstance(low, int) else on_step


def _allowed(each: Input) -> str:
    if isinstance(each, ContinuousInput):
        steps = "" if each.step is None else f" in steps of {each.step:g}"
        return f"a number from {each.bounds[0]:g} to {each.bounds[1]:g}{steps}"
    values = each.values if isinstance(each, DiscreteInput) else each.categories
    return f"one of {', '.join(map(str, values))}"


def amount_of(each: LinearEquality | LinearInequality, row: Mapping[str, Any]) -> float:
    """The sum of coefficients times features."""
    return math.fsum(factor * row[name] for name, factor in zip(each.features, each.coefficients))


def _state(each: Constraint, row: Mapping[str, Any]) -> tuple[float, bool]:
    """The sum, or the count, of a constraint in a row, and whether the constraint holds."""
    if isinstance(each, NChooseK):
        count = sum(1 for name in each.features if abs(row[name]) > TOLERANCE)
        return count, each.min_count <= count <= each.max_count or (count == 0 and each.none_also_valid)
    amount = amount_of(each, row)
    slack = TOLERANCE * max(1.0, abs(each.rhs))
    if isinstance(each, LinearInequality):
        return amount, amount <= each.rhs + slack
    return amount, abs(amount - each.rhs) <= slack


def _text(each: Constraint) -> str:
    names = ", ".join(each.features)
    if isinstance(each, NChooseK):
        return f"{each.min_count} to {each.max_count} of {names} are not 0"
    terms = " + ".join(f"{factor:g}*{name}" for name, factor in zip(each.features, each.coefficients))
    return f"{terms} {'<=' if isinstance(each, LinearInequality) else '='} {each.rhs:g}"


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _descriptor_faults(each: CategoricalInput, path: str) -> Iterable[Fault]:
    given = each.descriptors
    if not isinstance(given, dict) or set(given) != set(each.categories):
        text = "it must have a list of numbers for each category, and for nothing else"
        yield fault(path, "value", text)
        return
    lists = {name: values for name, values in given.items() if isinstance(values, (list, tuple)) and values}
    for name, values in given.items():
        if name not in lists or not all(map(_is_number, values)):
            yield fault(f"{path}.{name}", "value", f"{values!r} is no list of finite numbers")
    if len({len(values) for values in lists.values()}) > 1:
        yield fault(path, "length", "the lists have different lengths")


def _is_text(value: object) -> bool:
    return isinstance(value, str) and value != ""


def _are_bounds(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and len(value) == 2 and all(map(_is_number, value)) and value[0] < value[1]


def _are_close(one: Any, other: Any) -> bool:
    return not isinstance(one, str) and abs(one - other) <= TOLERANCE * max(1.0, abs(one))

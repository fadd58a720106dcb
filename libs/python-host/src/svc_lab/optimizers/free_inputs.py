"""A domain for libraries that know bounds only, or bounds and linear inequalities."""

from __future__ import annotations

import math

from ..domain import (
    TOLERANCE,
    CategoricalInput,
    ContinuousInput,
    DiscreteInput,
    LinearEquality,
    LinearInequality,
    fault,
    invalid,
    plain,
)

# See ../device.py.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from ..domain import Domain, Input, Row

    Sum = dict[str, float]

MOST_DRAWS = 1_000
"""How often a library is asked for a point that keeps the constraints."""


class FreeInputs:
    """The inputs that are free once the linear equalities have fixed one input each.

    Each equality is solved for one continuous input without a step. Its bounds become inequalities of the free inputs.
    """

    def __init__(self, domain: Domain) -> None:
        """Raises Invalid when an equality has no continuous input without a step that no other equality fixes."""
        self._domain = domain
        self._solved: dict[str, tuple[float, Sum]] = {}
        """Of each fixed input: a constant, and factors of free inputs."""
        by_key = {each.key: each for each in domain.inputs}
        for index, each in enumerate(domain.constraints):
            if isinstance(each, LinearEquality):
                self._solve(index, each, by_key)
        self.codes = [Code(each) for each in domain.inputs if each.key not in self._solved]
        self.inequalities: list[tuple[Sum, float]] = []
        """Factors of free inputs, and what their sum may be at most."""
        for each in domain.constraints:
            if isinstance(each, LinearInequality):
                constant, factors = self._substituted(dict(zip(each.features, each.coefficients)))
                self.inequalities.append((factors, each.rhs - constant))
        for key, (constant, factors) in self._solved.items():
            low, high = by_key[key].bounds  # type: ignore[union-attr]
            self.inequalities.append((factors, high - constant))
            self.inequalities.append(({name: -factor for name, factor in factors.items()}, constant - low))

    def encode(self, row: Mapping[str, Any]) -> list[Any]:
        return [code.encode(row[code.key]) for code in self.codes]

    def decode(self, codes: Iterable[Any]) -> Row | None:
        """The whole row of a point of the free inputs; None: the point does not keep a constraint."""
        return self._expand({code.key: code.decode(plain(each)) for code, each in zip(self.codes, codes)})

    def _expand(self, free: Mapping[str, Any]) -> Row | None:
        for factors, most in self.inequalities:
            amount = math.fsum(factor * free[name] for name, factor in factors.items())
            if amount > most + TOLERANCE / 2 * max(1.0, abs(most)):
                return None
        fixed = {
            key: constant + math.fsum(factor * free[name] for name, factor in factors.items())
            for key, (constant, factors) in self._solved.items()
        }
        return {each.key: fixed.get(each.key, free.get(each.key)) for each in self._domain.inputs}

    def draw(self, ask: Callable[[], tuple[Iterable[Any], Any]], refuse: Callable[[Any], object]) -> tuple[Row, Any]:
        """Asks for codes until a point keeps the constraints. `refuse` takes the token of each other point.

        Raises RuntimeError when there is none among many.
        """
        for _ in range(MOST_DRAWS):
            codes, token = ask()
            row = self.decode(codes)
            if row is not None:
                return row, token
            refuse(token)
        raise RuntimeError(
            f"{MOST_DRAWS} proposals in turn did not keep the constraints: widen them, or use BofireOptimizer"
        )

    def _solve(self, index: int, each: LinearEquality, by_key: Mapping[str, Input]) -> None:
        constant, factors = self._substituted(dict(zip(each.features, each.coefficients)))
        able = [key for key in factors if isinstance(by_key[key], ContinuousInput) and by_key[key].step is None]  # type: ignore[union-attr]
        if not able:
            text = "no input of it is continuous, without a step, and left free by the other equalities"
            raise invalid("an equality cannot be solved", [fault(f"constraints[{index}]", "value", text)])
        chosen = max(able, key=lambda key: abs(factors[key]))
        share = factors.pop(chosen)
        self._solved[chosen] = (
            (each.rhs - constant) / share,
            {key: -factor / share for key, factor in factors.items()},
        )
        for key, (before, others) in list(self._solved.items()):
            if chosen in others:
                self._solved[key] = self._combined(before, others)

    def _substituted(self, factors: Sum) -> tuple[float, Sum]:
        return self._combined(0.0, factors)

    def _combined(self, constant: float, factors: Sum) -> tuple[float, Sum]:
        """A sum in which the fixed inputs are replaced by free ones."""
        total: Sum = {}
        for key, factor in factors.items():
            if key not in self._solved:
                total[key] = total.get(key, 0.0) + factor
                continue
            more, others = self._solved[key]
            constant += factor * more
            for name, share in others.items():
                total[name] = total.get(name, 0.0) + factor * share
        return constant, {key: factor for key, factor in total.items() if abs(factor) > 1e-12}


class Code:
    """How a library sees a free input.

    `real`: a number between bounds. `integer`: the index of a step, or of a value in order, from 0 to `high`.
    `category`: a text.
    """

    def __init__(self, each: Input) -> None:
        self.key = each.key
        self.low: float = 0
        self.high: float = 0
        self.is_even = True
        """Whether equal steps of an index are equal steps of the value."""
        self.categories: list[str] = []
        self._values: list[float] = []
        self._step: float = 1
        self._first: float = 0
        if isinstance(each, CategoricalInput):
            self.kind = "category"
            self.categories = list(each.categories)
        elif isinstance(each, DiscreteInput):
            self.kind, self.is_even = "integer", False
            self._values = sorted(each.values)
            self.high = len(self._values) - 1
        elif each.step is None:
            self.kind = "real"
            self.low, self.high = each.bounds
        else:
            self.kind = "integer"
            self._first, self._step = each.bounds[0], each.step
            self.high = math.floor((each.bounds[1] - each.bounds[0]) / each.step + TOLERANCE)

    def encode(self, value: Any) -> Any:
        if self.kind != "integer":
            return value
        return self._values.index(value) if self._values else round((value - self._first) / self._step)

    def decode(self, code: Any) -> Any:
        if self.kind != "integer":
            return code
        return self._values[int(code)] if self._values else self._first + int(code) * self._step

    def at(self, share: float) -> Any:
        """The code at a share of the range, from 0 to 1."""
        if self.kind == "real":
            return self.low + share * (self.high - self.low)
        count = len(self.categories) or int(self.high) + 1
        index = min(int(share * count), count - 1)
        return self.categories[index] if self.categories else index

    def linear(self, factor: float) -> tuple[float, float]:
        """A constant and a factor of the code that have the sum of a factor times the value. Call it if `is_even`."""
        return (factor * self._first, factor * self._step) if self.kind == "integer" else (0.0, factor)

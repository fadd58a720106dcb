"""scikit-optimize: an `Optimizer` that is told all runs before it is asked."""

from __future__ import annotations

from .domain_optimizer import DomainOptimizer, library
from .free_inputs import FreeInputs

# See ../device.py.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from ..domain import Row
    from .free_inputs import Code


class SkoptOptimizer(DomainOptimizer):
    """Proposes with `skopt.Optimizer`.

    Each call makes an object of the library from all runs, so a new process with the same runs proposes the same rows. Runs
    in progress have the best value measured so far, and failed ones the worst.
    """

    name = "scikit-optimize"
    lacks = ("n_choose_k", "several_objectives", "thresholds")

    def __init__(
        self,
        inputs: Iterable[Any],
        outputs: Iterable[Any],
        constraints: Iterable[Any] = (),
        *,
        seed: int = 0,
        options: dict[str, Any] | None = None,
    ) -> None:
        """`options` are keyword arguments of `skopt.Optimizer`, such as `base_estimator` and `n_initial_points`."""
        super().__init__(inputs, outputs, constraints, seed=seed)
        self._free = FreeInputs(self.domain)
        self._skopt = library("skopt", "scikit-optimize")
        self._options = dict(options or {})

    def _propose(self, count: int) -> list[tuple[Row, Any]]:
        measured, failed, pending = self.runs("measured"), self.runs("failed"), self.runs("pending")
        costs = [self.costs(run)[0] for run in measured]
        best, worst = min(costs, default=0.0), max(costs, default=0.0)
        known = [*measured, *failed, *pending]
        constraint = (
            {"space_constraint": lambda codes: self._free.decode(codes) is not None} if self._free.inequalities else {}
        )
        optimizer = self._skopt.Optimizer(
            [self._dimension(code) for code in self._free.codes],
            # Another seed for each call: with the same one, initial points at random would come again.
            random_state=self.seed + len(known),
            **constraint,
            **self._options,
        )
        if known:
            values = [*costs, *(worst for _ in failed), *(best for _ in pending)]
            optimizer.tell([self._free.encode(run.row) for run in known], values)
        return [(self._whole(codes), None) for codes in optimizer.ask(count)]

    def _whole(self, codes: list[Any]) -> Row:
        row = self._free.decode(codes)
        if row is None:
            raise RuntimeError("scikit-optimize proposed a point that does not keep the constraints")
        return row

    def _dimension(self, code: Code) -> Any:
        space = self._skopt.space
        if code.kind == "category":
            return space.Categorical(code.categories, name=code.key)
        if code.high == code.low:
            return space.Categorical([int(code.low)], name=code.key)
        if code.kind == "integer":
            return space.Integer(int(code.low), int(code.high), name=code.key)
        return space.Real(float(code.low), float(code.high), name=code.key)

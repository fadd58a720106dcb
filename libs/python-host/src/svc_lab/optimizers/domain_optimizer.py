"""What the optimizers of all libraries share: the domain, the runs of the campaign, and the best of them."""

from __future__ import annotations

import importlib
import inspect
import math

from ..domain import Invalid, LinearEquality, LinearInequality, NChooseK, fault, fitted, invalid, plain
from ..host.package_code import need_of
from ..optimizer import AbstractSequentialOptimizer, Domain

# See ../device.py.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from types import ModuleType
    from typing import Any, ClassVar

    from ..domain import Fault, Row

_CONSTRAINT_KINDS = {LinearEquality: "linear_equality", LinearInequality: "linear_inequality", NChooseK: "n_choose_k"}


def library(module: str, package: str) -> ModuleType:
    """Imports a module of a library. Raises ImportError that says what to install when it, or what it imports, is missing."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        missing = (error.name or module).split(".", maxsplit=1)[0]
        raise ImportError(f"this optimizer {need_of(missing, package)}") from None


class Run:
    """A protocol run that the optimizer proposed, or that was reported to it."""

    def __init__(self, row: Row, token: Any = None) -> None:
        self.name: str | None = None
        self.row = row
        self.token = token
        """What the library has for the row; None: the library did not propose it, or does not know it yet."""
        self.state = "pending"
        """`pending`, `measured` or `failed`."""
        self.outputs: dict[str, float] = {}


class DomainOptimizer(AbstractSequentialOptimizer):
    """Keeps the runs of a campaign. A subclass proposes rows, and may follow what becomes of them.

    A run that is reported twice under its name counts once. Without names, and for a run that was proposed without one, a row
    belongs to the first run in progress with the same values. If the service changed the values of a row, the library gets
    the values that ran.
    """

    lacks: ClassVar[tuple[str, ...]] = ()
    """What the library cannot do, of `several_objectives`, `thresholds`, and the kinds of constraints."""
    name: ClassVar[str] = "this optimizer"

    def __init__(
        self, inputs: Iterable[Any], outputs: Iterable[Any], constraints: Iterable[Any] = (), *, seed: int = 0
    ) -> None:
        """Takes declarations or their JSON. Raises `Invalid` when the domain is wrong, or the library cannot keep to it."""
        self.domain = Domain(inputs, outputs, constraints)
        self.seed = seed
        if not isinstance(seed, int) or isinstance(seed, bool) or seed < 0:
            raise invalid("the arguments are wrong", [fault("seed", "value", f"{seed!r} is no whole number from 0")])
        self._runs: list[Run] = []
        self._by_name: dict[str, Run] = {}
        faults = list(self._lacking())
        if faults:
            raise invalid("the library cannot keep to the domain", faults)

    @classmethod
    def svc_argument_names(cls) -> list[str]:
        return [name for name in inspect.signature(cls).parameters if name != "self"]

    @classmethod
    def svc_fit_arguments(cls, args: dict[str, Any], integers: Sequence[str]) -> dict[str, Any]:
        return fitted(args, integers)

    def sample(self, num_protocol_runs: int, run_names: Sequence[str] | None = None) -> list[Row]:
        """Proposes rows that fit the domain. Raises RuntimeError when the library proposes others."""
        proposed = self._propose(num_protocol_runs)
        if len(proposed) != num_protocol_runs:
            raise RuntimeError(f"{self.name} proposed {len(proposed)} rows instead of {num_protocol_runs}")
        try:
            runs = [Run(self.domain.check(self.domain.round(row)), token) for row, token in proposed]
        except Invalid as error:
            for row, token in proposed:
                self._failed(Run(row, token))
            raise RuntimeError(f"{self.name} proposed a row outside of the domain: {error}") from error
        for index, run in enumerate(runs):
            self._remember(run, None if run_names is None else run_names[index])
        return [dict(run.row) for run in runs]

    def report(
        self, inputs_df: Sequence[Row], outputs_df: Sequence[Row], run_names: Sequence[str] | None = None
    ) -> None:
        """Records results. Raises `Invalid`, and records nothing, if a row or a result does not fit."""
        rows = self._checked(inputs_df)
        results = [self._results_of(outputs, index) for index, outputs in enumerate(outputs_df)]
        for run, row, outputs in zip(self._runs_of(rows, run_names), rows, results):
            if run.state == "measured":
                continue
            self._set_row(run, row)
            run.state, run.outputs = "measured", outputs
            self._measured(run)

    def report_started(self, inputs_df: Sequence[Row], run_names: Sequence[str] | None = None) -> None:
        rows = self._checked(inputs_df)
        for run, row in zip(self._runs_of(rows, run_names), rows):
            if run.state == "pending":
                self._set_row(run, row)
                self._started(run)

    def report_failed(self, inputs_df: Sequence[Row], run_names: Sequence[str] | None = None) -> None:
        rows = self._checked(inputs_df)
        for run, row in zip(self._runs_of(rows, run_names), rows):
            if run.state == "pending":
                self._set_row(run, row)
                run.state = "failed"
                self._failed(run)

    def get_optimal_solutions(self) -> list[Row]:
        """The best measured rows: those that no other row beats in every objective.

        If outputs have thresholds, rows that meet them come before those that do not, and `meets_constraints` tells which.
        """
        measured = self.runs("measured")
        meeting = [run for run in measured if self.excess(run) <= 0]
        least = min((self.excess(run) for run in measured), default=0)
        candidates = meeting or [run for run in measured if self.excess(run) == least]
        costs = [self.costs(run) for run in candidates]
        best = [run for run, own in zip(candidates, costs) if not any(_beats(other, own) for other in costs)]
        has_thresholds = any(self._thresholds())
        more = {"meets_constraints": bool(meeting)} if has_thresholds else {}
        return [{**run.row, **run.outputs, **more} for run in best]

    def get_input_names(self) -> list[str]:
        return self.domain.input_names

    def get_output_names(self) -> list[str]:
        return self.domain.output_names

    def get_num_samples_reported(self) -> int:
        return len(self.runs("measured"))

    def runs(self, *states: str) -> list[Run]:
        """The runs in one of the states, or all, in the order in which they became known."""
        return [run for run in self._runs if not states or run.state in states]

    def costs(self, run: Run) -> list[float]:
        """One number for each objective of a measured run. Less is better."""
        return [output.cost(run.outputs[output.key]) for output in self.domain.objectives]

    def excess(self, run: Run) -> float:
        """By how much a measured run misses its thresholds; 0: it meets all."""
        return max([0.0, *(output.excess(run.outputs[output.key]) for output in self._thresholds())])

    def _propose(self, count: int) -> list[tuple[Row, Any]]:
        """Returns rows, each with what the library has for it. If it raises an error, it must have changed nothing."""
        raise NotImplementedError

    def _started(self, run: Run) -> None:
        """Takes a run that somebody else chose."""

    def _measured(self, run: Run) -> None:
        """Takes a run that was measured. Without a token, the library did not propose its row."""

    def _failed(self, run: Run) -> None:
        """Takes a run that ended without a result."""

    def _thresholds(self) -> list[Any]:
        return [each for each in self.domain.outputs if each.at_least is not None or each.at_most is not None]

    def _lacking(self) -> Iterable[Fault]:
        if "several_objectives" in self.lacks and len(self.domain.objectives) > 1:
            yield fault("outputs", "not_supported", f"{self.name} takes one objective", "use another library")
        for index, output in enumerate(self.domain.outputs):
            if "thresholds" in self.lacks and output in self._thresholds():
                text = f"{self.name} keeps to no thresholds of outputs"
                yield fault(f"outputs[{index}]", "not_supported", text, "use another library")
        for index, each in enumerate(self.domain.constraints):
            kind = _CONSTRAINT_KINDS[type(each)]
            if kind in self.lacks:
                text = f"{self.name} keeps to no constraint of the kind {kind}"
                yield fault(f"constraints[{index}]", "not_supported", text, "use another library")

    def _checked(self, table: Sequence[Row]) -> list[Row]:
        return [self.domain.check(row, f"rows[{index}]") for index, row in enumerate(table)]

    def _results_of(self, outputs: Row, index: int) -> dict[str, float]:
        results = {}
        for name in self.domain.output_names:
            value = plain(outputs.get(name))
            if not isinstance(value, (int, float)) or isinstance(value, bool) or not math.isfinite(value):
                text = f"{value!r} is no finite number"
                found = fault(f"outputs[{index}].{name}", "value", text, "report a run without a result as failed")
                raise invalid("a result does not fit", [found])
            results[name] = float(value)
        return results

    def _runs_of(self, rows: Sequence[Row], run_names: Sequence[str] | None) -> Iterable[Run]:
        for index, row in enumerate(rows):
            name = None if run_names is None else run_names[index]
            run = None if name is None else self._by_name.get(name)
            yield run or self._named(self._pending_at(row, name) or self._remember(Run(row)), name)

    def _pending_at(self, row: Row, name: str | None) -> Run | None:
        pending = (run for run in self._runs if run.state == "pending" and run.row == row)
        return next((run for run in pending if name is None or run.name is None), None)

    def _remember(self, run: Run, name: str | None = None) -> Run:
        self._runs.append(run)
        return self._named(run, name)

    def _named(self, run: Run, name: str | None) -> Run:
        if name is not None:
            run.name = name
            self._by_name[name] = run
        return run

    def _set_row(self, run: Run, row: Row) -> None:
        if run.row == row:
            return
        if run.token is not None:
            self._failed(run)
        run.row, run.token = row, None


class LiveOptimizer(DomainOptimizer):
    """Proposes with an object of a library that follows the runs.

    A new process gets all runs before it proposes. The object then begins anew with another seed, because the same one
    would draw the points of the lost process again.
    """

    _has_begun = False

    def sample(self, num_protocol_runs: int, run_names: Sequence[str] | None = None) -> list[Row]:
        if not self._has_begun:
            known = self.runs()
            if known:
                self._begin(self.seed + len(known))
            for run in known:
                if run.state != "failed":
                    (self._learn_result if run.state == "measured" else self._learn_point)(run)
            self._has_begun = True
        return super().sample(num_protocol_runs, run_names)

    def _begin(self, seed: int) -> None:
        """Makes the object of the library. The constructor calls it as well, so that wrong arguments show at once."""
        raise NotImplementedError

    def _learn_point(self, run: Run) -> None:
        """Takes a run in progress. Without a token, the object did not propose its row."""

    def _learn_result(self, run: Run) -> None:
        """Takes a measured run."""
        raise NotImplementedError

    def _forget(self, run: Run) -> None:
        """Takes a run that will have no result, or not with the row that the object proposed."""

    def _started(self, run: Run) -> None:
        if self._has_begun:
            self._learn_point(run)

    def _measured(self, run: Run) -> None:
        if self._has_begun:
            self._learn_result(run)

    def _failed(self, run: Run) -> None:
        if self._has_begun:
            self._forget(run)


def _beats(other: Sequence[float], own: Sequence[float]) -> bool:
    return all(a <= b for a, b in zip(other, own)) and any(a < b for a, b in zip(other, own))

"""One life of the optimizer of a campaign, as `libs/sdk/src/hosts/optimizer-session.ts`."""

from __future__ import annotations

import json

from ..domain import Invalid, fault
from .author_error import message_of
from .json_values import kind_of, to_json, to_json_object
from .tables import is_cell

# See ../device.py.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from .author_optimizer import AuthorOptimizer

    Trial = dict[str, Any]

MAX_RESULT_BYTES = 1_000_000
"""Largest belief, in bytes of JSON: half of the largest message."""
MAX_FAULTS = 100


class OptimizerSession:
    """Keeps track of the trials that the object knows.

    Each state of a trial is reported once, in the order of the trial numbers, and a run keeps its row however often the
    row is requested.
    """

    def __init__(
        self,
        optimizer: AuthorOptimizer,
        inputs: Sequence[str],
        outputs: Sequence[str],
        warn: Callable[[str], object],
    ) -> None:
        self._optimizer = optimizer
        self._inputs = inputs
        self._outputs = outputs
        self._warn = warn
        self._known: dict[int, Trial] = {}
        self._insights_used: dict[int, list[str]] = {}

    def tell(self, trials: Sequence[Trial]) -> int:
        """Reports trials that are new or have changed their state, and returns the number of results that the optimizer has.

        A given trial that the optimizer refuses is skipped. Raises the error of the author's code; the session is then
        unusable.
        """
        if self._optimizer.has("report_details"):
            details = [{key: each[key] for key in ("run", "source", "note", "additional")} for each in trials]
            self._optimizer.call("report_details", json.loads(json.dumps(details)))
        for step, together in self._steps_for(trials):
            try:
                self._take(step, together)
            except Exception as error:
                first = together[0]
                if first["source"] != "given":
                    raise
                text = f"the optimizer learns nothing from {first['run']}, whose inputs were given: {message_of(error)}"
                self._warn(text)
            for trial in together:
                self._known[trial["number"]] = trial
        measured = self._optimizer.call("get_num_samples_reported")
        if not isinstance(measured, int) or isinstance(measured, bool) or measured < 0:
            raise TypeError(f"get_num_samples_reported returned {kind_of(measured)} that is no count: {measured}")
        return measured

    def propose(self, runs: Sequence[dict[str, Any]], insights: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """Returns rows for runs. A run that has a row in this session keeps it."""
        missing = sorted((run for run in runs if run["number"] not in self._known), key=lambda run: run["number"])
        if missing:
            self._sample(missing, insights)
        numbers = [run["number"] for run in runs]
        used = [each for number in numbers for each in self._insights_used.get(number, [])]
        return {"trials": [self._known[number] for number in numbers], "insights_used": list(dict.fromkeys(used))}

    def configure(self, params: dict[str, Any]) -> dict[str, Any]:
        """Raises Invalid when a parameter does not fit; then nothing is changed."""
        if params:
            self._optimizer.set_runtime_params(params)
        return self._optimizer.runtime_params()

    def best(self) -> list[dict[str, Any]]:
        method = "get_optimal_solutions"
        rows = self._optimizer.rows(method, self._optimizer.call(method))
        for index, row in enumerate(rows):
            for key, value in row.items():
                if not is_cell(value):
                    raise TypeError(f"Row {index} of {method} has {kind_of(value)} as {key}")
            to_json_object(row, f"row {index} of {method}")
        return rows

    def explain(self) -> Any:
        """What the model has learnt; None: the optimizer has no model, or the content is larger than a message."""
        belief = self._optimizer.call("explain") if self._optimizer.has("explain") else None
        plain = to_json(belief, "the result of explain", most=None)
        size = len(json.dumps(plain).encode())
        if size <= MAX_RESULT_BYTES:
            return plain
        self._warn(f"what explain returned is not shown: it has {size} bytes of JSON, more than {MAX_RESULT_BYTES}")
        return None

    def refuse_foreign_rows(self, given: Sequence[dict[str, dict[str, Any]]]) -> None:
        """Reports to the optimizer that the runs of rows have begun. Use an object that is dropped.

        A row without all inputs is not reported. Raises Invalid with the path of each refused row or, if one input is at
        fault, of that input: `given[3].mix.cyan_volume`.
        """
        faults = []
        for index, parameters in enumerate(given):
            row = self._inputs_in(parameters)
            if row is None or len(faults) >= MAX_FAULTS:
                continue
            try:
                self._optimizer.call_with_tables("report_started", [row], run_names=[f"given_{index + 1}"])
            except Exception as error:
                told = error.faults if isinstance(error, Invalid) else [fault("", "refused", message_of(error))]
                for each in told:
                    name = next((name for name in self._inputs if each["path"].endswith(f".{name}")), None)
                    faults.append({**each, "path": f"given[{index}]{'' if name is None else f'.{name}'}"})
        if faults:
            text = f"the optimizer does not take a row that is given: {faults[0]['message']}"
            raise Invalid(text, faults[:MAX_FAULTS])

    def _inputs_in(self, parameters: dict[str, dict[str, Any]]) -> dict[str, Any] | None:
        """The inputs among the parameters of a run; None: one of them is missing."""
        row = {}
        for name in self._inputs:
            task, _, parameter = name.partition(".")
            value = parameters.get(task, {}).get(parameter)
            if not is_cell(value):
                return None
            row[name] = value
        return row

    def _steps_for(self, trials: Sequence[Trial]) -> list[tuple[str, list[Trial]]]:
        """The steps to take, in order. Adjacent trials share a step of the same kind, unless one of them may be refused."""
        steps: list[tuple[str, list[Trial]]] = []
        for trial in sorted(trials, key=lambda trial: trial["number"]):
            step = _step_to(trial, self._known.get(trial["number"]))
            if step is None:
                continue
            joins = steps and steps[-1][0] == step and "given" not in (trial["source"], steps[-1][1][0]["source"])
            if joins:
                steps[-1][1].append(trial)
            else:
                steps.append((step, [trial]))
        return steps

    def _take(self, step: str, trials: Sequence[Trial]) -> None:
        inputs = [dict(trial["inputs"]) for trial in trials]
        names = [trial["run"] for trial in trials]
        if step != "report":
            self._optimizer.call_with_tables(step, inputs, run_names=names)
            return
        outputs = [{name: _measured_of(trial, name) for name in self._outputs} for trial in trials]
        self._optimizer.call_with_tables("report", inputs, outputs, run_names=names)

    def _sample(self, runs: Sequence[dict[str, Any]], insights: Sequence[dict[str, Any]]) -> None:
        optimizer = self._optimizer
        if optimizer.has("offer_insights"):
            optimizer.call("offer_insights", [{"id": each["id"], "text": each["text"]} for each in insights])
        table = optimizer.call_with_tables("sample", len(runs), run_names=[run["run"] for run in runs])
        rows = self._checked(table, len(runs))
        said = optimizer.call("last_sample") if optimizer.has("last_sample") else None
        about = to_json_object(said, "the result of last_sample") if said is not None else {}
        limits = about.get("limits_used") or []
        plain = {"source": "optimizer", "note": {"limits_used": limits} if limits else {}}
        origins = about.get("rows") or []
        for index, (run, row) in enumerate(zip(runs, rows)):
            origin = origins[index] if index < len(origins) else plain
            self._known[run["number"]] = {
                "number": run["number"],
                "run": run["run"],
                "source": origin["source"],
                "state": "proposed",
                "inputs": row,
                "outputs": None,
                "additional": {},
                "note": origin["note"],
            }
            self._insights_used[run["number"]] = about.get("insights_used") or []

    def _checked(self, table: Any, count: int) -> list[dict[str, Any]]:
        rows = self._optimizer.rows("sample", table)
        if len(rows) != count:
            raise ValueError(f"sample({count}) returned {len(rows)} rows")
        for index, row in enumerate(rows):
            where = f"Row {index} of sample({count})"
            extra = next((key for key in row if key not in self._inputs), None)
            if extra is not None:
                names = ", ".join(self._inputs)
                raise ValueError(f"{where} has a column {extra}, which is no input; inputs are {names}")
            for name in self._inputs:
                if name not in row:
                    raise ValueError(f"{where} lacks the input {name}")
                value = row[name]
                if not is_cell(value):
                    shown = value if isinstance(value, float) else kind_of(value)
                    raise ValueError(f"{where} has {shown} as {name}: use a finite number, a text, True or False")
            to_json_object(row, where)
        return [{name: row[name] for name in self._inputs} for row in rows]


def _step_to(trial: Trial, known: Trial | None) -> str | None:
    """The step that takes the object from the state it knows to the present state of a trial. A result never changes."""
    state = None if known is None else known["state"]
    if state == "measured":
        return None
    if trial["state"] == "measured":
        return "report"
    if trial["state"] == "failed":
        return None if state == "failed" else "report_failed"
    return "report_started" if known is None else None


def _measured_of(trial: Trial, name: str) -> float:
    value = (trial["outputs"] or {}).get(name)
    if value is None:
        raise ValueError(f"{trial['run']} is told as measured without a value of {name}")
    return value

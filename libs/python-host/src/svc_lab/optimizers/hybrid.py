"""The hybrid optimizer: each call goes to an optimizer in Python or to a language model. As `libs/optimization/src/hybrid`."""

from __future__ import annotations

import inspect
import random

from ..domain import Invalid, fault, invalid
from ..host.author_error import message_of
from ..host.author_optimizer import METHODS, AuthorOptimizer, inherited_fields
from ..host.json_values import to_json
from ..logs import author_log
from .bofire_strategy import BofireOptimizer, own_of
from .domain_optimizer import DomainOptimizer, Run

# See ../device.py.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from ..domain import Row
    from ..host.worker_calls import WorkerCalls

    Note = dict[str, Any]

AI_SETTINGS = (
    *("p_bayesian", "p_ai", "ai_model", "ai_model_settings", "ai_retries", "ai_time_limit", "ai_history_size"),
    *("ai_additional_context", "ai_additional_parameters", "ai_api_key"),
)
"""The constructor arguments that `docs/guide/hybrid-optimizer.md` explains. The worker has their rules and defaults."""
RUNTIME_SETTINGS = {
    "p_bayesian": "number",
    "p_ai": "number",
    "ai_history_size": "number",
    "ai_additional_context": "text",
}
"""Those that may change while a campaign runs, and the types of their fields."""
LONGEST_REASON = 400
"""Characters of the reason for which the plugged-in optimizer refuses a point."""


class HybridOptimizer(DomainOptimizer):
    """For each call of `sample`, chooses between a plugged-in optimizer and an AI.

    The worker of the campaign asks the language model, checks what it suggests, and keeps the key, so the AI is the one of
    the hybrid optimizer in TypeScript. Every row fits the domain. Without a valid suggestion in time, the plugged-in
    optimizer chooses. It gets every run, those of the AI too.

    A subclass may override `_create_optimizer`. It sets attributes of its own before it calls this constructor, which calls
    that method when `domain` is set. Methods of the plugged-in optimizer are not `async`.
    """

    name = "the plugged-in optimizer"

    def __init__(
        self,
        inputs: Iterable[Any],
        outputs: Iterable[Any],
        constraints: Iterable[Any] = (),
        *,
        plugged_in: Any = BofireOptimizer,
        seed: int = 0,
        **settings: Any,
    ) -> None:
        """`plugged_in` is a class that takes `inputs`, `outputs`, `constraints`, `seed` and the further `settings`.

        `settings` of `AI_SETTINGS` are those of the AI. Raises `Invalid` when the domain is wrong, or the plugged-in optimizer
        has other inputs or outputs, or a runtime parameter of the AI.
        """
        if not callable(plugged_in):
            found = [fault("plugged_in", "type", f"{plugged_in!r} is no class of optimizers")]
            raise invalid("the arguments are wrong", found)
        self._plugged_in_class = plugged_in
        self._settings = {key: value for key, value in settings.items() if key not in AI_SETTINGS}
        self._ai = {key: value for key, value in settings.items() if key in AI_SETTINGS and value is not None}
        inputs, outputs, constraints = list(inputs), list(outputs), list(constraints)
        super().__init__(map(own_of, inputs), map(own_of, outputs), map(own_of, constraints), seed=seed)
        made = self._create_optimizer(inputs, outputs, constraints)
        missing = [name for name in METHODS if not callable(getattr(made, name, None))]
        if missing:
            raise TypeError(f"_create_optimizer returned {made!r}, which has no method {', '.join(missing)}")
        self._plugged_in = AuthorOptimizer(made, _at_once)
        self._refuse_misfit()
        self._worker: WorkerCalls | None = None
        self._p_ai = 0.0
        self._change: dict[str, Any] = {}
        """Runtime parameters that were set before the worker could check them."""
        self._settled: dict[str, Any] = {
            "runtime_params": {key: self._ai.get(key) for key in RUNTIME_SETTINGS},
            "additional_names": [],
            "fields": [],
        }
        self._details: dict[str, dict[str, Any]] = {}
        self._insights: list[dict[str, str]] = []
        self._last: dict[str, Any] = {"rows": [], "insights_used": [], "limits_used": []}

    @classmethod
    def svc_param_schema(cls) -> list[dict[str, Any]]:
        """What may change while a campaign runs. `get_param_schema` has all settings, as the worker describes them."""
        return [{"key": key, "type": kind, "default": None, "runtime": True} for key, kind in RUNTIME_SETTINGS.items()]

    @classmethod
    def svc_argument_names(cls) -> list[str]:
        constructors = [vars(each)["__init__"] for each in cls.__mro__ if "__init__" in vars(each)]
        given = [each for made in constructors[:-1] for each in inspect.signature(made).parameters.values()]
        names = [each.name for each in given if each.kind is not each.VAR_KEYWORD and each.name != "self"]
        return list(dict.fromkeys([*names, *AI_SETTINGS]))

    def _create_optimizer(self, inputs: list[Any], outputs: list[Any], constraints: list[Any]) -> Any:
        """Makes the plugged-in optimizer. It must accept points that it did not propose, in any order."""
        return self._plugged_in_class(
            inputs=inputs, outputs=outputs, constraints=constraints, seed=self.seed, **self._settings
        )

    def svc_connect(self, worker: WorkerCalls) -> None:
        """Lets the AI be asked. Before, only the plugged-in optimizer is. Raises `Invalid` when settings of the AI are wrong."""
        self._worker = worker
        self._settle(self._change)

    def sample(self, num_protocol_runs: int, run_names: Sequence[str] | None = None) -> list[Row]:
        """Proposes rows, all from the AI or all from the plugged-in optimizer; `last_sample` says from which.

        The choice depends on the seed and the name of the first run, so a new process with the same runs chooses in the same
        way.
        """
        place = f"#{len(self.runs()) + 1}" if run_names is None else run_names[0]
        # A text as the seed gives the same number in every process.
        if self._worker is None or random.Random(f"{self.seed} {place}").random() >= self._p_ai:
            return self._by_optimizer(num_protocol_runs, run_names, {})
        offered = self._insights
        said = self._worker.call("hybrid_suggestion", self._question(num_protocol_runs, offered))
        spent = {"model": self._ai["ai_model"], "tokens": said["tokens"]}
        if "points" not in said:
            return self._by_optimizer(num_protocol_runs, run_names, {**spent, "fallback": said["failure"]})
        rows = [self.domain.check(row) for row in said["points"]]
        try:
            self._tell("report_started", rows, run_names)
        except Exception as error:
            reason = f"The plugged-in optimizer refuses the point: {message_of(error)[:LONGEST_REASON]}"
            failure = {"code": "refused", "message": reason}
            return self._by_optimizer(num_protocol_runs, run_names, {**spent, "fallback": failure})
        self._insights = []
        texts = {"insights": [each["text"] for each in offered]} if offered else {}
        notes = [
            {
                "journal": said["journal"],
                "model": spent["model"],
                **({"tokens": spent["tokens"], **texts} if index == 0 else {}),
                **({"adjusted": True} if adjusted else {}),
            }
            for index, adjusted in enumerate(said["adjusted"])
        ]
        return self._begun(rows, run_names, "ai", notes, insights_used=[each["id"] for each in offered])

    def report(
        self, inputs_df: Sequence[Row], outputs_df: Sequence[Row], run_names: Sequence[str] | None = None
    ) -> None:
        """Records results here and in the plugged-in optimizer, or, if one of them refuses, in neither."""
        rows = self._checked(inputs_df)
        results = [self._results_of(outputs, index) for index, outputs in enumerate(outputs_df)]
        self._plugged_in.call_with_tables("report", rows, results, run_names=run_names)
        super().report(rows, results, run_names)

    def report_started(self, inputs_df: Sequence[Row], run_names: Sequence[str] | None = None) -> None:
        rows = self._checked(inputs_df)
        self._tell("report_started", rows, run_names)
        super().report_started(rows, run_names)

    def report_failed(self, inputs_df: Sequence[Row], run_names: Sequence[str] | None = None) -> None:
        rows = self._checked(inputs_df)
        self._tell("report_failed", rows, run_names)
        super().report_failed(rows, run_names)

    def report_details(self, details: Sequence[dict[str, Any]]) -> None:
        """Takes sources, notes and further values of runs, for the prompt."""
        self._details.update((each["run"], each) for each in details)

    def offer_insights(self, insights: Sequence[dict[str, str]]) -> None:
        """Replaces the remarks for the next suggestion, oldest first."""
        self._insights = list(insights)

    def last_sample(self) -> dict[str, Any]:
        return self._last

    def get_optimal_solutions(self) -> list[Row]:
        method = "get_optimal_solutions"
        return self._plugged_in.rows(method, self._plugged_in.call(method))

    def get_num_samples_reported(self) -> int:
        return self._plugged_in.call("get_num_samples_reported")

    def get_additional_names(self) -> list[str]:
        return list(self._settled["additional_names"])

    def get_param_schema(self) -> list[dict[str, Any]]:
        found = [
            *self._settled["fields"],
            *inherited_fields(type(self)),
            *inherited_fields(type(self._plugged_in.object)),
        ]
        # The first of each key counts.
        return list({each["key"]: each for each in reversed(found)}.values())[::-1]

    def get_runtime_params(self) -> dict[str, Any]:
        return {**self._settled["runtime_params"], **self._plugged_in.runtime_params()}

    def set_runtime_params(self, params: dict[str, Any]) -> None:
        """Changes settings of the AI and runtime parameters of the plugged-in optimizer. If one is refused, none is changed."""
        own = {key: value for key, value in params.items() if key in AI_SETTINGS}
        others = {key: value for key, value in params.items() if key not in AI_SETTINGS}
        before = self._ai
        if own and self._worker is None:
            self._change.update(own)
        elif own:
            self._settle(own)
        if not others:
            return
        try:
            self._plugged_in.set_runtime_params(others)
        except BaseException:
            self._ai = before
            if self._worker is not None:
                self._settle({})
            raise

    def explain(self) -> Any:
        return self._plugged_in.call("explain") if self._plugged_in.has("explain") else None

    def _settle(self, change: dict[str, Any]) -> None:
        """Has the worker check the settings of the AI after a change, and takes them."""
        assert self._worker is not None
        asked = {"arguments": self._ai, "space": self.domain.to_json(), "change": change}
        self._settled = self._worker.call("hybrid_settings", asked)
        self._p_ai = self._settled["p_ai"]
        self._ai = {**self._ai, **self._settled["runtime_params"]}

    def _question(self, count: int, insights: Sequence[dict[str, str]]) -> dict[str, Any]:
        return {
            "arguments": self._ai,
            "space": self.domain.to_json(),
            "protocol": "" if self._worker is None else self._worker.protocol,
            "runs": [_told(run) for run in self.runs()],
            "details": list(self._details.values()),
            "belief": self._belief(),
            "insights": [each["text"] for each in insights],
            "count": count,
        }

    def _belief(self) -> Any:
        """What the plugged-in optimizer explains. A prompt does without it when it cannot be had."""
        try:
            return to_json(self.explain(), "the result of explain", most=None)
        except Exception as error:
            author_log().warning("the AI is asked without the model of the results: %s", message_of(error))
            return None

    def _by_optimizer(self, count: int, run_names: Sequence[str] | None, note: Note) -> list[Row]:
        table = self._plugged_in.call_with_tables("sample", count, run_names=run_names)
        proposed = self._plugged_in.rows("sample", table)
        if len(proposed) != count:
            raise RuntimeError(f"{self.name} proposed {len(proposed)} rows instead of {count}")
        try:
            rows = [self.domain.check(self.domain.round(row)) for row in proposed]
        except Invalid as error:
            raise RuntimeError(f"{self.name} proposed a row outside of the domain: {error}") from error
        said = self._plugged_in.call("last_sample") if self._plugged_in.has("last_sample") else None
        limits = list((said or {}).get("limits_used") or [])
        tokens = {"tokens": note["tokens"]} if "tokens" in note else {}
        shared = {key: value for key, value in note.items() if key != "tokens"}
        if limits:
            shared["limits_used"] = limits
        notes = [{**shared, **(tokens if index == 0 else {})} for index in range(count)]
        return self._begun(rows, run_names, "optimizer", notes, limits_used=limits)

    def _begun(
        self,
        rows: list[Row],
        run_names: Sequence[str] | None,
        source: str,
        notes: Sequence[Note],
        *,
        insights_used: Sequence[str] = (),
        limits_used: Sequence[str] = (),
    ) -> list[Row]:
        for index, row in enumerate(rows):
            name = None if run_names is None else run_names[index]
            self._remember(Run(row), name)
            if name is not None:
                self._details[name] = {"run": name, "source": source, "note": notes[index], "additional": {}}
        origins = [{"source": source, "note": note} for note in notes]
        self._last = {"rows": origins, "insights_used": list(insights_used), "limits_used": list(limits_used)}
        return [dict(row) for row in rows]

    def _tell(self, method: str, rows: list[Row], run_names: Sequence[str] | None) -> None:
        if self._plugged_in.has(method):
            self._plugged_in.call_with_tables(method, rows, run_names=run_names)

    def _refuse_misfit(self) -> None:
        faults = []
        for method, wanted in (
            ("get_input_names", self.domain.input_names),
            ("get_output_names", self.domain.output_names),
        ):
            names = self._plugged_in.names(method)
            if sorted(names) != sorted(wanted):
                text = f"the plugged-in optimizer names {', '.join(names)}, and the arguments {', '.join(wanted)}"
                faults.append(fault(method, "names", text))
        fields = [*inherited_fields(type(self)), *inherited_fields(type(self._plugged_in.object))]
        others = [each["key"] for each in fields if each not in HybridOptimizer.svc_param_schema()]
        for key in [*others, *self._plugged_in.runtime_params()]:
            if key in AI_SETTINGS:
                text = f'"{key}" is a setting of the hybrid optimizer'
                faults.append(fault(key, "collision", text, f"choose a name that is none of {', '.join(AI_SETTINGS)}"))
        if faults:
            raise invalid("the optimizer cannot be made", faults)


def _told(run: Run) -> dict[str, Any]:
    measured = run.outputs if run.state == "measured" else None
    return {"name": run.name, "point": run.row, "status": run.state, "measured": measured}


def _at_once(value: Any) -> Any:
    """What a method returned. Raises TypeError for a coroutine, of which nothing would run."""
    if hasattr(value, "__await__"):
        getattr(value, "close", lambda: None)()
        raise TypeError("a method of the plugged-in optimizer is async; plug in one whose methods are not")
    return value

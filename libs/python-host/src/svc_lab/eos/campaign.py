"""An optimizer of a package of EOS as the optimizer of a campaign of this service."""

from __future__ import annotations

import inspect

from ..host.author_optimizer import AuthorOptimizer
from ..host.tables import to_frame
from ..optimizer import AbstractSequentialOptimizer

# See ../device.py.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ..host.worker_calls import WorkerCalls

    Row = dict[str, Any]


def class_for(theirs: type) -> type:
    """The class of this service that makes an optimizer of a class of EOS, with the same constructor arguments."""
    # `inspect` reads it for the arguments of a class.
    members = {"_class": theirs, "__signature__": inspect.signature(theirs), "__module__": theirs.__module__}
    return type(theirs.__name__, (CampaignOptimizer,), members)


class CampaignOptimizer(AbstractSequentialOptimizer):
    """Rows become data frames, and methods that EOS calls when an optimizer has them are called by the names of this service."""

    _class: type

    def __init__(self, **arguments: Any) -> None:
        self._use(self._class(**arguments))

    @classmethod
    def of(cls, theirs: Any) -> CampaignOptimizer:
        """For an object that is made already."""
        made = cls.__new__(cls)
        made._use(theirs)
        return made

    def _use(self, theirs: Any) -> None:
        self._theirs = theirs
        self._frames = AuthorOptimizer(theirs, lambda value: value)
        self._additional: dict[str, dict[str, Any]] = {}
        self._heard: set[str] = set()

    @classmethod
    def svc_param_schema(cls) -> list[dict[str, Any]]:
        """The settings of `eos_param_schema`, which EOS has from version 0.30 on."""
        described = (vars(each).get("eos_param_schema") for each in getattr(cls, "_class", object).__mro__)
        fields = [field for each in described if each is not None for field in each.__get__(None, cls._class)()]
        return list({field["key"]: {"default": None, "runtime": False, **field} for field in reversed(fields)}.values())

    @classmethod
    def svc_argument_names(cls) -> list[str]:
        given = inspect.signature(cls._class).parameters.values()
        return [each.name for each in given if each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)]

    def svc_connect(self, worker: WorkerCalls) -> Any:
        if self._frames.has("set_protocol_context"):
            self._theirs.set_protocol_context(worker.protocol)
        return self._theirs.svc_connect(worker) if self._frames.has("svc_connect") else None

    def sample(self, num_protocol_runs: int, run_names: Sequence[str] | None = None) -> Any:
        return self._call("sample", num_protocol_runs, run_names=run_names)

    def report(
        self, inputs_df: Sequence[Row], outputs_df: Sequence[Row], run_names: Sequence[str] | None = None
    ) -> Any:
        rows = [
            # EOS has further values in columns of the outputs.
            {**row, **{name: self._additional.get(run, {}).get(name) for name in self.get_additional_names()}}
            for row, run in zip(outputs_df, run_names or [""] * len(outputs_df))
        ]
        return self._call("report", to_frame(inputs_df), to_frame(rows), run_names=run_names)

    def report_started(self, inputs_df: Sequence[Row], run_names: Sequence[str] | None = None) -> Any:
        return self._tell("report_started", inputs_df, run_names)

    def report_failed(self, inputs_df: Sequence[Row], run_names: Sequence[str] | None = None) -> Any:
        return self._tell("report_failed", inputs_df, run_names)

    def report_details(self, details: Sequence[dict[str, Any]]) -> None:
        self._additional.update((each["run"], each["additional"]) for each in details)
        if self._frames.has("report_details"):
            self._theirs.report_details(details)

    def get_optimal_solutions(self) -> Any:
        return self._theirs.get_optimal_solutions()

    def get_input_names(self) -> list[str]:
        return self._theirs.get_input_names()

    def get_output_names(self) -> list[str]:
        return self._theirs.get_output_names()

    def get_num_samples_reported(self) -> int:
        return self._theirs.get_num_samples_reported()

    def get_additional_names(self) -> list[str]:
        return sorted(self._theirs.get_additional_parameters()) if self._frames.has("get_additional_parameters") else []

    def get_param_schema(self) -> list[dict[str, Any]]:
        own = self._theirs.get_param_schema() if self._frames.has("get_param_schema") else []
        return [*own, *(each for each in self.svc_param_schema() if each["key"] not in [field["key"] for field in own])]

    def get_runtime_params(self) -> dict[str, Any]:
        return self._theirs.get_runtime_params() if self._frames.has("get_runtime_params") else {}

    def set_runtime_params(self, params: dict[str, Any]) -> Any:
        if self._frames.has("set_runtime_params"):
            return self._theirs.set_runtime_params(params)
        return super().set_runtime_params(params)

    def offer_insights(self, insights: Sequence[dict[str, str]]) -> None:
        """Gives new remarks of people to an optimizer that takes them one by one."""
        if self._frames.has("offer_insights"):
            self._theirs.offer_insights(insights)
        elif self._frames.has("add_insight"):
            for each in insights:
                if each["id"] not in self._heard:
                    self._heard.add(each["id"])
                    self._theirs.add_insight(each["text"])

    def last_sample(self) -> Any:
        return self._theirs.last_sample() if self._frames.has("last_sample") else None

    def explain(self) -> Any:
        return self._theirs.explain() if self._frames.has("explain") else None

    def _call(self, method: str, *arguments: Any, run_names: Sequence[str] | None) -> Any:
        return self._frames.call_with_tables(method, *arguments, run_names=run_names)

    def _tell(self, method: str, rows: Sequence[Row], run_names: Sequence[str] | None) -> Any:
        return self._call(method, to_frame(rows), run_names=run_names) if self._frames.has(method) else None

# `npm run docs:reference` writes this file from svc_client/aio/campaigns.py.
"""Campaigns and their trials, as tables with units."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, cast

from .. import models
from ..core.requests import Request, path_of
from ..core.shown import bar_html, plot_trials, table_html
from ..core.tables import Units, arrow_of_frame, frame_of_csv, frame_of_rows, trial_row, units_of
from ..core.work import campaign_progress, given
from .driven import DrivenCampaign
from .files import File, Files
from .work import Records, Run, Work

if TYPE_CHECKING:
    import os
    from collections.abc import Generator, Mapping, Sequence
    from pathlib import Path

    from ..models import CampaignSummary, FileRecord, OptimizerRecord, ProtocolRunSummary, TaskFailurePolicy, Trial
    from .transport import Transport


class Trials(list["Trial"]):
    """Trials by number. `units` has the unit of each input and output that has one."""

    def __init__(self, trials: Sequence[Trial], units: Mapping[str, str]) -> None:
        super().__init__(trials)
        self.units = dict(units)

    @property
    def measured(self) -> Trials:
        """Those with outputs."""
        return Trials([trial for trial in self if trial["outputs"] is not None], self.units)

    def to_dataframe(self, *, units: Units = "attrs") -> Any:
        """A data frame of pandas with a row for each trial. `units="labels"` puts the units into the names of the columns."""
        return frame_of_rows([trial_row(cast("Mapping[str, Any]", trial)) for trial in self], self.units, units)

    def to_arrow(self) -> Any:
        """A table of pyarrow; the metadata `unit` of a field is its unit."""
        return arrow_of_frame(self.to_dataframe())

    def plot(self, output: str, *, best: Literal["lowest", "highest"] = "lowest") -> Any:
        """Axes of matplotlib with the output of each trial, and the best so far."""
        return plot_trials(cast("Sequence[Mapping[str, Any]]", self), output, self.units.get(output), best)

    def _repr_html_(self) -> str:
        return table_html([trial_row(cast("Mapping[str, Any]", trial)) for trial in self])


class Campaign(Work[models.CampaignRecord]):
    """A protocol that runs many times."""

    kind = "campaign"
    _kind_of_events = "campaign"

    def _path(self, rest: str = "") -> str:
        return path_of("/api/campaigns/{}", self.name) + rest

    def _progress(self) -> tuple[float | None, str]:
        return campaign_progress(self.record)

    def _event_filter(self) -> dict[str, Any]:
        return {"campaign": self.name}

    def runs(self, **filters: Any) -> Records[ProtocolRunSummary]:
        """The records of its runs without their tasks, in the order of their numbers."""
        query = {"sort": "created_at", **filters}
        return Records([run for run in self._transport.each(self._path("/runs"), query)])

    def run(self, number: int) -> Run:
        """Its run of that number, from 1."""
        path = path_of("/api/protocols/{}", f"{self.name}_run_{number}")
        return Run(self._transport, self._transport.json("GET", path))

    def trials(self, **filters: Any) -> Trials:
        """The trials of its optimizer. A campaign without an optimizer has none: use `to_dataframe` of the campaign."""
        found = [trial for trial in self._transport.each(self._path("/trials"), filters)]
        return Trials(found, self.units())

    def units(self) -> dict[str, str]:
        """Units by `task.parameter`, as the loaded definitions have them."""
        return units_of_protocol(self._transport, self.record["protocol"])

    def csv(self) -> str:
        """A row for each run that has begun: parameters, and outputs that are a number, a text or a flag."""
        request = Request("GET", self._path("/runs.csv"), accept="text/csv", deadline_s=self._transport.deadline_s)
        return (self._transport.send(request)).text

    def to_dataframe(self, *, units: Units = "attrs") -> Any:
        """The rows of `csv` as a data frame of pandas. `units="labels"` puts the units into the names of the columns."""
        return frame_of_csv(self.csv(), self.units(), units)

    def to_arrow(self) -> Any:
        """The same as a table of pyarrow; the metadata `unit` of a field is its unit."""
        return arrow_of_frame(self.to_dataframe())

    def files(self) -> Files:
        """The files of all runs so far."""
        found = [file for file in self._transport.each("/api/files", {"campaign": self.name})]
        return Files([File(self._transport, file["task"], file["protocol_run"], cast("FileRecord", file)) for file in found])

    def save_files(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Writes all files to `folder/run/task/name`."""
        return (self.files()).save_all(folder)

    def optimizer(self, *, explain: bool = False) -> OptimizerRecord:
        """The optimizer of the service: its state, settings and journal."""
        return self._transport.json("GET", self._path("/optimizer"), query={"explain": explain})

    def pause(self) -> Campaign:
        """Starts no run and no task until it is resumed."""
        return self._act("pause", {})

    def resume(self, *, optimizer_overrides: Mapping[str, Any] | None = None) -> Campaign:
        """Goes on after a pause, or where the campaign failed or was cancelled."""
        return self._act("resume", given(optimizer_overrides=optimizer_overrides))

    def change(
        self,
        *,
        priority: int | None = None,
        max_protocol_runs: int | None = None,
        max_concurrent_protocol_runs: int | None = None,
        global_parameters: Mapping[str, Mapping[str, Any]] | None = None,
        protocol_run_parameters: Sequence[Mapping[str, Mapping[str, Any]]] | None = None,
    ) -> Campaign:
        """Changes a campaign that has not ended. Fields that are left out stay as they are."""
        body = given(
            priority=priority,
            max_protocol_runs=max_protocol_runs,
            max_concurrent_protocol_runs=max_concurrent_protocol_runs,
            global_parameters=global_parameters,
            protocol_run_parameters=protocol_run_parameters,
        )
        self.record = self._transport.json("PATCH", self._path(), body=body)
        return self

    def _below(self) -> str:
        return bar_html(*campaign_progress(self.record))


class Campaigns:
    """Campaigns: submit, read, list, or drive with an optimizer of your own."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def submit(
        self,
        name: str,
        *,
        protocol: str,
        max_protocol_runs: int,
        max_concurrent_protocol_runs: int | None = None,
        optimize: bool | None = None,
        optimizer_ip: str | None = None,
        global_parameters: Mapping[str, Mapping[str, Any]] | None = None,
        protocol_run_parameters: Sequence[Mapping[str, Mapping[str, Any]]] | None = None,
        owner: str | None = None,
        priority: int | None = None,
        failure_policy: Mapping[str, TaskFailurePolicy] | None = None,
        on_run_failure: Literal["stop", "continue", "pause"] | None = None,
        max_failures: int | None = None,
        resume: bool | None = None,
        meta: Mapping[str, Any] | None = None,
        key: str | None = None,
    ) -> Campaign:
        """Submits a campaign of `protocol`. The fields are those of the REST interface."""
        body = given(
            name=name,
            protocol=protocol,
            max_protocol_runs=max_protocol_runs,
            max_concurrent_protocol_runs=max_concurrent_protocol_runs,
            optimize=optimize,
            optimizer_ip=optimizer_ip,
            global_parameters=global_parameters,
            protocol_run_parameters=protocol_run_parameters,
            owner=owner,
            priority=priority,
            failure_policy=failure_policy,
            on_run_failure=on_run_failure,
            max_failures=max_failures,
            resume=resume,
            meta=meta,
        )
        # The service may first start an optimizer.
        record = self._transport.json("POST", "/api/campaigns", body=body, key=key, timeout_s=130, deadline_s=180)
        return Campaign(self._transport, record)

    def try_out(self, name: str, *, protocol: str, max_protocol_runs: int, **more: Any) -> Any:
        """Checks and simulates a submission, and stores nothing. The answer has `resolved`, `estimate` and `warnings`."""
        body = given(name=name, protocol=protocol, max_protocol_runs=max_protocol_runs, **more)
        query = {"dry_run": True}
        return self._transport.json("POST", "/api/campaigns", query=query, body=body, timeout_s=130, deadline_s=180)

    def get(self, name: str) -> Campaign:
        return Campaign(self._transport, self._transport.json("GET", path_of("/api/campaigns/{}", name)))

    def list(self, *, limit: int = 100, **filters: Any) -> Records[CampaignSummary]:
        """One page of campaigns, newest first."""
        page = self._transport.json("GET", "/api/campaigns", query={"limit": limit, **filters})
        return Records(page["items"])

    def each(self, **filters: Any) -> Generator[CampaignSummary, None, None]:
        """All campaigns, page by page."""
        for item in self._transport.each("/api/campaigns", filters):
            yield item

    def drive(
        self,
        name: str,
        *,
        protocol: str,
        outputs: Sequence[str],
        global_parameters: Mapping[str, Mapping[str, Any]] | None = None,
        max_concurrent_protocol_runs: int = 1,
        on_run_failure: Literal["stop", "continue", "pause"] = "continue",
        **more: Any,
    ) -> DrivenCampaign:
        """Opens a campaign whose runs you propose one by one, or goes on with the one of this name.

        Args:
            outputs: The results that you want of each run, as `task.parameter`.
            more: Further fields of `submit`, such as `owner`.
        """
        body = given(
            name=name,
            protocol=protocol,
            max_protocol_runs=0,
            protocol_run_parameters=[],
            max_concurrent_protocol_runs=max_concurrent_protocol_runs,
            global_parameters=global_parameters,
            on_run_failure=on_run_failure,
            **more,
        )
        return DrivenCampaign.open(self._transport, body, outputs)


def units_of_protocol(transport: Transport, protocol: str) -> dict[str, str]:
    """Units by `task.parameter` of the tasks of a protocol; none of definitions that are not loaded."""
    definition = transport.json("GET", path_of("/api/definitions/protocol/{}", protocol))
    types: dict[str, Any] = {}
    found: dict[str, Any] = {}
    body = cast("dict[str, Any]", definition["definition"] or {})
    for task in cast("list[dict[str, Any]]", body.get("tasks", [])):
        if task["type"] not in types:
            answer = transport.json("GET", path_of("/api/definitions/task/{}", task["type"]))
            types[task["type"]] = answer["definition"]
        found[task["name"]] = types[task["type"]]
    return units_of(found)

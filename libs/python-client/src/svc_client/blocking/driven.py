# `npm run docs:reference` writes this file from svc_client/aio/driven.py.
"""A campaign whose parameters an optimizer outside of the service proposes: ask and tell."""

from __future__ import annotations

from time import sleep
from typing import TYPE_CHECKING, Any, cast

from ..core.requests import path_of
from ..core.shown import Progress, bar_html, record_html
from ..core.work import FIRST_POLL_S, PATIENT_S, POLL_S, flat, has_ended, nested, trial_of
from ..errors import Refused, SvcError, WaitTimeout, WorkFailed
from .transport import Patience, Transport

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ..models import CampaignRecord, ProtocolRunRecord, Trial
    from .campaigns import Campaign, Trials


class DrivenCampaign:
    """A campaign without a limit: run n begins when its parameters are proposed. One program drives it at a time.

    The service stores proposals and results. A program that opens the campaign again gets all of them, so an optimizer can
    be made anew after its notebook was closed. It bears that the service is away for 10 min.
    """

    def __init__(self, transport: Transport, record: CampaignRecord, outputs: Sequence[str]) -> None:
        self._transport = transport
        self.record = record
        self.outputs = list(outputs)
        self._told: set[int] = set()
        # Runs that have ended. They change no more.
        self._ended: dict[int, Trial] = {}

    @classmethod
    def open(cls, transport: Transport, submission: dict[str, Any], outputs: Sequence[str]) -> DrivenCampaign:
        """Submits the campaign, or finds the one that was submitted before."""
        try:
            record = transport.json("POST", "/api/campaigns", body=submission)
        except Refused as refused:
            if refused.code != "duplicate_name":
                raise
            record = transport.json("GET", path_of("/api/campaigns/{}", submission["name"]))
            if record["protocol"] != submission["protocol"] or record["protocol_run_parameters"] is None or record["optimize"]:
                raise refused from None
        return cls(transport, record, outputs)

    @property
    def name(self) -> str:
        return self.record["name"]

    @property
    def state(self) -> str:
        return self.record["state"]

    @property
    def _entries(self) -> list[Any]:
        return cast("list[Any]", self.record["protocol_run_parameters"] or [])

    def _path(self, rest: str = "") -> str:
        return path_of("/api/campaigns/{}", self.name) + rest

    def refresh(self) -> DrivenCampaign:
        self.record = self._transport.json("GET", self._path(), deadline_s=PATIENT_S)
        return self

    def campaign(self) -> Campaign:
        """The campaign as any other: to cancel or pause it, for its data frame and files."""
        from .campaigns import Campaign

        return Campaign(self._transport, (self.refresh()).record)

    def propose(self, *inputs: Mapping[str, Any]) -> list[int]:
        """Adds runs with these parameters, each named `task.parameter`.

        Returns:
            The numbers of their trials.

        Raises:
            Invalid: A value does not fit the protocol; nothing was added.
            SvcError: Another program added runs meanwhile.
        """
        before = self._entries
        self.refresh()
        if self._entries != before:
            raise SvcError(
                f"another program proposed runs of the campaign {self.name}", remedy="let one program drive it at a time, and open it again"
            )
        entries = [*before, *(nested(each) for each in inputs)]
        self.record = self._transport.json("PATCH", self._path(), body={"protocol_run_parameters": entries}, deadline_s=PATIENT_S)
        return list(range(len(before) + 1, len(entries) + 1))

    def trials(self) -> Trials:
        """All trials so far, by number."""
        from .campaigns import Trials, units_of_protocol

        self.refresh()
        return Trials(self._read(), units_of_protocol(self._transport, self.record["protocol"]))

    def _read(self) -> list[Trial]:
        states: dict[int, str] = {}
        for run in self._transport.each(self._path("/runs"), {}, deadline_s=PATIENT_S):
            states[run["meta"]["campaign_run"]] = run["state"]
        found: list[Trial] = []
        for number, entry in enumerate(self._entries, start=1):
            trial = self._ended.get(number)
            if trial is None:
                trial = self._trial(number, entry, states.get(number))
                # A resume of the campaign continues runs that failed.
                if trial["state"] == "measured":
                    self._ended[number] = trial
            found.append(trial)
        return found

    def _trial(self, number: int, entry: Any, state: str | None) -> Trial:
        name = f"{self.name}_run_{number}"
        run: ProtocolRunRecord | None = None
        if state == "completed":
            run = self._transport.json("GET", path_of("/api/protocols/{}", name), deadline_s=PATIENT_S)
        return trial_of(number, name, flat(entry), outputs=self.outputs, state=state, run=run)

    def results(self, timeout: float | None = None) -> list[Trial]:
        """The trials that have ended and that this object has not returned before. Waits until there is one.

        An object that was just opened returns all results that are there. The list is empty when no trial is open.
        """
        patience = Patience(timeout)
        pause = FIRST_POLL_S
        while True:
            self.refresh()
            trials = self._read()
            fresh = [trial for trial in trials if trial["state"] in {"measured", "failed"} and trial["number"] not in self._told]
            self._told.update(trial["number"] for trial in fresh)
            open_ones = [trial for trial in trials if trial["state"] in {"proposed", "running"}]
            if fresh or not open_ones or has_ended(self.state):
                return fresh
            left = patience.left(pause)
            if left <= 0:
                raise WaitTimeout(f"campaign {self.name}", self.state, timeout or 0)
            sleep(left)
            pause = min(pause * 2, POLL_S)

    def run(
        self,
        ask: Callable[[], Mapping[str, Any] | None],
        tell: Callable[[dict[str, Any], dict[str, float] | None], object],
        *,
        trials: int,
        timeout: float | None = None,
        progress: bool | None = None,
    ) -> Trials:
        """Asks for parameters and tells results until there are so many trials, then ends the campaign.

        Results that are there already are told first, in the order of their numbers.

        Args:
            ask: Returns the parameters of the next run, or None to get the results of the open runs first.
            tell: Gets the parameters of a run and its outputs; None if it has no result.
            trials: Number of trials in all.
            timeout: Seconds to wait for one result.
        """
        shown = Progress(progress)
        self._told.clear()
        for trial in sorted(self._read(), key=lambda each: each["number"]):
            if trial["state"] in {"measured", "failed"}:
                self._told.add(trial["number"])
                tell(trial["inputs"], trial["outputs"])
        while True:
            wanted = min(self.record["max_concurrent_protocol_runs"] - self._open_count, trials - len(self._entries))
            proposals = [] if has_ended(self.state) else _asked(ask, wanted)
            if proposals:
                self.propose(*proposals)
            waits = ", a person must decide: svc.attention.list()" if self.state == "needs_attention" else ""
            shown.show(len(self._told) / trials if trials else 1, f"{len(self._told)}/{trials} trials{waits}")
            if self._open_count == 0:
                if wanted > 0 and not has_ended(self.state):
                    raise SvcError("ask() returned None while no trial is open", remedy="return parameters")
                break
            results = self.results(timeout)
            if not results:
                break
            for trial in results:
                tell(trial["inputs"], trial["outputs"])
        if not has_ended(self.state):
            self.finish()
        elif self.state != "completed":
            raise WorkFailed(f"campaign {self.name}", self.state, self.record["reason"])
        elif len(self._told) < trials:
            raise SvcError(f"the campaign {self.name} has ended with {len(self._told)} trials", remedy="drive a campaign of another name")
        return self.trials()

    @property
    def _open_count(self) -> int:
        return len(self._entries) - len(self._told)

    def finish(self) -> DrivenCampaign:
        """Ends the campaign after the runs that were proposed. One without runs is cancelled."""
        count = len(self._entries)
        if count == 0:
            self._transport.json("POST", self._path("/cancel"))
        else:
            self._transport.json("PATCH", self._path(), body={"max_protocol_runs": count}, deadline_s=PATIENT_S)
        return self.refresh()

    def __repr__(self) -> str:
        return f"DrivenCampaign({self.name!r}, {self.state}: {len(self._entries)} trials)"

    def _repr_html_(self) -> str:
        done = self.record["protocol_runs_completed"]
        bar = bar_html(done / len(self._entries) if self._entries else None, f"{done}/{len(self._entries)} trials")
        return record_html("driven campaign", self.name, self.state, f"outputs: {', '.join(self.outputs)}", bar)


def _asked(ask: Callable[[], Mapping[str, Any] | None], count: int) -> list[Mapping[str, Any]]:
    found: list[Mapping[str, Any]] = []
    while len(found) < count:
        inputs = ask()
        if inputs is None:
            break
        found.append(inputs)
    return found

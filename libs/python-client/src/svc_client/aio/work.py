"""Protocol runs and tasks."""

from __future__ import annotations

from asyncio import sleep
from time import monotonic
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from .. import models
from ..core.requests import path_of
from ..core.shown import Progress, record_html, table_html
from ..core.work import (
    FIRST_POLL_S,
    PATIENT_S,
    POLL_S,
    device_references,
    given,
    has_ended,
    outputs_of,
    run_progress,
    task_progress,
)
from ..errors import Refused, WaitTimeout, WorkFailed
from .files import File, Files, of_run
from .transport import Patience, Transport

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping

    from typing_extensions import Self

    from ..models import (
        DeviceReference,
        ProtocolRunSummary,
        Reason,
        ServiceEvent,
        TaskFailurePolicy,
        TaskRunRecord,
    )

RecordT = TypeVar("RecordT")

# Seconds after the end of work was seen in which its last event arrives at the stream.
_LAST_EVENT_S = 2.0


class Records(list[RecordT]):
    """Records of a list, as a table in Jupyter."""

    columns = ("name", "type", "protocol", "state", "owner", "created_at", "ended_at")

    def _repr_html_(self) -> str:
        rows = cast("list[Mapping[str, Any]]", self)
        return table_html(rows, [name for name in self.columns if any(name in row for row in rows)])


class Work(Generic[RecordT]):
    """Work of the service. `record` is as it was when it was last read; `refresh` reads it again."""

    kind = ""
    _kind_of_events = ""

    def __init__(self, transport: Transport, record: RecordT) -> None:
        self._transport = transport
        self.record = record

    @property
    def _fields(self) -> Mapping[str, Any]:
        return cast("Mapping[str, Any]", self.record)

    @property
    def name(self) -> str:
        return self._fields["name"]

    @property
    def state(self) -> str:
        return self._fields["state"]

    @property
    def reason(self) -> Reason | None:
        return self._fields["reason"]

    @property
    def has_ended(self) -> bool:
        return has_ended(self.state)

    def _path(self, rest: str = "") -> str:
        raise NotImplementedError

    def _query(self) -> dict[str, Any]:
        return {}

    def _progress(self) -> tuple[float | None, str]:
        raise NotImplementedError

    def _event_filter(self) -> dict[str, Any]:
        raise NotImplementedError

    async def refresh(self) -> Self:
        """Reads the record again."""
        return await self._read()

    async def _read(self, **more: Any) -> Self:
        self.record = await self._transport.json("GET", self._path(), query=self._query(), **more)
        return self

    async def wait(self, timeout: float | None = None, *, check: bool = True, progress: bool | None = None) -> Self:
        """Waits until the work has ended, and shows how far it is. It bears that the service is away for 10 min.

        Args:
            timeout: Seconds after which WaitTimeout is raised; the work goes on.
            check: Raise WorkFailed when the work did not complete.
            progress: None: a bar in Jupyter only. True: everywhere. False: nowhere.
        """
        patience = Patience(timeout)
        shown = Progress(progress)
        pause = FIRST_POLL_S
        while True:
            await self._read(deadline_s=max(min(PATIENT_S, patience.left(PATIENT_S)), self._transport.deadline_s))
            shown.show(*self._progress())
            if self.has_ended:
                break
            left = patience.left(pause)
            if left <= 0:
                raise WaitTimeout(f"{self.kind} {self.name}", self.state, timeout or 0)
            await sleep(left)
            pause = min(pause * 2, POLL_S)
        if check and self.state != "completed":
            raise WorkFailed(f"{self.kind} {self.name}", self.state, self.reason)
        return self

    async def watch(self, after: int | str | None = None) -> AsyncGenerator[ServiceEvent, None]:
        """The events of the work until it has ended, each once, also over lost connections.

        Args:
            after: The `id` of the last event that you have; None: from the beginning, or from the next event if earlier ones are
                no longer stored.
        """
        start = "0" if after is None else str(after)
        try:
            async for event in self._events(start):
                yield event
        except Refused as refused:
            if refused.code != "events_pruned" or after is not None:
                raise
            async for event in self._events(None):
                yield event

    async def _events(self, after: str | None) -> AsyncGenerator[ServiceEvent, None]:
        subject = f"{self._kind_of_events}/{self._fields['id']}"
        ended_at: float | None = None
        async for block in self._transport.events(self._event_filter(), after):
            if block.data is not None:
                event = cast("ServiceEvent", block.data)
                yield event
                if event["aggregate"] == subject and has_ended(event["type"].partition(".")[2]):
                    await self._read(deadline_s=PATIENT_S)
                    return
            elif ended_at is not None and monotonic() - ended_at > _LAST_EVENT_S:
                return
            elif ended_at is None and (await self._read(deadline_s=PATIENT_S)).has_ended:
                ended_at = monotonic()

    async def cancel(self) -> Self:
        """Asks the work to stop. It has stopped when `wait(check=False)` returns."""
        return await self._act("cancel")

    async def _act(self, action: str, body: Any = None) -> Self:
        await self._transport.json("POST", self._path(f"/{action}"), query=self._query(), body=body)
        return await self.refresh()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}, {self.state}: {self._progress()[1]})"

    def _repr_html_(self) -> str:
        return record_html(self.kind, self.name, self.state, self._progress()[1], self._below())

    def _below(self) -> str:
        return ""


def _listed(values: Any) -> str:
    found = cast("dict[str, Any]", values or {})
    return ", ".join(f"{name} = {value}" for name, value in found.items())


class Run(Work[models.ProtocolRunRecord]):
    """A protocol run."""

    kind = "protocol run"
    _kind_of_events = "protocol_run"

    def _path(self, rest: str = "") -> str:
        return path_of("/api/protocols/{}", self.name) + rest

    def _progress(self) -> tuple[float | None, str]:
        return run_progress(self.record)

    def _event_filter(self) -> dict[str, Any]:
        return {"protocol_run": self.name}

    @property
    def tasks(self) -> dict[str, TaskRunRecord]:
        """The tasks by name."""
        return {task["name"]: task for task in self.record["tasks"]}

    @property
    def outputs(self) -> dict[str, dict[str, Any]]:
        """Task name to its output parameters, of each task that has some."""
        return outputs_of(self.record)

    @property
    def files(self) -> Files:
        """The files of all tasks."""
        return of_run(self._transport, self.record)

    async def pause(self) -> Run:
        """Running tasks go on to their end, and no other starts."""
        return await self._act("pause", {})

    async def resume(self) -> Run:
        """Goes on after a pause, or where the run failed or was cancelled."""
        return await self._act("resume", {})

    async def change(self, *, priority: int | None = None, parameters: Mapping[str, Mapping[str, Any]] | None = None) -> Run:
        """Changes a run that has not ended. Parameters change for tasks that have not begun."""
        self.record = await self._transport.json("PATCH", self._path(), body=given(priority=priority, parameters=parameters))
        return self

    def _below(self) -> str:
        return table_html(
            [
                {
                    "task": task["name"],
                    "state": task["state"],
                    "outputs": _listed(task["output_parameters"]),
                    "files": ", ".join(file["name"] for file in task["output_files"]),
                }
                for task in self.record["tasks"]
            ]
        )


class Task(Work[models.TaskRunRecord]):
    """An on-demand task, or a task of a protocol run."""

    kind = "task"
    _kind_of_events = "task_run"

    def _path(self, rest: str = "") -> str:
        return path_of("/api/tasks/{}", self.name) + rest

    def _query(self) -> dict[str, Any]:
        return {"protocol_run_name": self.record["protocol_run"]}

    def _progress(self) -> tuple[float | None, str]:
        return task_progress(self.record)

    def _event_filter(self) -> dict[str, Any]:
        return {"aggregate": f"task_run/{self.record['id']}"}

    @property
    def outputs(self) -> dict[str, Any]:
        """Its output parameters; empty until it has some."""
        return cast("dict[str, Any]", self.record["output_parameters"] or {})

    @property
    def files(self) -> Files:
        run = self.record["protocol_run"]
        return Files([File(self._transport, self.name, run, file) for file in self.record["output_files"]])

    def _below(self) -> str:
        return table_html([{"output": name, "value": value} for name, value in self.outputs.items()]) if self.outputs else ""


class Protocols:
    """Protocol runs: submit, read, list."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    async def submit(
        self,
        name: str,
        *,
        type: str,
        parameters: Mapping[str, Mapping[str, Any]] | None = None,
        owner: str | None = None,
        priority: int | None = None,
        failure_policy: Mapping[str, TaskFailurePolicy] | None = None,
        resume: bool | None = None,
        meta: Mapping[str, Any] | None = None,
        key: str | None = None,
    ) -> Run:
        """Submits a run of the protocol `type`. Parameters are by task."""
        body = given(
            name=name,
            type=type,
            parameters=parameters,
            owner=owner,
            priority=priority,
            failure_policy=failure_policy,
            resume=resume,
            meta=meta,
        )
        return Run(self._transport, await self._transport.json("POST", "/api/protocols", body=body, key=key))

    async def try_out(self, name: str, *, type: str, parameters: Mapping[str, Mapping[str, Any]] | None = None, **more: Any) -> Any:
        """Checks and simulates a submission, and stores nothing. The answer has `resolved`, `estimate` and `warnings`."""
        body = given(name=name, type=type, parameters=parameters, **more)
        return await self._transport.json("POST", "/api/protocols", query={"dry_run": True}, body=body)

    async def get(self, name: str) -> Run:
        return Run(self._transport, await self._transport.json("GET", path_of("/api/protocols/{}", name)))

    async def list(self, *, limit: int = 100, **filters: Any) -> Records[ProtocolRunSummary]:
        """One page of runs, newest first. Filters are those of the REST interface: `state="failed"`, `campaign="c"`, ..."""
        page = await self._transport.json("GET", "/api/protocols", query={"limit": limit, **filters})
        return Records(page["items"])

    async def each(self, **filters: Any) -> AsyncGenerator[ProtocolRunSummary, None]:
        """All runs, page by page."""
        async for item in self._transport.each("/api/protocols", filters):
            yield item


class Tasks:
    """Tasks: submit one on demand, read, list."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    async def submit(
        self,
        name: str,
        *,
        type: str,
        devices: Mapping[str, str | DeviceReference] | None = None,
        parameters: Mapping[str, Any] | None = None,
        resources: Mapping[str, str] | None = None,
        owner: str | None = None,
        priority: int | None = None,
        allocation_timeout: float | None = None,
        timeout: float | None = None,
        meta: Mapping[str, Any] | None = None,
        key: str | None = None,
    ) -> Task:
        """Submits an on-demand task.

        Args:
            devices: Device of each slot, for example `{"multiplier": "multiplication_lab.multiplier_a"}`.
            parameters: Its input parameters.
            resources: Name of the resource of each slot.
            allocation_timeout: Seconds in which it must have started.
            timeout: Seconds that it may run.
        """
        body = given(
            name=name,
            type=type,
            devices=device_references(devices),
            input_parameters=parameters,
            input_resources=resources,
            owner=owner,
            priority=priority,
            allocation_timeout=allocation_timeout,
            timeout=timeout,
            meta=meta,
        )
        return Task(self._transport, await self._transport.json("POST", "/api/tasks", body=body, key=key))

    async def get(self, name: str, *, protocol_run: str | None = None) -> Task:
        """The latest on-demand task of that name, or the task of that protocol run."""
        path = path_of("/api/tasks/{}", name)
        return Task(self._transport, await self._transport.json("GET", path, query={"protocol_run_name": protocol_run}))

    async def list(self, *, limit: int = 100, **filters: Any) -> Records[TaskRunRecord]:
        """One page of tasks, newest first."""
        page = await self._transport.json("GET", "/api/tasks", query={"limit": limit, **filters})
        return Records(page["items"])

    async def each(self, **filters: Any) -> AsyncGenerator[TaskRunRecord, None]:
        """All tasks, page by page."""
        async for item in self._transport.each("/api/tasks", filters):
            yield item

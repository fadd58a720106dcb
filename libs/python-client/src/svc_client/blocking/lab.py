# `npm run docs:reference` writes this file from svc_client/aio/lab.py.
"""Devices, and the decisions that only a person can take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from .. import models
from ..core.requests import path_of
from ..core.shown import record_html, table_html
from ..core.work import device_name, given
from .work import Records

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..models import AttentionRecord, DeviceDetail, DeviceRecord
    from .transport import Transport

Action = Literal["completed", "failed", "retry", "idle", "lost", "keep_waiting", "cancel", "acknowledge"]

# Seconds that a function of a device may take if it declares no limit.
_USUAL_LIMIT_S = 60.0
# Seconds beyond the limit in which the service must have answered.
_ANSWER_S = 30.0


class Device:
    """A device. `record` is as it was when it was last read."""

    def __init__(self, transport: Transport, name: str) -> None:
        self._transport = transport
        self.lab, self.device = device_name(name)
        self.name = name
        self.record: DeviceDetail | None = None

    def _path(self, rest: str = "") -> str:
        return path_of("/api/labs/{}/devices/{}", self.lab, self.device) + rest

    def refresh(self, *, report: bool = False) -> Device:
        """Reads the device; with `report` also what its driver reports."""
        self.record = self._transport.json("GET", self._path(), query={"report": report or None})
        return self

    def report(self) -> Any:
        """What its driver reports now."""
        detail = (self.refresh(report=True)).record
        return None if detail is None else detail.get("report")

    def call(
        self,
        function: str,
        parameters: Mapping[str, Any] | None = None,
        *,
        force_reason: str | None = None,
        key: str | None = None,
        **named: Any,
    ) -> Any:
        """Calls a function of the device, past the scheduler, and returns its value.

        The call waits as long as the function may take. When its answer is lost, the client asks again with the same key, so the
        device never gets the call twice.

        Args:
            parameters: Parameters whose names are no names of Python, such as `{"from": "shelf"}`.
            force_reason: Calls although a task holds the device; the audit keeps the reason.
            named: Further parameters.
        """
        detail = self.record
        if detail is None:
            detail = self.record = self._transport.json("GET", self._path())
        limits = {each["name"]: each["timeout_s"] for each in detail["functions"]}
        limit = limits.get(function, _USUAL_LIMIT_S)
        query = {"force": True, "reason": force_reason} if force_reason is not None else {}
        return self._transport.json(
            "POST",
            path_of("/api/rpc/{}/{}/{}", self.lab, self.device, function),
            query=query,
            body={**(parameters or {}), **named},
            key=key,
            timeout_s=limit + _ANSWER_S,
            deadline_s=limit + 2 * _ANSWER_S,
        )

    def disable(self, reason: str) -> Device:
        """Takes it out of service."""
        self.record = self._transport.json("POST", self._path("/disable"), body={"reason": reason})
        return self

    def enable(self) -> Device:
        self.record = self._transport.json("POST", self._path("/enable"), body={})
        return self

    def __repr__(self) -> str:
        return f"Device({self.name!r})" if self.record is None else f"Device({self.name!r}, {self.record['state']})"

    def _repr_html_(self) -> str:
        if self.record is None:
            return record_html("device", self.name, "", "not read yet: call refresh()")
        functions = [{"function": each["name"], "kind": each["kind"], "about": each["description"]} for each in self.record["functions"]]
        return record_html("device", self.name, self.record["state"], self.record["detail"] or self.record["type"], table_html(functions))


class Devices:
    """Devices by `lab.device`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def __getitem__(self, name: str) -> Device:
        return Device(self._transport, name)

    def list(self, **filters: Any) -> Records[DeviceRecord]:
        """All devices with their states and functions."""
        return _Devices([device for device in self._transport.each("/api/devices", filters)])


class _Devices(Records[models.DeviceRecord]):
    columns = ("lab_name", "name", "type", "state", "detail", "held_by")


class AttentionItem:
    """A question that only a person can decide."""

    def __init__(self, transport: Transport, record: AttentionRecord) -> None:
        self._transport = transport
        self.record = record

    @property
    def id(self) -> str:
        return self.record["id"]

    @property
    def subject(self) -> str:
        return self.record["subject"]

    @property
    def choices(self) -> dict[str, str]:
        """What each possible decision leads to."""
        return {choice["action"]: choice["effect"] for choice in self.record["choices"]}

    @property
    def look_at(self) -> list[str]:
        """What to look at before you decide."""
        return self.record["look_at"]

    def resolve(
        self,
        action: Action,
        *,
        note: str | None = None,
        outputs: Mapping[str, Any] | None = None,
        resources: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> AttentionItem:
        """Decides. `outputs` and `resources` belong to the action "completed" of a task."""
        body = given(action=action, note=note, output_parameters=outputs, output_resources=resources)
        return self._send("POST", "/resolve", body)

    def claim(self, *, take_over: bool = False) -> AttentionItem:
        """Tells others for 10 min that you are deciding."""
        return self._send("POST", "/claim", {"take_over": take_over})

    def release(self) -> AttentionItem:
        """Ends the claim."""
        return self._send("DELETE", "/claim", None)

    def _send(self, method: str, rest: str, body: Any) -> AttentionItem:
        self.record = self._transport.json(method, path_of("/api/attention/{}", self.id) + rest, body=body)
        return self

    def __repr__(self) -> str:
        return f"AttentionItem({self.record['kind']} {self.subject}: {self.record['reason']['message']})"

    def _repr_html_(self) -> str:
        rows = [{"decision": action, "leads to": effect} for action, effect in self.choices.items()]
        looks = table_html([{"look at": each} for each in self.look_at]) if self.look_at else ""
        line = self.record["reason"]["message"]
        return record_html(self.record["kind"], self.subject, self.record["state"], line, looks + table_html(rows))


class AttentionItems(list[AttentionItem]):
    """Questions, as a table in Jupyter."""

    def _repr_html_(self) -> str:
        rows = [{"about": item.subject, "why": item.record["reason"]["message"], "decisions": ", ".join(item.choices)} for item in self]
        return table_html(rows) if rows else "<p>nothing needs attention</p>"


class Attention:
    """The open questions."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, *, state: str = "open", **filters: Any) -> AttentionItems:
        """The questions in that state."""
        found = self._transport.each("/api/attention", {"state": state, **filters})
        return AttentionItems([AttentionItem(self._transport, record) for record in found])

    def get(self, id: str) -> AttentionItem:
        return AttentionItem(self._transport, self._transport.json("GET", path_of("/api/attention/{}", id)))

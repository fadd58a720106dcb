# `npm run docs:reference` writes this file from svc_client/aio/service.py.
"""The service: what `connect` returns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from ..core.requests import USUAL_DEADLINE_S, path_of
from ..core.settings import address_of, token_of
from ..core.work import given
from .campaigns import Campaigns
from .lab import Attention, Devices
from .transport import Transport
from .work import Protocols, Records, Tasks

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    import httpx
    from typing_extensions import Self

    from ..models import (
        DefinitionRecord,
        DefinitionSummary,
        EmergencyStopReport,
        HealthReport,
        LabRecord,
        Principal,
        QueuePage,
        ScheduleRecord,
        ServiceEvent,
    )


class Service:
    """A running service. Each attribute has the requests about one kind of record; `request` sends any other."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self.protocols = Protocols(transport)
        self.campaigns = Campaigns(transport)
        self.tasks = Tasks(transport)
        self.devices = Devices(transport)
        self.attention = Attention(transport)
        self.definitions = Definitions(transport)

    @property
    def url(self) -> str:
        return self._transport.url

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        key: str | None = None,
        deadline: float | None = None,
    ) -> Any:
        """Sends any request of the REST interface, and returns the JSON of its answer.

        Args:
            key: Idempotency-Key of a request that acts; None: a new one.
            deadline: Seconds after which it is not repeated any more.
        """
        more = given(key=key, deadline_s=deadline)
        return self._transport.json(method.upper(), path, query=query or {}, body=body, **more)

    def each(self, path: str, **filters: Any) -> Generator[Any, None, None]:
        """All records of any list, page by page."""
        for item in self._transport.each(path, filters):
            yield item

    def events(self, after: int | str | None = None, **filters: Any) -> Generator[ServiceEvent, None, None]:
        """Events as they happen, each once, also over lost connections. It goes on until you leave the loop.

        Args:
            after: The `id` of the last event that you have, 0: from the oldest stored event; None: from the next event.
            filters: `type`, `aggregate`, `owner`, `campaign`, `protocol_run`, `lab`.
        """
        for block in self._transport.events(filters, None if after is None else str(after)):
            if block.data is not None:
                yield cast("ServiceEvent", block.data)

    def me(self) -> Principal:
        """Who you are, and your roles."""
        return self._transport.json("GET", "/api/me")

    def health(self) -> HealthReport:
        return self._transport.json("GET", "/api/health")

    def labs(self) -> Records[LabRecord]:
        return Records([lab for lab in self._transport.each("/api/labs", {})])

    def queue(self, **filters: Any) -> QueuePage:
        """The queued tasks in their order, and why each waits."""
        return self._transport.json("GET", "/api/queue", query=filters)

    def schedule(self, **filters: Any) -> ScheduleRecord:
        """The plan, and the reason why each queued task has not started."""
        return self._transport.json("GET", "/api/schedule", query=filters)

    def estop(self, *, reason: str, lab: str | None = None, device: str | None = None) -> EmergencyStopReport:
        """Stops everything, a lab, or a device of a lab. It does not replace the switch at the instrument."""
        body = given(reason=reason, lab_name=lab, device_name=device)
        return self._transport.json("POST", "/api/estop", body=body)

    def close(self) -> None:
        """Closes the connections. Work goes on."""
        self._transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Service({self.url!r})"


class Definitions:
    """What can be run: labs, devices, tasks and protocols."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, **filters: Any) -> Records[DefinitionSummary]:
        """Definitions, for example `type="protocol"`, `lab="color_lab"`."""
        return Records([each for each in self._transport.each("/api/definitions", filters)])

    def get(self, type: str, name: str) -> DefinitionRecord:
        """One definition with its faults."""
        return self._transport.json("GET", path_of("/api/definitions/{}/{}", type, name))


def connect(
    url: str | None = None,
    *,
    token: str | None = None,
    ca: str | None = None,
    deadline: float = USUAL_DEADLINE_S,
    transport: httpx.BaseTransport | None = None,
) -> Service:
    """A client of the service. It sends nothing before the first request.

    Args:
        url: Address; None: SVC_URL, else http://127.0.0.1:8070.
        token: Access token; None: SVC_TOKEN, else the content of the file SVC_TOKEN_FILE. It is in no repr and no log.
        ca: File with the certificates of an authority of your own.
        deadline: Seconds in which a request is repeated when the service is away.
        transport: Sends the requests in place of the network, for tests.
    """
    return Service(Transport(address_of(url), token_of(token), ca=ca, deadline_s=deadline, transport=transport))

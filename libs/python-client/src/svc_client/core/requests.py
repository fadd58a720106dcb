"""One request, and what its answer or its fault means: to repeat it, or which error to raise."""

from __future__ import annotations

import json
import random
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, cast
from urllib.parse import quote
from uuid import uuid4

import httpx

from ..errors import NoAnswer, Refused
from ..refusals import REFUSALS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..errors import Effect
    from ..models import Problem

USUAL_DEADLINE_S = 30.0
USUAL_TIMEOUT_S = 15.0
FIRST_PAUSE_S = 0.2
LONGEST_PAUSE_S = 5.0
# Keys are kept in the database, and an emergency stop must not wait for it. A second arrival does no harm.
_KEYLESS = "/api/estop"
_ANSWERS_OF_PROXIES = {502, 503, 504}


def path_of(template: str, *names: str) -> str:
    """A path such as `/api/tasks/{}/cancel` with its names percent-encoded."""
    return template.format(*(quote(name, safe="-_.~") for name in names))


def query_of(given: Mapping[str, Any]) -> dict[str, str]:
    """Filters as the service takes them. None leaves a filter out; several values are separated by commas."""
    query: dict[str, str] = {}
    for name, value in given.items():
        if value is None:
            continue
        if isinstance(value, bool):
            query[name] = "true" if value else "false"
        elif isinstance(value, (list, tuple, set)):
            query[name] = ",".join(str(each) for each in cast("list[Any]", value))
        else:
            query[name] = str(value)
    return query


@dataclass
class Request:
    """A request that may safely arrive several times: it only reads, or its key lets the service carry it out once."""

    method: str
    path: str
    query: Mapping[str, Any] = field(default_factory=dict[str, Any])
    body: Any = None
    content: bytes | None = None
    content_type: str = "application/json"
    accept: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    key: str | None = None
    timeout_s: float = USUAL_TIMEOUT_S
    deadline_s: float = USUAL_DEADLINE_S
    id: str = field(default_factory=lambda: f"py-{uuid4().hex}")

    def __post_init__(self) -> None:
        if self.acts and self.key is None and self.path != _KEYLESS:
            self.key = uuid4().hex

    @property
    def acts(self) -> bool:
        return self.method != "GET"

    def build(self, client: httpx.Client | httpx.AsyncClient) -> httpx.Request:
        headers = {"accept": self.accept, "x-request-id": self.id, **self.headers}
        content = self.content
        if self.body is not None:
            content = json.dumps(self.body, allow_nan=False, ensure_ascii=False).encode()
        if content is not None:
            headers["content-type"] = self.content_type
        if self.key is not None:
            headers["idempotency-key"] = self.key
        timeout = httpx.Timeout(self.timeout_s)
        return client.build_request(self.method, self.path, params=query_of(self.query), content=content, headers=headers, timeout=timeout)


class Attempts:
    """Decides after each attempt: how long to pause before the next one, or which error ends the request.

    Pauses double from 0.2 s to 5 s, each shortened by chance, so that many clients do not come back at once. `Retry-After`
    of the service overrides them. No attempt begins after the deadline.
    """

    def __init__(self, request: Request, origin: str) -> None:
        self._request = request
        self._origin = origin
        self._end = time.monotonic() + request.deadline_s
        self._pause = FIRST_PAUSE_S
        # Whether an attempt without an answer may have arrived.
        self._may_have_arrived = False

    def after_fault(self, error: httpx.TransportError) -> float:
        """Returns the pause in seconds. Raises NoAnswer when the deadline leaves no time for another attempt."""
        sent = not isinstance(error, (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout))
        self._may_have_arrived = self._may_have_arrived or (sent and self._request.acts)
        if isinstance(error, httpx.TimeoutException):
            reason, what = "timeout", "gave no answer in time"
        elif isinstance(error, httpx.ConnectError):
            reason, what = "refused", f"cannot be reached ({error})"
        else:
            reason, what = "lost", f"closed the connection ({error or type(error).__name__})"
        pause = self._next_pause(None)
        if pause is not None and not isinstance(error, httpx.UnsupportedProtocol):
            return pause
        raise self._no_answer(reason, f"{self._origin} {what}") from error

    def after_answer(self, status: int, headers: httpx.Headers, content: bytes) -> float:
        """Returns the pause in seconds. Raises Refused, or NoAnswer if something else than the service answered."""
        problem = _problem_of(headers, content)
        if problem is None:
            self._may_have_arrived = self._may_have_arrived or self._request.acts
            pause = self._next_pause(_seconds(headers)) if status in _ANSWERS_OF_PROXIES else None
            if pause is not None:
                return pause
            raise self._no_answer("foreign", f"{self._origin} answered {status}, and is not the service or a proxy of it")
        retry_after = _seconds(headers)
        refused = refusal_of(problem, headers.get("x-request-id", self._request.id), retry_after)
        # With effect "maybe" or "done" the service would repeat this answer to the same key.
        if refused.effect == "none" and (refused.retryable or retry_after is not None):
            pause = self._next_pause(retry_after)
            if pause is not None:
                return pause
        raise refused

    def _next_pause(self, wanted: float | None) -> float | None:
        pause = wanted if wanted is not None else self._pause * random.uniform(0.5, 1)  # noqa: S311
        self._pause = min(self._pause * 2, LONGEST_PAUSE_S)
        return pause if time.monotonic() + pause < self._end else None

    def _no_answer(self, reason: Literal["refused", "lost", "timeout", "foreign"], message: str) -> NoAnswer:
        effect: Effect = "maybe" if self._may_have_arrived else "none"
        return NoAnswer(reason, message, effect=effect, request_id=self._request.id, key=self._request.key)


def refusal_of(problem: Problem, request_id: str, retry_after: float | None = None) -> Refused:
    """The error of a problem document, of the class of its code."""
    return REFUSALS.get(problem["code"], Refused)(problem, request_id=request_id, retry_after=retry_after)


def _problem_of(headers: httpx.Headers, content: bytes) -> Problem | None:
    if not headers.get("content-type", "").startswith("application/problem+json"):
        return None
    try:
        return cast("Problem", json.loads(content))
    except ValueError:
        return None


def _seconds(headers: httpx.Headers) -> float | None:
    text = headers.get("retry-after", "")
    return float(text) if text.isdigit() else None

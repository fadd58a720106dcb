"""Sends requests, repeats them where that is safe, and reads streams."""

from __future__ import annotations

import ssl
from asyncio import sleep
from contextlib import asynccontextmanager
from time import monotonic
from typing import TYPE_CHECKING, Any, cast

import httpx

from ..core.events import Block, StreamParser
from ..core.requests import FIRST_PAUSE_S, LONGEST_PAUSE_S, Attempts, Request
from ..core.work import PATIENT_S
from ..errors import EventsGap, Refused

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from ..core.settings import Token

# The service sends a heartbeat every 15 s.
_SILENCE_S = 60.0
_STREAM_FULL = {"too_many_requests", "service_unavailable", "store_unavailable"}


class Transport:
    """Requests to one service. Redirects are not followed, and no proxy of the environment is used: the token goes nowhere else."""

    def __init__(
        self, url: str, token: Token | None, *, ca: str | None = None, deadline_s: float, transport: httpx.AsyncBaseTransport | None
    ) -> None:
        headers = {} if token is None else {"authorization": token.header()}
        # Without TLS, the certificates of all authorities need not be read, which takes 0.1 s.
        verify = ssl.create_default_context(cafile=ca) if ca else url.startswith("https:")
        self.url = url
        self.deadline_s = deadline_s
        self._http = httpx.AsyncClient(base_url=url, headers=headers, verify=verify, trust_env=False, transport=transport)

    async def aclose(self) -> None:
        await self._http.aclose()

    async def open(self, request: Request) -> httpx.Response:
        """A successful answer whose body is not read yet. Raises Refused or NoAnswer."""
        attempts = Attempts(request, self.url)
        while True:
            try:
                response = await self._http.send(request.build(self._http), stream=True)
                if response.is_success:
                    return response
                try:
                    content = await response.aread()
                finally:
                    await response.aclose()
                pause = attempts.after_answer(response.status_code, response.headers, content)
            except httpx.TransportError as error:
                pause = attempts.after_fault(error)
            await sleep(pause)

    async def send(self, request: Request) -> httpx.Response:
        """A successful answer with its body. Raises Refused or NoAnswer."""
        attempts = Attempts(request, self.url)
        while True:
            response = await self.open(request)
            try:
                await response.aread()
            except httpx.TransportError as error:
                await sleep(attempts.after_fault(error))
            else:
                return response
            finally:
                await response.aclose()

    async def json(self, method: str, path: str, **more: Any) -> Any:
        """The JSON of the answer. Keywords are those of Request."""
        more.setdefault("deadline_s", self.deadline_s)
        response = await self.send(Request(method, path, **more))
        return response.json() if response.content else None

    async def each(self, path: str, query: dict[str, Any], **more: Any) -> AsyncGenerator[Any, None]:
        """All records of a list. Pages are fetched when they are needed."""
        cursor: str | None = None
        while True:
            page = await self.json("GET", path, query={**query, "cursor": cursor}, **more)
            for item in page["items"]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return

    @asynccontextmanager
    async def stream(self, request: Request) -> AsyncGenerator[httpx.Response, None]:
        response = await self.open(request)
        try:
            yield response
        finally:
            await response.aclose()

    async def blocks(self, path: str, query: dict[str, Any], after: str | None) -> AsyncGenerator[Block, None]:
        """Events and heartbeats of a stream, over as many connections as necessary: each event once, in order.

        Args:
            after: The id of the last event that is not wanted; None: from the next event on.
        """
        last = after
        pause = FIRST_PAUSE_S
        while True:
            headers = {} if last is None else {"last-event-id": last}
            request = Request(
                "GET", path, query=query, headers=headers, accept="text/event-stream", timeout_s=_SILENCE_S, deadline_s=PATIENT_S
            )
            try:
                async with self.stream(request) as response:
                    parser = StreamParser()
                    async for piece in response.aiter_bytes():
                        for block in parser.feed(piece):
                            if block.event == "gap":
                                raise EventsGap(last)
                            if block.data is not None and block.id is not None and last is not None and int(block.id) <= int(last):
                                continue
                            last = block.id if block.id is not None else last
                            pause = FIRST_PAUSE_S
                            yield block
            except httpx.TransportError:
                pass
            except Refused as refused:
                if refused.code not in _STREAM_FULL:
                    raise
            await sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE_S)

    async def events(self, query: dict[str, Any], after: str | None) -> AsyncGenerator[Block, None]:
        async for block in self.blocks("/api/events", query, after):
            yield block


class Patience:
    """The time that is left of a wait."""

    def __init__(self, timeout_s: float | None) -> None:
        self._end = None if timeout_s is None else monotonic() + timeout_s

    def left(self, seconds: float) -> float:
        """The pause that fits into the time that is left; 0 or less: none."""
        return seconds if self._end is None else min(seconds, self._end - monotonic())


def record_of(answer: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", answer)

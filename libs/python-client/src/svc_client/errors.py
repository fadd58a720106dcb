"""What goes wrong, with what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .models import Fault, Problem

Effect = Literal["none", "maybe", "done"]


class SvcError(Exception):
    """Base of all errors of this library.

    Attributes:
        message: What is wrong.
        remedy: What to do about it; empty if nothing can be said.
        effect: What is known of the effect of the request: only after "none" may a program send another one in its place.
        request_id: The id under which the logs of the service have the request; None if there was none.
    """

    def __init__(self, message: str, *, remedy: str = "", effect: Effect = "none", request_id: str | None = None) -> None:
        self.message = message
        self.remedy = remedy
        self.effect: Effect = effect
        self.request_id = request_id
        super().__init__(message)

    def __str__(self) -> str:
        lines = [self.message, *self._details()]
        if self.remedy:
            lines.append(f"what to do: {self.remedy}")
        if self.effect != "none":
            lines.append(f"effect of the request: {self.effect}")
        if self.request_id is not None:
            lines.append(f"request: {self.request_id}")
        return "\n  ".join(lines)

    def _details(self) -> Sequence[str]:
        return ()


class Refused(SvcError):
    """The service refused the request. Each error code has a class in `svc_client.refusals`; `code` never changes.

    Attributes:
        status: HTTP status.
        faults: Each fault of an invalid request: `path`, `code`, `message`, and `hint` if there is one.
        retry_after: Seconds after which the service wants to be asked again; None if it does not say.
        problem: The whole answer (RFC 9457).
    """

    code = "unknown"
    retryable = False
    usual_remedy = "read the message"

    def __init__(self, problem: Problem, *, request_id: str | None = None, retry_after: float | None = None) -> None:
        self.problem = problem
        self.code = problem["code"]
        self.status = problem["status"]
        self.faults: list[Fault] = list(problem.get("errors", []))
        self.retry_after = retry_after
        super().__init__(
            f"{problem['title']} ({self.code}): {problem['detail']}",
            remedy=self.usual_remedy,
            effect=problem.get("effect", "none"),
            request_id=request_id,
        )

    def _details(self) -> Sequence[str]:
        return [
            f"{fault['path'] or 'the request'}: {fault['message']}" + (f" ({fault['hint']})" if "hint" in fault else "")
            for fault in self.faults
        ]


class NoAnswer(SvcError):
    """No answer of the service arrived within the deadline.

    Attributes:
        reason: "refused": nothing listens there. "lost": the connection ended. "timeout": no answer in time. "foreign":
            another server than the service answered.
        key: The Idempotency-Key of a request that acts. The same request with this key is carried out once; None if it only reads.
    """

    def __init__(
        self,
        reason: Literal["refused", "lost", "timeout", "foreign"],
        message: str,
        *,
        effect: Effect,
        request_id: str,
        key: str | None,
    ) -> None:
        self.reason: Literal["refused", "lost", "timeout", "foreign"] = reason
        self.key = key
        if effect == "none":
            remedy = "check the address, and whether the service runs (`svc status`)"
        else:
            remedy = f"read the record before you repeat it, or send the same request again with key={key!r}"
        super().__init__(message, remedy=remedy, effect=effect, request_id=request_id)


class WorkFailed(SvcError):
    """Work that was waited for did not complete.

    Attributes:
        state: "failed", "cancelled" or "skipped".
        reason: `code` and `message` of the record; None if it has none.
    """

    def __init__(self, label: str, state: str, reason: Any) -> None:
        self.state = state
        self.reason = reason
        cause = "" if reason is None else f": {reason['message']} ({reason['code']})"
        super().__init__(
            f"{label} is {state}{cause}",
            remedy="read its record and logs; wait(check=False) returns without this error",
        )


class WaitTimeout(SvcError):
    """Work did not end within the time of `wait`. It goes on."""

    def __init__(self, label: str, state: str, seconds: float) -> None:
        remedy = "wait again; the work goes on without you"
        if state == "needs_attention":
            remedy = "a person must decide: read svc.attention.list()"
        super().__init__(f"{label} is {state} after {seconds:g} s", remedy=remedy)


class EventsGap(SvcError):
    """Events between the cursor and the present were removed."""

    def __init__(self, after: str | None) -> None:
        super().__init__(f"the events that follow {after} are no longer stored", remedy="read the records, then watch from the next event")


class DamagedFile(SvcError):
    """A downloaded file differs from its record in size or SHA-256."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(f"the file {name} arrived damaged: {message}", remedy="download it again")


class MissingLibrary(SvcError, ImportError):
    """An optional library is not installed."""

    def __init__(self, library: str, purpose: str) -> None:
        super().__init__(f"{purpose} needs {library}, which is not installed", remedy=f"pip install {library}")

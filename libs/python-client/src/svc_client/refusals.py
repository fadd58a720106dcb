"""A class for each error code. `npm run docs:reference` writes this file from `libs/contracts/src/errors.ts`."""

from __future__ import annotations

from .errors import Refused


class Aborted(Refused):
    """The call was aborted."""

    code = "aborted"
    retryable = False
    usual_remedy = "look at the instrument before you repeat the call"


class AgentUnreachable(Refused):
    """The computer of the device does not answer."""

    code = "agent_unreachable"
    retryable = True
    usual_remedy = "look at effect, then at the computer of the device"


class AnswerNotKept(Refused):
    """The request was carried out, and its answer was not kept."""

    code = "answer_not_kept"
    retryable = False
    usual_remedy = "read the record: the request was carried out"


class BacklogFull(Refused):
    """Too much work is waiting."""

    code = "backlog_full"
    retryable = True
    usual_remedy = "wait until work has ended, then submit again"


class BadRequest(Refused):
    """The request is malformed."""

    code = "bad_request"
    retryable = False
    usual_remedy = "correct the request as the message says"


class DeadlineExceeded(Refused):
    """No answer within the time limit."""

    code = "deadline_exceeded"
    retryable = False
    usual_remedy = "look at effect, then at the instrument; of a list: ask for less"


class DeviceError(Refused):
    """The device function failed."""

    code = "device_error"
    retryable = False
    usual_remedy = "look at effect, then at the instrument"


class DeviceInUse(Refused):
    """A task uses the device."""

    code = "device_in_use"
    retryable = False
    usual_remedy = "wait until the task has ended, or give force_reason="


class DeviceUnavailable(Refused):
    """The device cannot be used now."""

    code = "device_unavailable"
    retryable = True
    usual_remedy = "read the state and the detail of the device"


class Disconnected(Refused):
    """The connection to the broker was lost."""

    code = "disconnected"
    retryable = True
    usual_remedy = "send the request again"


class DuplicateName(Refused):
    """The name is taken."""

    code = "duplicate_name"
    retryable = False
    usual_remedy = "use another name, or read the record of this name: it may be your own earlier request"


class EventsPruned(Refused):
    """The requested data has been removed."""

    code = "events_pruned"
    retryable = False
    usual_remedy = "read the records, then watch from the next event"


class Forbidden(Refused):
    """Not allowed."""

    code = "forbidden"
    retryable = False
    usual_remedy = "ask an administrator for the role that the message names"


class IdempotencyKeyInProgress(Refused):
    """A request with this key is in progress."""

    code = "idempotency_key_in_progress"
    retryable = True
    usual_remedy = "send the same request with the same key again in a moment"


class IdempotencyKeyReused(Refused):
    """The key belongs to another request."""

    code = "idempotency_key_reused"
    retryable = False
    usual_remedy = "use a new key for a new request"


class Internal(Refused):
    """A defect of the service."""

    code = "internal"
    retryable = False
    usual_remedy = "send the request id to whoever operates the service: the logs have the cause"


class Invalid(Refused):
    """The request is well-formed but invalid."""

    code = "invalid"
    retryable = False
    usual_remedy = "correct each field in faults; nothing was stored"


class LateMessage(Refused):
    """The message was delayed for too long."""

    code = "late_message"
    retryable = True
    usual_remedy = "send the request again"


class MalformedJson(Refused):
    """The body is not valid JSON."""

    code = "malformed_json"
    retryable = False
    usual_remedy = "send a body in JSON"


class Misdirected(Refused):
    """The service is not known by this name."""

    code = "misdirected"
    retryable = False
    usual_remedy = "use the address under which the service is known"


class NotFound(Refused):
    """Not found."""

    code = "not_found"
    retryable = False
    usual_remedy = "read the list, and use a name of it"


class OptimizerError(Refused):
    """The optimizer failed."""

    code = "optimizer_error"
    retryable = False
    usual_remedy = "correct the optimizer as the message says"


class OptimizerUnavailable(Refused):
    """No optimizer worker answers at this address."""

    code = "optimizer_unavailable"
    retryable = True
    usual_remedy = "start `svc optimizer` on that computer, or correct optimizer_ip"


class OutcomeUnknown(Refused):
    """It is not known whether the request was carried out."""

    code = "outcome_unknown"
    retryable = False
    usual_remedy = "read the record before you send the request again: it may have been carried out"


class PayloadTooLarge(Refused):
    """The body is too large."""

    code = "payload_too_large"
    retryable = False
    usual_remedy = "send less at once"


class QuotaExceeded(Refused):
    """A quota has no room."""

    code = "quota_exceeded"
    retryable = False
    usual_remedy = "delete or archive work, or ask an administrator for a greater quota"


class RangeNotSatisfiable(Refused):
    """The file does not have these bytes."""

    code = "range_not_satisfiable"
    retryable = False
    usual_remedy = "download the file from its beginning"


class ServiceUnavailable(Refused):
    """A part of the service does not answer."""

    code = "service_unavailable"
    retryable = True
    usual_remedy = "wait, and send the request again; `svc status` names the part that is away"


class StaleMessage(Refused):
    """The message comes from an earlier leader or owner."""

    code = "stale_message"
    retryable = False
    usual_remedy = "send the request again"


class StoreUnavailable(Refused):
    """The database does not answer."""

    code = "store_unavailable"
    retryable = True
    usual_remedy = "wait, and send the request again"


class TooManyRequests(Refused):
    """Too many requests."""

    code = "too_many_requests"
    retryable = True
    usual_remedy = "wait for retry_after seconds, and send fewer requests"


class Unauthorized(Refused):
    """Authentication is required."""

    code = "unauthorized"
    retryable = False
    usual_remedy = "set SVC_TOKEN or SVC_TOKEN_FILE, or pass token= to connect(); `svc token create` makes a token"


class UnknownDevice(Refused):
    """No such device."""

    code = "unknown_device"
    retryable = False
    usual_remedy = "read svc.devices.list(), and use a name of it"


class UnknownFunction(Refused):
    """The device has no such function."""

    code = "unknown_function"
    retryable = False
    usual_remedy = "read the functions of the device, and use a name of them"


class UnknownLab(Refused):
    """No such laboratory."""

    code = "unknown_lab"
    retryable = False
    usual_remedy = "read svc.labs(), and use a name of it"


class UnknownProtocol(Refused):
    """No such protocol."""

    code = "unknown_protocol"
    retryable = False
    usual_remedy = 'read svc.definitions.list(type="protocol"), and use a loaded name of it'


class UnknownTaskType(Refused):
    """No such task type."""

    code = "unknown_task_type"
    retryable = False
    usual_remedy = 'read svc.definitions.list(type="task"), and use a loaded name of it'


class UnsupportedMediaType(Refused):
    """The media type of the body is not supported."""

    code = "unsupported_media_type"
    retryable = False
    usual_remedy = "send JSON"


class UpgradeRequired(Refused):
    """The releases of agent and service do not fit."""

    code = "upgrade_required"
    retryable = False
    usual_remedy = "update the side that the message names"


class UriTooLong(Refused):
    """The address is too long."""

    code = "uri_too_long"
    retryable = False
    usual_remedy = "use fewer or shorter filters"


class WrongState(Refused):
    """Not possible in the current state."""

    code = "wrong_state"
    retryable = False
    usual_remedy = "read the record again, and decide by its state"


REFUSALS: dict[str, type[Refused]] = {
    "aborted": Aborted,
    "agent_unreachable": AgentUnreachable,
    "answer_not_kept": AnswerNotKept,
    "backlog_full": BacklogFull,
    "bad_request": BadRequest,
    "deadline_exceeded": DeadlineExceeded,
    "device_error": DeviceError,
    "device_in_use": DeviceInUse,
    "device_unavailable": DeviceUnavailable,
    "disconnected": Disconnected,
    "duplicate_name": DuplicateName,
    "events_pruned": EventsPruned,
    "forbidden": Forbidden,
    "idempotency_key_in_progress": IdempotencyKeyInProgress,
    "idempotency_key_reused": IdempotencyKeyReused,
    "internal": Internal,
    "invalid": Invalid,
    "late_message": LateMessage,
    "malformed_json": MalformedJson,
    "misdirected": Misdirected,
    "not_found": NotFound,
    "optimizer_error": OptimizerError,
    "optimizer_unavailable": OptimizerUnavailable,
    "outcome_unknown": OutcomeUnknown,
    "payload_too_large": PayloadTooLarge,
    "quota_exceeded": QuotaExceeded,
    "range_not_satisfiable": RangeNotSatisfiable,
    "service_unavailable": ServiceUnavailable,
    "stale_message": StaleMessage,
    "store_unavailable": StoreUnavailable,
    "too_many_requests": TooManyRequests,
    "unauthorized": Unauthorized,
    "unknown_device": UnknownDevice,
    "unknown_function": UnknownFunction,
    "unknown_lab": UnknownLab,
    "unknown_protocol": UnknownProtocol,
    "unknown_task_type": UnknownTaskType,
    "unsupported_media_type": UnsupportedMediaType,
    "upgrade_required": UpgradeRequired,
    "uri_too_long": UriTooLong,
    "wrong_state": WrongState,
}

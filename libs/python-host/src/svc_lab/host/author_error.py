"""Errors of author code, for people."""

from __future__ import annotations

from .package_code import origin_of

# See ../device.py.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

MAX_MESSAGE = 8_192
MAX_FRAMES = 30
MAX_CAUSES = 4


def describe_error(error: BaseException, package: str) -> dict[str, str]:
    """Its message, and a stack with the frames of the package only, the innermost first. Never raises.

    A frame is printed as `    at fill (color_lab/tasks/mix/task.py:12)`, as in the stacks of TypeScript.
    """
    return {"message": _cut(message_of(error)), "stack": _stack_of(error, package, MAX_CAUSES)}


def message_of(error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return f"the code called sys.exit({error.code!r})"
    name = type(error).__name__
    try:
        text = str(error)
    except Exception as failure:
        return f"{name} (its message cannot be shown: {type(failure).__name__})"
    # The text of a KeyError is only the key.
    return f"{name}: {text}" if isinstance(error, KeyError) else text or f"{name} without a message"


def _stack_of(error: BaseException, package: str, causes: int) -> str:
    message = message_of(error)
    name = type(error).__name__
    lines = [_cut(message if message.startswith(name) else f"{name}: {message}")]
    if isinstance(error, SyntaxError) and origin_of(str(error.filename)).startswith(f"{package}/"):
        lines.append(f"    at {origin_of(str(error.filename))}:{error.lineno}")
    lines.extend(_frames(error.__traceback__, package))
    device_stack = getattr(error, "device_stack", None)
    if isinstance(device_stack, str):
        lines.extend((f"  in the device {getattr(error, 'device', '')}:", device_stack))
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if cause is not None and causes > 0:
        lines.append(f"caused by {_stack_of(cause, package, causes - 1)}")
    return "\n".join(lines)


def _frames(traceback: TracebackType | None, package: str) -> list[str]:
    found: list[str] = []
    while traceback is not None:
        code = traceback.tb_frame.f_code
        file = origin_of(code.co_filename)
        if file.startswith(f"{package}/"):
            place = f"{file}:{traceback.tb_lineno}"
            found.append(f"    at {place}" if code.co_name == "<module>" else f"    at {code.co_name} ({place})")
        traceback = traceback.tb_next
    return found[::-1][:MAX_FRAMES]


def _cut(text: str) -> str:
    return f"{text[:MAX_MESSAGE]}…" if len(text) > MAX_MESSAGE else text

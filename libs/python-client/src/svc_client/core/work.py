"""What records of work say: whether they have ended, how far they are, and their results."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, cast

from ..errors import SvcError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..models import CampaignRecord, DeviceReference, ProtocolRunRecord, TaskRunRecord, Trial

ENDED = {"completed", "failed", "cancelled", "skipped"}
# Seconds before the second look at work that is waited for. They double up to POLL_S.
FIRST_POLL_S = 0.2
POLL_S = 1.0
# Seconds for which whoever waits or watches bears that the service is away, for example for an upgrade.
PATIENT_S = 600.0


def has_ended(state: str) -> bool:
    return state in ENDED


def outputs_of(run: ProtocolRunRecord) -> dict[str, dict[str, Any]]:
    """Task name to the output parameters of each task that has some."""
    return {task["name"]: task["output_parameters"] for task in run["tasks"] if task["output_parameters"] is not None}


def flat(parameters: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """`{"mix": {"volume": 1}}` as `{"mix.volume": 1}`."""
    return {f"{task}.{name}": value for task, values in parameters.items() for name, value in values.items()}


def nested(inputs: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """`{"mix.volume": 1}` as `{"mix": {"volume": 1}}`."""
    found: dict[str, dict[str, Any]] = {}
    for key, value in inputs.items():
        task, dot, name = key.partition(".")
        if not (task and dot and name):
            raise SvcError(f"{key!r} is no parameter", remedy='name it "task.parameter", such as "mix_colors.cyan_volume"')
        found.setdefault(task, {})[name] = plain(value)
    return found


def plain(value: Any) -> Any:
    """A number of numpy, which optimizers like to return, as one of Python."""
    item = getattr(value, "item", None)
    return item() if callable(item) and getattr(value, "shape", None) == () else value


def device_references(devices: Mapping[str, str | DeviceReference] | None) -> dict[str, Any] | None:
    """Devices by slot, also those that are named `lab.device`."""
    if devices is None:
        return None
    return {slot: dict(zip(("lab_name", "name"), device_name(each))) if isinstance(each, str) else each for slot, each in devices.items()}


def device_name(name: str) -> tuple[str, str]:
    lab, dot, device = name.partition(".")
    if not (lab and dot and device):
        raise SvcError(f"{name!r} is no device", remedy='name it "lab.device", such as "color_lab.robot_arm"')
    return lab, device


def given(**fields: Any) -> dict[str, Any]:
    """The fields that are not None."""
    return {name: value for name, value in fields.items() if value is not None}


def run_progress(record: ProtocolRunRecord) -> tuple[float | None, str]:
    """Share of ended tasks, and a line about them."""
    tasks = record["tasks"]
    ended = sum(has_ended(task["state"]) for task in tasks)
    running = [task["name"] for task in tasks if task["state"] == "running"]
    text = f"{ended}/{len(tasks)} tasks" + (f", running: {', '.join(running)}" if running else "")
    return (ended / len(tasks) if tasks else None), text + _reason(record["reason"])


def campaign_progress(record: CampaignRecord) -> tuple[float | None, str]:
    """Share of ended runs, and a line about them. The share is None without a limit of runs."""
    done, failed, most = record["protocol_runs_completed"], record["protocol_runs_failed"], record["max_protocol_runs"]
    text = f"{done}/{most or '?'} runs" + (f", {failed} failed" if failed else "")
    return ((done + failed) / most if most else None), text + _reason(record["reason"])


def task_progress(record: TaskRunRecord) -> tuple[float | None, str]:
    return (1.0 if has_ended(record["state"]) else None), record["state"] + _reason(record["reason"])


def _reason(reason: Any) -> str:
    return "" if reason is None else f" – {reason['message']}"


def trial_of(
    number: int, name: str, inputs: Mapping[str, Any], *, outputs: Sequence[str], state: str | None, run: ProtocolRunRecord | None
) -> Trial:
    """The trial of a campaign whose runs an optimizer outside of the service proposes.

    It is measured if its run completed and every output is a finite number.
    """
    measured: dict[str, float] | None = None
    shown = "proposed" if state is None or state == "created" else "running"
    if state is not None and has_ended(state):
        found = flat(outputs_of(run)) if run is not None and state == "completed" else {}
        values = {key: found.get(key) for key in outputs}
        if all(isinstance(value, (int, float)) and math.isfinite(value) for value in values.values()):
            measured = cast("dict[str, float]", values)
        shown = "failed" if measured is None else "measured"
    trial = {
        "number": number,
        "run": name,
        "source": "given",
        "state": shown,
        "inputs": dict(inputs),
        "outputs": measured,
        "additional": {},
        "note": {},
    }
    return cast("Trial", trial)

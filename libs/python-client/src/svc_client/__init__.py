"""Client of the laboratory orchestration service. `svc_client.aio` is its asynchronous twin."""

from . import errors, models, refusals
from .blocking import (
    AttentionItem,
    Campaign,
    Device,
    DrivenCampaign,
    File,
    Files,
    Run,
    Service,
    Task,
    Trials,
    connect,
)
from .errors import NoAnswer, Refused, SvcError, WaitTimeout, WorkFailed

__all__ = [
    "AttentionItem",
    "Campaign",
    "Device",
    "DrivenCampaign",
    "File",
    "Files",
    "NoAnswer",
    "Refused",
    "Run",
    "Service",
    "SvcError",
    "Task",
    "Trials",
    "WaitTimeout",
    "WorkFailed",
    "connect",
    "errors",
    "models",
    "refusals",
]

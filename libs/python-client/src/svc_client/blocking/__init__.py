# `npm run docs:reference` writes this file from svc_client/aio/__init__.py.
"""The client. Every method that asks the service has the same name and arguments in both twins."""

from .campaigns import Campaign, Campaigns, Trials
from .driven import DrivenCampaign
from .files import File, Files
from .lab import Attention, AttentionItem, Device, Devices
from .service import Service, connect
from .work import Protocols, Records, Run, Task, Tasks

__all__ = [
    "Attention",
    "AttentionItem",
    "Campaign",
    "Campaigns",
    "Device",
    "Devices",
    "DrivenCampaign",
    "File",
    "Files",
    "Protocols",
    "Records",
    "Run",
    "Service",
    "Task",
    "Tasks",
    "Trials",
    "connect",
]

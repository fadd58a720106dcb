"""Runs one manager of MADSci: `python manager.py NAME`. Its settings come from the environment.

In-memory back ends of MADSci itself stand in for its document database and its object storage.
"""

import sys
from importlib import import_module

from madsci.common.db_handlers import InMemoryDocumentStorageHandler, InMemoryObjectStorageHandler

MANAGERS = {
    "lab": ("madsci.squid.lab_server", "LabManager", ()),
    "event": ("madsci.event_manager.event_server", "EventManager", ("document",)),
    "experiment": ("madsci.experiment_manager.experiment_server", "ExperimentManager", ("document",)),
    "resource": ("madsci.resource_manager.resource_server", "ResourceManager", ()),
    "data": ("madsci.data_manager.data_server", "DataManager", ("document", "object_storage")),
    "location": ("madsci.location_manager.location_server", "LocationManager", ("document",)),
    "workcell": ("madsci.workcell_manager.workcell_server", "WorkcellManager", ("document",)),
}

name = sys.argv[1]
BACK_ENDS = {
    "document": lambda: InMemoryDocumentStorageHandler(database_name=name),
    "object_storage": InMemoryObjectStorageHandler,
}

module, manager, needed = MANAGERS[name]
handlers = {f"{kind}_handler": BACK_ENDS[kind]() for kind in needed}
getattr(import_module(module), manager)(**handlers).run_server()

"""Devices of ophyd and ophyd-async (https://blueskyproject.io): everything that Bluesky can drive."""

from __future__ import annotations

import os
import sys
from typing import Any, Union

from .calls import LoopRunner, ThreadRunner
from .construct import Converter, load, takes
from .device import FrameworkDevice, Operation
from .ophyd_async import AsyncTree
from .ophyd_blocking import BlockingTree

_CONTROL_LAYER = "OPHYD_CONTROL_LAYER"


class OphydDevice(FrameworkDevice):
    """A device of ophyd or ophyd-async. Its functions are the verbs of Bluesky, the signals below it, and its own methods.

    Init parameters: `class` and `arguments` of the device; `simulate`; `queries`, `idempotent`, `timeouts`, `only` and `stops`.
    """

    _tree: Union[AsyncTree, BlockingTree, None] = None  # noqa: UP007 -- Python 3.9

    def _initialize(self, parameters: dict[str, Any]) -> Any:
        self._read_settings(parameters)
        path, given = parameters["class"], dict(self._settings.get("arguments", {}))
        own = self._settings.get("simulate")
        if isinstance(own, dict):
            if "class" not in own:
                raise ValueError(
                    "init_parameters.simulate has no class: name the class of the simulator, or write true"
                )
            path, given = own["class"], dict(own.get("arguments", {}))
        if self._is_simulated:
            _forbid_epics()
        found = load(path, "ophyd")
        core = sys.modules.get("ophyd_async.core")
        if core is not None and isinstance(found, type) and issubclass(found, core.Device):
            return self._initialize_in_loop(found, given, own is True)
        self._runner: Union[LoopRunner, ThreadRunner] = ThreadRunner(one_at_a_time=False)  # noqa: UP007
        kind = BlockingTree.class_for(found, path, own is True)
        tree = BlockingTree(self._made(kind, given))
        tree.connect()
        self._tree = tree
        self._prepare_or_close(tree)
        return None

    async def _initialize_in_loop(self, found: type, given: dict[str, Any], simulate: bool) -> None:
        self._runner = LoopRunner()
        tree = AsyncTree(self._made(found, given))
        await tree.connect(mock=simulate and not AsyncTree.is_simulator(found))
        self._tree = tree
        self._prepare_or_close(tree)

    def _made(self, kind: Any, given: dict[str, Any]) -> Any:
        if takes(kind, "name"):
            given.setdefault("name", self.name)
        return Converter().make(kind, given, "ophyd", "init_parameters.arguments")

    def _prepare_or_close(self, tree: AsyncTree | BlockingTree) -> None:
        try:
            self._prepare()
        except BaseException:
            tree.close()
            raise

    def _cleanup(self) -> Any:
        return None if self._tree is None else self._tree.end()

    def _report(self) -> dict[str, Any]:
        kind = type(self._tree.root) if self._tree is not None else type(None)
        return {"class": f"{kind.__module__}.{kind.__name__}", "simulated": self._is_simulated}

    def _operations(self) -> dict[str, Operation]:
        assert self._tree is not None
        return self._tree.operations()

    def _known_stops(self) -> list[Any]:
        assert self._tree is not None
        return self._tree.stops()


def _forbid_epics() -> None:
    """Lets every signal of EPICS of this process fail to connect."""
    os.environ[_CONTROL_LAYER] = "dummy"
    loaded = sys.modules.get("ophyd")
    if loaded is not None:
        loaded.set_cl("dummy")

import json
import os
import threading
import time

from svc_lab import BaseDevice, effect, idempotent, query


class Instrument(BaseDevice):
    """The log is the truth about what happened physically: a motion that began goes on to its end though nobody watches."""

    def _initialize(self, parameters):
        self._attach(parameters)
        open_motions = self._open_motions()
        if open_motions:
            raise RuntimeError(f"initialised in the middle of {open_motions[0]['call_id']}")

    def _cleanup(self):
        self.log.debug("detached")

    def _report(self):
        return {"moving": len(self._open_motions())}

    def _reconcile(self, parameters, in_doubt):
        """Reads the instrument: waits until what moved stands still."""
        self._attach(parameters)
        if self._blind:
            return {"idle": False, "detail": "this instrument cannot be read"}
        for motion in self._open_motions():
            time.sleep(max(0, motion["until"] / 1_000 - time.time()))
            self._write({"phase": "end", "call_id": motion["call_id"], "at": now_ms(), "by": "reconcile"})
        return {"idle": True}

    def _stop(self, reason):
        self._halting.set()

    @effect
    def move(self, ms):
        call_id = self.call_id or "none"
        at = now_ms()
        self._halting.clear()
        self._write({"phase": "begin", "call_id": call_id, "at": at, "until": at + ms})
        if self._halting.wait(ms / 1_000):
            self._write({"phase": "end", "call_id": call_id, "at": now_ms(), "by": "stop"})
            raise RuntimeError("stopped in motion")
        self._write({"phase": "end", "call_id": call_id, "at": now_ms()})
        return {"call_id": call_id, "folder": self._folder}

    @idempotent
    def configure(self, level):
        return {"level": level}

    @query
    def sense(self):
        return {"folder": self._folder, "call_id": self.call_id or "none"}

    def _attach(self, parameters):
        self._folder = parameters["folder"]
        self._blind = parameters["blind"]
        self._log_file = os.path.join(self._folder, f"{self.name}.log")
        self._halting = threading.Event()

    def _write(self, entry):
        with open(self._log_file, "a") as log:
            log.write(f"{json.dumps(entry)}\n")

    def _open_motions(self):
        motions = {}
        try:
            with open(self._log_file) as log:
                lines = log.read().splitlines()
        except FileNotFoundError:
            return []
        for line in filter(None, lines):
            entry = json.loads(line)
            if entry["phase"] == "begin":
                motions[entry["call_id"]] = entry
            else:
                motions.pop(entry["call_id"], None)
        return list(motions.values())


def now_ms():
    return int(time.time() * 1_000)

import time

from svc_lab import BaseDevice, effect, query


class PythonProbe(BaseDevice):
    def _initialize(self, parameters):
        self._calls = 0

    def _cleanup(self):
        self._calls = 0

    def _report(self):
        return {"calls": self._calls}

    @query
    def ping(self):
        return {"at": time.time() * 1000}

    @effect
    def touch(self):
        self._calls += 1
        return {"at": time.time() * 1000}

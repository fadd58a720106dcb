"""A device as its host uses it, without the process."""

import asyncio
import contextlib
import inspect
import io
import itertools
import threading

from svc_lab.device import DeviceContext
from svc_lab.functions import declared_functions

_numbers = itertools.count(1)


class DeviceUnderTest:
    """Raises what `_initialize` raises. Close it at the end."""

    def __init__(self, device_class, **parameters):
        self.device = device_class()
        self.device._svc_context = DeviceContext(f"device_{next(_numbers)}", "test_lab", lambda: None, "test")
        # As in a host, coroutines run in a loop in a thread of its own.
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        self.functions = {}
        try:
            self._finish(self.device._initialize(parameters))
            self.functions = self.device._svc_functions()
            self.declared = declared_functions(type("Device", (device_class,), {}), self.functions)
        except BaseException:
            self._loop.call_soon_threadsafe(self._loop.stop)
            raise

    def call(self, function, /, **given):
        return self._finish(self.functions[function](**given))

    def stop(self, reason="somebody pressed it"):
        return self._finish(self.device._stop(reason))

    @property
    def can_stop(self):
        return hasattr(self.device, "_stop")

    def parameters(self, function):
        return self.declared[function].get("parameters")

    def kinds(self, *functions):
        return [self.declared[each]["kind"] for each in functions]

    def begin(self, function, /, **given):
        """Makes a call in a thread of its own. Returns a function that waits for its end and returns its result or its error."""
        outcome = []

        def run():
            try:
                outcome.append(self.call(function, **given))
            except BaseException as error:
                outcome.append(error)

        thread = threading.Thread(target=run, daemon=True)
        thread.start()

        def end():
            thread.join(10)
            if not outcome:
                raise AssertionError(f"{function} did not end")
            return outcome[0]

        return end

    def close(self):
        with contextlib.redirect_stdout(io.StringIO()):
            self._finish(self.device._cleanup())
        self._loop.call_soon_threadsafe(self._loop.stop)

    def _finish(self, value):
        if not inspect.isawaitable(value):
            return value

        async def waited():
            return await value

        return asyncio.run_coroutine_threadsafe(waited(), self._loop).result(30)

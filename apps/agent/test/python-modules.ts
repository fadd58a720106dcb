import { createHash } from 'node:crypto';
import type { TestModule } from './modules.js';

/** The devices and the task of `modules.ts` in Python, as the service bundles them. */

export const pythonArm = moduleOf(
  'devices/arm/device.py',
  `
import asyncio
import os
import sys
import time

from svc_lab import BaseDevice, effect, query


class Arm(BaseDevice):
    def _initialize(self, parameters):
        self._parameters = parameters
        if "refuse" in parameters:
            raise RuntimeError(parameters["refuse"])
        print("arm is ready")

    def _cleanup(self):
        self._note("cleaned up")

    def _report(self):
        return {"pid": os.getpid()}

    def _note(self, line):
        if "trace" in self._parameters:
            with open(self._parameters["trace"], "a") as file:
                file.write(line + "\\n")

    async def move(self, to, ms=0):
        self._note(f"move {to}")
        await asyncio.sleep(ms / 1000)
        return {"at": to}

    @effect(timeout=0.5)
    def brief(self, ms):
        time.sleep(ms / 1000)
        return "in time"

    def hang(self):
        self._note("moves and hangs")
        while True:
            pass

    @query
    def where(self):
        return os.getpid()

    def fail(self, why):
        raise RuntimeError(why)

    def scribble(self):
        os.write(4, b"no message at all\\n")
        time.sleep(60)

    def die(self):
        print("the driver crashed", file=sys.__stderr__, flush=True)
        os._exit(7)

    @query
    def secrets(self):
        return [name for name in os.environ if name.startswith("SVC_")]
`,
);

export const pythonSteadyArm = moduleOf(
  'devices/steady_arm/device.py',
  `
import os
import threading

from svc_lab import BaseDevice, query


class SteadyArm(BaseDevice):
    def __init__(self):
        self._halt = threading.Event()

    def _initialize(self, parameters):
        self._parameters = parameters
        self._note("initialize")

    def _cleanup(self):
        if "parks" in self._parameters:
            self._note("park")

    def _report(self):
        return {}

    def _stop(self, reason):
        self._note("stop: " + reason)
        if "stubborn" not in self._parameters:
            self._halt.set()

    def _reconcile(self, parameters, in_doubt):
        self._parameters = parameters
        self._note("asked for " + ",".join(call.function for call in in_doubt))
        idle = os.path.exists(parameters["parked"])
        return {"idle": idle, "detail": f"the brake is {'on' if idle else 'off'}"}

    def _note(self, line):
        with open(self._parameters["trace"], "a") as file:
            file.write(line + "\\n")

    def move(self):
        self._note("move")
        self._halt.wait()
        self._halt.clear()
        raise RuntimeError("stopped")

    @query
    def where(self):
        return os.getpid()
`,
);

export const pythonTask = moduleOf(
  'tasks/any/task.py',
  `
import asyncio
import os
import sys
import time

from svc_lab import BaseTask


class Any(BaseTask):
    def _execute(self, devices, parameters, resources):
        print("doing " + parameters["mode"])
        return getattr(self, "_" + parameters["mode"])(devices, parameters)

    def _call(self, devices, parameters):
        return {"said": getattr(devices["arm"], parameters["function"])(**parameters["args"])}, {}, {}

    def _throw(self, devices, parameters):
        raise RuntimeError(parameters["why"])

    def _file(self, devices, parameters):
        return {}, {}, {"picture.bin": bytes([7]) * parameters["size"]}

    def _read(self, devices, parameters):
        raw = self.files["raw"]
        with open(raw) as file:
            return {"text": file.read()[-6:], "ending": raw.path[-4:]}, {}, {}

    async def _wait(self, devices, parameters):
        await asyncio.sleep(parameters["ms"] / 1000)
        return {"waited": parameters["ms"]}, {}, {}

    def _die(self, devices, parameters):
        print("out of beakers", file=sys.__stderr__, flush=True)
        time.sleep(0.02)
        os._exit(3)
`,
);

/** A device whose code attacks its computer, as `thiefModule`. */
export const pythonThief = moduleOf(
  'devices/thief/device.py',
  `
import errno
import os
import signal

from svc_lab import BaseDevice, query


def tried(act):
    try:
        act()
    except OSError as error:
        return errno.errorcode[error.errno]
    return "done"


def read(path):
    if os.path.isdir(path):
        return os.listdir(path)
    with open(path, "rb") as file:
        return file.read()


def write(path):
    with open(path, "w") as file:
        file.write("x")


class Thief(BaseDevice):
    def _initialize(self, parameters):
        pass

    def _cleanup(self):
        pass

    def _report(self):
        return {}

    @query
    def read(self, path):
        return tried(lambda: read(path))

    @query
    def write(self, path):
        return tried(lambda: write(path))

    @query
    def end(self, pid):
        return tried(lambda: os.kill(pid, signal.SIGTERM))

    @query
    def environment(self):
        return dict(os.environ)

    @query
    def become(self, uid):
        return tried(lambda: os.setuid(uid))

    @query
    def status(self):
        with open("/proc/self/status") as file:
            lines = [line.rstrip("\\n").split(":", 1) for line in file]
        return {name: value.strip().replace("\\t", " ") for name, value in lines}
`,
);

function moduleOf(source: string, code: string): TestModule {
  const text = JSON.stringify({ svc_python: 1, package: 'agent_lab', files: { [source]: code } });
  const hash = createHash('sha256').update(text).digest('hex');
  return { reference: { hash, package: 'agent_lab', source, runtime: 'python' }, text };
}

import { handleOf, ownClass, taskDefinition, type Files, type UsedDevice } from './templates.js';

/** The files that `svc pkg create` and `svc pkg add` write for packages in Python. */

/** The file that makes a folder a package in Python. */
export const pythonMarker = 'pyproject.toml';

export function pythonPackageFiles(name: string): Files {
  return {
    [pythonMarker]: `[project]
name = "${name.toLowerCase()}"
version = "0.1.0"
requires-python = ">=3.9"
# Libraries from PyPI. After each change, type: svc pkg lock ${name}
dependencies = []
`,
    '.gitignore': '__pycache__/\n',
  };
}

export function pythonDeviceFiles(type: string): Files {
  return {
    [`devices/${type}/device.yml`]: `type: ${type}\ndesc: What kind of instrument it is\ninit_parameters:\n  port: simulated\n`,
    [`devices/${type}/device.py`]: `from svc_lab import BaseDevice, effect, query


class ${ownClass(type, 'Device')}(BaseDevice):
    def _initialize(self, parameters):
        self._port = parameters["port"]
        self._runs = 0
        self.log.info("%s is on %s", self.name, self._port)

    def _cleanup(self):
        self.log.info("%s is at rest", self.name)

    def _report(self):
        return {"port": self._port, "runs": self._runs}

    # def _stop(self, reason): stops the instrument safely at once, beside whatever runs.
    # def _reconcile(self, parameters, in_doubt): tells whether it is idle, after a crash.

    @effect
    def run(self):
        self._runs += 1
        return {"runs": self._runs}

    @query
    def status(self):
        return {"runs": self._runs}
`,
  };
}

/** @param used the device type that the task uses; null: none */
export function pythonTaskFiles(type: string, used: UsedDevice | null): Files {
  const handle = used === null ? '' : handleOf(used.type);
  const summary =
    used === null
      ? 'f"worked for {seconds} s"'
      : `f"worked with {devices['${handle}'].name} for {seconds} s"`;
  return {
    [`tasks/${type}/task.yml`]: taskDefinition(type, used),
    [`tasks/${type}/task.py`]: `import time

from svc_lab import BaseTask


class ${ownClass(type, 'Task')}(BaseTask):
    def _execute(self, devices, parameters, resources):
        seconds = parameters["seconds"]
        start = time.monotonic()
        self.signal.pause(seconds)
        took = time.monotonic() - start
        return {"summary": ${summary}, "took": took}, {}, {}
`,
  };
}

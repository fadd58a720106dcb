import type { JsonValue } from '@lab/contracts';
import {
  handleOf,
  ownClass,
  taskDefinition,
  type Files,
  type OptimizerParts,
  type UsedDevice,
} from './templates.js';

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

/** Frameworks whose drivers become devices by one class of `svc_lab.frameworks`. */
export type Framework = 'ophyd' | 'pylabrobot' | 'pymeasure' | 'qcodes' | 'visa';

const drivers: Readonly<Record<Framework, { base: string; what: string; named: string }>> = {
  ophyd: { base: 'OphydDevice', what: 'Any device of ophyd or ophyd-async', named: 'device' },
  pylabrobot: { base: 'PylabrobotDevice', what: 'Any machine of PyLabRobot', named: 'machine' },
  pymeasure: { base: 'PymeasureDevice', what: 'Any instrument of PyMeasure', named: 'instrument' },
  qcodes: { base: 'QcodesDevice', what: 'Any instrument of QCoDeS', named: 'instrument' },
  visa: { base: 'VisaDevice', what: 'An instrument on a VISA bus', named: 'instrument' },
};

/** A device type whose functions are those of a driver, or, with `visa`, those that its `device.yml` declares. */
export function frameworkDeviceFiles(type: string, framework: Framework): Files {
  const { base, what, named } = drivers[framework];
  const functions =
    framework === 'visa'
      ? 'those that `functions` in device.yml declares'
      : `those of the ${named} that \`class\` in lab.yml names`;
  return {
    [`devices/${type}/device.yml`]: `type: ${type}
desc: ${what}
init_parameters:
${framework === 'visa' ? visaParameters : driverParameters(framework)}  queries: []
  idempotent: []
  timeouts: {}
  only: []
  stops: []
`,
    [`devices/${type}/device.py`]: `from svc_lab.frameworks.${framework} import ${base}


class ${ownClass(type, 'Device')}(${base}):
    """The functions are ${functions}."""
`,
  };
}

function driverParameters(framework: Framework): string {
  return `  class: ''
  arguments: {}
  # Empty: a lab may give true, false, or a class.
  simulate:
${framework === 'pylabrobot' ? '  children: []\n' : ''}`;
}

const visaParameters = `  # The arguments of open_resource of pyvisa. timeout is in milliseconds.
  arguments: { resource_name: '', read_termination: "\\n", write_termination: "\\n", timeout: 2000 }
  # Empty: the installed VISA library. '@py': pyvisa-py.
  visa_library: ''
  # The answer to *IDN? contains this text.
  identity: ''
  errors: SYST:ERR?
  start: ['*CLS']
  safe_state: ['OUTP 0']
  functions:
    measure_voltage:
      desc: Measures the voltage at the output
      ask: MEAS:VOLT?
      answer: float
      unit: V
      kind: query
      simulated: 0
    set_voltage:
      desc: Sets the voltage of the output
      write: VOLT {voltage:.3f}
      parameters: { voltage: { type: float, unit: V, min: 0, max: 30 } }
      kind: idempotent
    switch_output:
      desc: Switches the output on or off
      write: OUTP {on}
      parameters: { on: { type: bool } }
      kind: idempotent
  # Empty: a lab may give true, false, or devices and resources of pyvisa-sim.
  simulate:
`;

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

/** An optimizer that tries every combination of some values once. */
export function pythonOptimizerFiles(type: string, { folder, values, output }: OptimizerParts): Files {
  const lines = Object.entries(values).map(
    ([name, all]) => `            "${name}": [${all.map(pythonText).join(', ')}],\n`,
  );
  const name = ownClass(type, 'Optimizer');
  return {
    [`${folder}/optimizer.py`]: `import itertools

from svc_lab.optimizer import AbstractSequentialOptimizer


class ${name}(AbstractSequentialOptimizer):
    """Tries every combination of the values once."""

    def __init__(self, values, output):
        self._names = list(values)
        self._output = output
        self._combinations = [dict(zip(values, each)) for each in itertools.product(*values.values())]
        self._proposed = []
        self._measured = []

    def sample(self, num_protocol_runs):
        free = [row for row in self._combinations if row not in self._proposed]
        if len(free) < num_protocol_runs:
            raise RuntimeError(f"{len(free)} combinations are left, but {num_protocol_runs} are wanted")
        rows = free[:num_protocol_runs]
        self._proposed += rows
        return rows

    def report_started(self, inputs_df):
        self._proposed += inputs_df

    def report(self, inputs_df, outputs_df):
        self._proposed += inputs_df
        self._measured += [{**inputs, **outputs} for inputs, outputs in zip(inputs_df, outputs_df)]

    def get_optimal_solutions(self):
        best = min((row[self._output] for row in self._measured), default=None)
        return [row for row in self._measured if row[self._output] == best]

    def get_input_names(self):
        return self._names

    def get_output_names(self):
        return [self._output]

    def get_num_samples_reported(self):
        return len(self._measured)


def svc_create_campaign_optimizer():
    arguments = {
        "values": {
${lines.join('')}        },
        "output": "${output}",
    }
    return arguments, ${name}
`,
  };
}

function pythonText(value: JsonValue): string {
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return JSON.stringify(value);
}

/** The package of a lab whose devices and task are held in debuggers. @param withPython with those in Python */
export function labFiles(withPython: boolean): Record<string, string> {
  return {
    'package.json':
      '{ "name": "debug_lab", "version": "1.0.0", "private": true, "type": "module", "dependencies": { "@lab/sdk": "*" } }\n',
    'laboratories/debug_lab/lab.yml': `name: debug_lab
desc: Is debugged
devices:
  pump: { desc: Is held at breakpoints, type: pump, computer: svc_computer }
  lamp: { desc: Is not, type: pump, computer: svc_computer }
${withPython ? '  valve: { desc: Is held at breakpoints, type: valve, computer: svc_computer }\n' : ''}`,
    'devices/pump/device.yml': 'type: pump\ndesc: A pump\n',
    'devices/pump/device.ts': `import { BaseDevice, effect, type JsonObject } from '@lab/sdk';

interface Dose {
  volume: number;
}

export default class Pump extends BaseDevice {
  private total = 0;

  _initialize(): void {
    this.total = 0;
  }

  _cleanup(): void {
    this.total = 0;
  }

  _report(): JsonObject {
    return { total: this.total };
  }

  @effect()
  dose({ volume }: Dose): JsonObject {
    this.total += volume;
    return { total: this.total };
  }
}
`,
    ...(withPython ? inPython : {}),
  };
}

const inPython: Record<string, string> = {
  'devices/valve/device.yml': 'type: valve\ndesc: A valve\n',
  'devices/valve/device.py': `from svc_lab import BaseDevice


class Valve(BaseDevice):
    def _initialize(self, parameters):
        self._dosed = 0

    def _cleanup(self):
        pass

    def _report(self):
        return {"dosed": self._dosed}

    def _stop(self, reason):
        print("stopped")

    def dose(self, volume):
        self._dosed += volume
        return {"dosed": self._dosed}
`,
  'tasks/dispense/task.yml': `type: dispense
desc: Is held
devices:
  lamp: { type: pump }
input_parameters:
  volume: { type: float, unit: ml, min: 0, max: 10, desc: How much }
output_parameters:
  dosed: { type: float, unit: ml, desc: How much it was }
`,
  'tasks/dispense/task.py': `from svc_lab import BaseTask


class Dispense(BaseTask):
    def _execute(self, devices, parameters, resources):
        volume = parameters["volume"]
        return {"dosed": volume}, {}, {}
`,
};

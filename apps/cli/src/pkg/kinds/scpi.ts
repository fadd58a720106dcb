import { simulated, type DeviceKind } from './kind.js';

export const scpi: DeviceKind = {
  name: 'scpi',
  about: 'an instrument with SCPI over TCP',
  inLab: simulated,
  files: (type, className) => ({
    [`devices/${type}/device.yml`]: `type: ${type}
desc: What kind of instrument it is
# docs/guide/instruments.md explains these. lab.yml may give other values for each device.
init_parameters:
  transport:
    tcp: { host: 127.0.0.1, port: 5025 }
  identity: { ask: '*IDN?', expect: . }
  safe_state: ['OUTP OFF']
  report: [voltage]
  simulate:
  functions:
    voltage:
      kind: query
      desc: Measures the voltage
      ask: 'MEAS:VOLT:DC?'
      answer: { type: float, unit: V }
    set_voltage:
      kind: idempotent
      desc: Sets the voltage of the output
      write: ['SOUR:VOLT {volts:3}', 'OUTP ON']
      parameters:
        volts: { type: float, unit: V, min: 0, max: 30 }
`,
    [`devices/${type}/device.ts`]: `import { ScpiDevice } from '@lab/instruments/scpi';

/** Its functions stand in device.yml. Tasks see those that are declared here. */
export default class ${className} extends ScpiDevice {
  declare voltage: () => Promise<number>;
  declare set_voltage: (given: { volts: number }) => Promise<void>;
}
`,
  }),
};

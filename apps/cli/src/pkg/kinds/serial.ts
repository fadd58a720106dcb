import type { DeviceKind } from './kind.js';

export const serial: DeviceKind = {
  name: 'serial',
  about: 'an instrument with a table of text commands on a serial port',
  inLab: [
    '# Without these lines, the device uses the instrument. The twin cannot invent answers with a pattern.',
    'simulate:',
    "  answers: { weight: 'S S 12.34 g', tare: 'T S 0.00 g' }",
  ],
  external: { serialport: '13.0.0' },
  files: (type, className) => ({
    [`devices/${type}/device.yml`]: `type: ${type}
desc: What kind of instrument it is
# docs/guide/instruments.md explains these. lab.yml may give other values for each device.
init_parameters:
  transport:
    serial: { path: /dev/ttyUSB0, baud_rate: 9600 }
  terminator: "\\r\\n"
  # What an answer looks like that refuses a command.
  refused: '^(ES|ET|EL)$'
  report: [weight]
  simulate:
  functions:
    weight:
      kind: query
      desc: Weighs
      ask: SI
      answer: { type: float, unit: g, pattern: '^S [SD] +(-?[0-9.]+) g$' }
    tare:
      kind: effect
      desc: Sets the zero
      ask: T
      answer: { type: none, pattern: '^T S' }
      timeout: 20
`,
    [`devices/${type}/device.ts`]: `import { overTcp, PlainDevice } from '@lab/instruments/kit';
import { overSerial } from '@lab/instruments/serial';

/** Its functions stand in device.yml. Tasks see those that are declared here. */
export default class ${className} extends PlainDevice {
  protected override readonly transports = [overSerial, overTcp];
  declare weight: () => Promise<number>;
  declare tare: () => Promise<void>;
}
`,
  }),
};

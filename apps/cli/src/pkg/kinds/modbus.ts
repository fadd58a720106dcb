import { simulated, type DeviceKind } from './kind.js';

export const modbus: DeviceKind = {
  name: 'modbus',
  about: 'an instrument with Modbus TCP',
  inLab: simulated,
  files: (type, className) => ({
    [`devices/${type}/device.yml`]: `type: ${type}
desc: What kind of instrument it is
# docs/guide/instruments.md explains these. lab.yml may give other values for each device.
init_parameters:
  transport:
    tcp: { host: 127.0.0.1, port: 502 }
  unit: 1
  safe_state:
    - { table: coil, address: 0, value: false }
  report: [temperature]
  simulate:
  functions:
    temperature:
      kind: query
      desc: Reads the temperature
      read: { table: input, address: 0, type: int16, scale: 0.1 }
    set_temperature:
      kind: idempotent
      desc: Sets the temperature, and switches the heater on
      write:
        - { table: holding, address: 0, type: int16, scale: 0.1, value: celsius }
        - { table: coil, address: 0, value: true }
      parameters:
        celsius: { type: float, unit: C, min: 0, max: 90 }
`,
    [`devices/${type}/device.ts`]: `import { ModbusDevice } from '@lab/instruments/modbus';

/** Its functions stand in device.yml. Tasks see those that are declared here. */
export default class ${className} extends ModbusDevice {
  declare temperature: () => Promise<number>;
  declare set_temperature: (given: { celsius: number }) => Promise<void>;
}
`,
  }),
};

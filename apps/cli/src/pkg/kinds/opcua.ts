import type { DeviceKind } from './kind.js';

/** A device type for instruments with a server of OPC UA. It is simulated until its lab says otherwise. */
export const opcua: DeviceKind = {
  name: 'opcua',
  about: 'a server of OPC UA',
  inLab: [],
  files: (type, className) => ({
    [`devices/${type}/device.yml`]: `type: ${type}
desc: An instrument with a server of OPC UA
# The guide page opcua.md explains the parameters. Those that are empty may be set in lab.yml.
init_parameters:
  url: opc.tcp://127.0.0.1:4840
  security: { policy: Basic256Sha256, mode: SignAndEncrypt }
  server_certificate:
  user:
  identity:
  timeout: 30
  functions:
    read_temperature: { read: /Objects/Instrument/Temperature, unit: C }
    set_target:
      write: /Objects/Instrument/Target
      parameters:
        target: { type: float, unit: C, min: 0, max: 95 }
    start:
      method: /Objects/Instrument/Start
      parameters:
        seconds: { type: float, unit: s }
  report:
    temperature: { node: /Objects/Instrument/Temperature, unit: C }
  safe_state:
    - { function: set_target, arguments: { target: 20 } }
  idle:
  # true: a twin answers, and no instrument is needed.
  simulate: true
  twin:
    state: { Temperature: 20, Target: 20 }
    follow: { Temperature: { to: Target, rate: 2 } }
  record: false
  replay:
`,
    [`devices/${type}/device.ts`]: `import { OpcuaDevice } from '@lab/instruments/opcua';

/** The functions are declared in device.yml. */
export default class ${className} extends OpcuaDevice {}
`,
  }),
};

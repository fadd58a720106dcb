import type { DeviceKind } from './kind.js';

/** A device type for instruments behind a broker of MQTT 5. It is simulated until its lab says otherwise. */
export const mqtt: DeviceKind = {
  name: 'mqtt',
  about: 'an instrument behind a broker of MQTT 5',
  inLab: [],
  files: (type, className) => ({
    [`devices/${type}/device.yml`]: `type: ${type}
desc: An instrument behind a broker of MQTT 5
# The guide page mqtt.md explains the parameters. Those that are empty may be set in lab.yml.
init_parameters:
  url: mqtt://127.0.0.1:1883
  client_id:
  tls:
  auth:
  keepalive: 15
  will:
  birth:
  identity:
  presence:
  response_topic:
  timeout: 30
  state:
    temperature: { topic: ${type}/temperature, path: value, type: float, unit: C, stale_after: 60 }
  functions:
    read_temperature: { state: temperature, desc: Reads the temperature }
    set_target:
      kind: idempotent
      desc: Sets the temperature
      parameters:
        target: { type: float, unit: C, min: 0, max: 95 }
      publish: { topic: ${type}/set/target, payload: { value: '{target}' } }
  safe_state:
    - { function: set_target, arguments: { target: 20 } }
  idle:
  # true: a twin answers, and neither a broker nor an instrument is needed.
  simulate: true
  twin:
    state: { temperature: 20, target: 20 }
    follow: { temperature: { to: target, rate: 2 } }
  record: false
  replay:
`,
    [`devices/${type}/device.ts`]: `import { MqttDevice } from '@lab/instruments/mqtt';

/** The functions are declared in device.yml. */
export default class ${className} extends MqttDevice {}
`,
  }),
};

import type { DeviceKind } from './kind.js';

/** A device type for instruments with an interface of HTTP and JSON. It is simulated until its lab says otherwise. */
export const http: DeviceKind = {
  name: 'http',
  about: 'an instrument with HTTP and JSON, or an OpenAPI document',
  inLab: [],
  files: (type, className) => ({
    [`devices/${type}/device.yml`]: `type: ${type}
desc: An instrument with an interface of HTTP and JSON
# The guide page http-devices.md explains the parameters. Those that are empty may be set in lab.yml.
init_parameters:
  url: http://127.0.0.1:8080
  tls:
  auth:
  identity:
  openapi:
  idempotency_header:
  request_timeout: 20
  timeout: 30
  functions:
    read_value:
      desc: Reads the measured value
      request: { path: /value }
      answer: { path: value, type: float, unit: n/a }
    set_target:
      kind: idempotent
      desc: Sets the target
      parameters:
        target: { type: float, unit: n/a, min: 0, max: 100 }
      request: { method: PUT, path: /target, body: { target: '{target}' } }
  report: [read_value]
  safe_state:
    - { function: set_target, arguments: { target: 20 } }
  idle:
  # true: a twin answers, and no instrument is needed.
  simulate: true
  twin:
    state: { value: 20, target: 20 }
    follow: { value: { to: target, rate: 2 } }
  record: false
  replay:
`,
    [`devices/${type}/device.ts`]: `import { HttpDevice } from '@lab/instruments/http';

/** The functions are declared in device.yml. */
export default class ${className} extends HttpDevice {}
`,
  }),
};

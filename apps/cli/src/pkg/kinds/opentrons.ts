import type { DeviceKind } from './kind.js';

export const opentrons: DeviceKind = {
  name: 'opentrons',
  about: 'an OT-2 or a Flex of Opentrons',
  inLab: ['# Without this line, the device uses the robot at its address.', 'simulate: true'],
  files: (type, className) => ({
    [`devices/${type}/device.yml`]: `type: ${type}
desc: An OT-2 or a Flex of Opentrons
init_parameters:
  # http://HOST:31950 of the robot.
  address: http://127.0.0.1:31950
  # Serial number that the robot must have.
  serial: ''
  api: '*'
  # true: a twin without a deck.
  simulate: false
  # Of a twin: takes (seconds of a run) and asks (whether its first step fails).
  twin: {}
  # Seconds that a call may take, by function.
  timeouts: {}
  poll: 1
  # Folder from which calls may name protocols.
  files: ''
  ca_file: ''
  fingerprint: ''
  token_file: ''
  answer_within: 10
  record: false
  replay:
`,
    [`devices/${type}/device.ts`]: `import { OpentronsDevice } from '@lab/instruments/opentrons';

/** The functions are those of the robot that \`address\` in lab.yml names. */
export default class ${className} extends OpentronsDevice {}
`,
  }),
};

import type { DeviceKind } from './kind.js';

export const madsci: DeviceKind = {
  name: 'madsci',
  about: 'a node of MADSci (REST)',
  inLab: [
    '# Without these lines, the device uses the node at its address.',
    'simulate: true',
    'functions:',
    '  measure: { parameters: {}, twin: { result: 1, takes: 0.1 } }',
  ],
  files: (type, className) => ({
    [`devices/${type}/device.yml`]: `type: ${type}
desc: A node of MADSci
init_parameters:
  # http://HOST:PORT or https://HOST:PORT of the node.
  address: http://127.0.0.1:2000
  # Name or id that the node must have.
  node: ''
  # true: a twin, whose actions are those in functions.
  simulate: false
  # By action: kind, timeout, desc, parameters, and twin with result, takes and fails.
  functions: {}
  poll: 1
  # safety_stop, cancel or none; empty: the first of the two that the node has.
  stop: ''
  # Folder from which calls may name files.
  files: ''
  ca_file: ''
  fingerprint: ''
  token_file: ''
  answer_within: 10
  record: false
  replay:
`,
    [`devices/${type}/device.ts`]: `import { MadsciDevice } from '@lab/instruments/madsci';

/** The functions are the actions of the node that \`address\` in lab.yml names. */
export default class ${className} extends MadsciDevice {}
`,
  }),
};

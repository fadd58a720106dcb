import type { DeviceKind } from './kind.js';

export const eos: DeviceKind = {
  name: 'eos',
  about: 'a device of a running EOS',
  inLab: [
    '# Without these lines, the device uses EOS at its address.',
    'simulate: true',
    'functions:',
    '  measure: { parameters: {}, twin: { result: 1, takes: 0.1 } }',
  ],
  files: (type, className) => ({
    [`devices/${type}/device.yml`]: `type: ${type}
desc: A device of a running EOS
init_parameters:
  # http://HOST:PORT or https://HOST:PORT of EOS.
  address: http://127.0.0.1:8070
  # Names of the laboratory and the device in EOS.
  lab: my_eos_lab
  device: my_eos_device
  # true: a twin, whose functions are those in functions.
  simulate: false
  # By function: kind, timeout, desc, parameters, and twin with result, takes and fails.
  functions: {}
  # Function of the device without arguments that stops it.
  stop: ''
  ca_file: ''
  fingerprint: ''
  token_file: ''
  answer_within: 10
  record: false
  replay:
`,
    [`devices/${type}/device.ts`]: `import { EosDevice } from '@lab/instruments/eos';

/** The functions are those of the device of EOS that \`lab\` and \`device\` in lab.yml name. */
export default class ${className} extends EosDevice {}
`,
  }),
};

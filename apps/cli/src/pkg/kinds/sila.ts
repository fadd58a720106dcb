import type { DeviceKind } from './kind.js';

export const sila: DeviceKind = {
  name: 'sila',
  about: 'a server of SiLA 2',
  inLab: ['# HOST:PORT of the server. The device cannot be used before.', "address: ''"],
  files: (type, className) => ({
    [`devices/${type}/device.yml`]: `type: ${type}
desc: A SiLA 2 server
# The guide page sila.md explains the parameters. Those that are empty may be set in lab.yml.
init_parameters:
  address: ''
  server_uuid: ''
  server_name: ''
  network_interface: ''
  insecure: false
  # The error of the first start has it, for a person to confirm.
  fingerprint: ''
  authorities: ''
  features: []
  kinds: {}
  timeouts: {}
  metadata: {}
  stop: ''
  lock_timeout: 60
  lock_retry_delay: 0.5
  lock_max_retries: 120
  record: false
  replay:
`,
    [`devices/${type}/device.ts`]: `import { SilaDevice } from '@lab/sila';

/** The functions are the commands and properties of the server that \`address\` in lab.yml names. */
export default class ${className} extends SilaDevice {}
`,
  }),
};

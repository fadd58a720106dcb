import type { Files } from '../templates.js';

/** A kind of generic device of `@lab/instruments`, for `svc pkg add device --kind`. */
export interface DeviceKind {
  readonly name: string;
  /** For the help of the command. */
  readonly about: string;
  /** The files of a device type. @param type its name @param className the name of its class */
  files(type: string, className: string): Files;
  /** npm packages with native parts that the code imports, with their versions. The agent installs them. */
  readonly external?: Readonly<Record<string, string>>;
  /** The `init_parameters` of a device in `lab.yml`, each a line. */
  readonly inLab: readonly string[];
}

/** Makes a device simulated until somebody has connected the instrument. */
export const simulated: readonly string[] = [
  '# Without this line, the device uses the instrument.',
  'simulate: true',
];

import { jsonEqual } from '@lab/ports';
import type { LabVersion } from '../loaded/index.js';

export interface Difference {
  /** Devices that are started because they are new or changed. */
  restarted: ReadonlySet<string>;
  /** Devices of the earlier version that changed. */
  replaced: ReadonlySet<string>;
  /** Devices that only the earlier version has. */
  goneDevices: string[];
  /** Devices and resources that only the earlier version has, in words. */
  gone: string[];
}

/** What the agents will do differently, compared as it is sent to them. */
export function difference(before: LabVersion | undefined, after: LabVersion | undefined): Difference {
  const restarted = new Set<string>();
  const replaced = new Set<string>();
  for (const name of namesOf(after)) {
    if (jsonEqual(assignment(before, name), assignment(after, name))) continue;
    restarted.add(name);
    if (namesOf(before).has(name)) replaced.add(name);
  }
  const goneDevices = [...namesOf(before)].filter((name) => !namesOf(after).has(name));
  const resources = Object.keys(before?.lab.resources ?? {});
  const gone = [
    ...goneDevices.map((name) => `device ${name}`),
    ...resources
      .filter((name) => !Object.hasOwn(after?.lab.resources ?? {}, name))
      .map((name) => `resource ${name}`),
  ];
  return { restarted, replaced, goneDevices, gone };
}

/** Names of the devices of a laboratory. */
export function namesOf(version: LabVersion | undefined): Set<string> {
  return new Set(Object.keys(version?.lab.devices ?? {}));
}

function assignment(version: LabVersion | undefined, name: string) {
  const device = version?.lab.devices[name];
  const module = device === undefined ? undefined : version?.devices.get(device.type)?.module;
  if (device === undefined || module === undefined) return null;
  const { computer, type, init_parameters: parameters } = device;
  return { computer, type, parameters, module: { ...module } };
}

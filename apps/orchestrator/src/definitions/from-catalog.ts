import { contentHash, type Catalog } from '@lab/definitions';
import type { DeviceDefinition, TaskSnapshot } from '@lab/definitions/model';
import type { LabVersion, LoadedSet } from '../loaded/index.js';

/** The version of a laboratory in a catalog; undefined when it is unknown or has errors. */
export function labVersion(catalog: Catalog, name: string): LabVersion | undefined {
  const lab = catalog.lab(name);
  if (lab === undefined) return undefined;
  const devices = new Map<string, DeviceDefinition>();
  for (const { type } of Object.values(lab.devices)) {
    const device = catalog.deviceType(type);
    if (device === undefined) return undefined;
    devices.set(type, device);
  }
  return { lab, devices, hash: contentHash({ lab, devices: Object.fromEntries(devices) }) };
}

/** The task types of the catalog. Those that are loaded already stay as they are. */
export function withNewTasks(catalog: Catalog, tasks: LoadedSet['tasks']): Map<string, TaskSnapshot> {
  const all = new Map(tasks);
  for (const type of catalog.taskTypes()) {
    const snapshot = catalog.task(type);
    if (snapshot !== undefined && !all.has(type)) all.set(type, snapshot);
  }
  return all;
}

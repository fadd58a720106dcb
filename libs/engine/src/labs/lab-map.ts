import { ServiceError, type DeviceAssignment, type ModuleReference } from '@lab/contracts';
import type { LabDefinition } from '@lab/definitions/model';
import type { Log } from '@lab/ports';
import type { Definitions, ResourceRow } from '../rows/index.js';

/** The computer that always exists. It runs the tasks that need no device. */
export const serviceComputer = 'svc_computer';

export interface KnownDevice {
  /** `<lab>.<device>`. */
  key: string;
  lab: string;
  name: string;
  type: string;
  computer: string;
}

/** The loaded laboratories, indexed. A new map is made after every change. */
export class LabMap {
  readonly devices = new Map<string, KnownDevice>();
  readonly devicesOfType = new Map<string, KnownDevice[]>();
  readonly #devicesOfComputer = new Map<string, KnownDevice[]>();
  /** Resource name to its laboratory and initial state. */
  readonly resources = new Map<string, ResourceRow>();
  readonly labs = new Map<string, LabDefinition>();
  /** The computers that the laboratories name, and that of the service. */
  readonly computers = new Set<string>([serviceComputer]);

  /** @param among names of the laboratories to index; by default all loaded ones */
  constructor(
    private readonly definitions: Definitions,
    among?: readonly string[],
  ) {
    for (const lab of definitions.labs()) {
      if (among?.includes(lab.name) === false) continue;
      this.labs.set(lab.name, lab);
      for (const computer of Object.keys(lab.computers)) this.computers.add(computer);
      for (const device of Object.values(lab.devices)) {
        const key = deviceKey(lab.name, device.name);
        const known = { key, lab: lab.name, name: device.name, type: device.type, computer: device.computer };
        this.devices.set(key, known);
        append(this.devicesOfType, device.type, known);
        append(this.#devicesOfComputer, device.computer, known);
      }
      for (const { name, type, meta } of Object.values(lab.resources))
        this.resources.set(name, { name, type, lab: lab.name, meta });
    }
  }

  /** As if only these laboratories were loaded. */
  among(labs: readonly string[] | 'all'): LabMap {
    return labs === 'all' ? this : new LabMap(this.definitions, labs);
  }

  /** A device by its laboratory and name. @throws ServiceError `unknown_lab`, `unknown_device` */
  demand(lab: string, device: string): KnownDevice {
    if (!this.labs.has(lab)) throw new ServiceError('unknown_lab', `the laboratory "${lab}" is not loaded`);
    const known = this.devices.get(deviceKey(lab, device));
    if (known === undefined)
      throw new ServiceError('unknown_device', `the laboratory ${lab} has no device "${device}"`);
    return known;
  }

  /** The devices that a computer runs. */
  devicesOf(computer: string): readonly KnownDevice[] {
    return this.#devicesOfComputer.get(computer) ?? [];
  }

  /** The code of all devices. */
  deviceModules(): ModuleReference[] {
    return [...this.devices.values()].flatMap(
      ({ type, lab }) => this.definitions.deviceType(type, lab)?.module ?? [],
    );
  }

  /** The devices that the agent of a computer must run. */
  assignmentsOf(computer: string, log: Log): DeviceAssignment[] {
    const assignments: DeviceAssignment[] = [];
    for (const { name: lab, devices } of this.labs.values())
      for (const { name, type, computer: runsOn, init_parameters, files } of Object.values(devices)) {
        if (runsOn !== computer) continue;
        const module = this.definitions.deviceType(type, lab)?.module;
        const own = { lab, name, type, init_parameters, ...(files === undefined ? {} : { files }) };
        if (module !== undefined) assignments.push({ ...own, module });
        else log.error('device left out: its type is not loaded', { lab, device: name, type });
      }
    return assignments;
  }
}

function append(lists: Map<string, KnownDevice[]>, name: string, device: KnownDevice): void {
  const list = lists.get(name);
  if (list === undefined) lists.set(name, [device]);
  else list.push(device);
}

export function deviceKey(lab: string, device: string): string {
  return `${lab}.${device}`;
}

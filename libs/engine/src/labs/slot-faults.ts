import type { Fault, TaskSubmission } from '@lab/contracts';
import type { ProtocolSnapshot } from '@lab/definitions/model';
import { matchSlots } from '@lab/scheduling';
import type { AllocationKind } from '../rows/index.js';
import { type LabMap, deviceKey } from './lab-map.js';
import { deviceCandidates, resourceCandidates } from './resolve.js';

/** Slots of a protocol that the loaded laboratories can never fill. */
export function placeFaults(labs: LabMap, { protocol }: ProtocolSnapshot): Fault[] {
  const faults: Fault[] = [];
  for (const lab of protocol.labs)
    if (!labs.labs.has(lab))
      faults.push({ path: 'labs', code: 'unknown_lab', message: `the laboratory ${lab} is not loaded` });
  if (faults.length > 0) return faults;
  for (const task of protocol.tasks) {
    const at = `tasks.${task.name}`;
    const slots: { name: string; candidates: string[] }[] = [];
    const look = (
      kind: AllocationKind,
      name: string,
      wanted: string,
      candidates: readonly string[],
    ): void => {
      if (candidates.length > 0)
        slots.push({ name: `${kind}s.${name}`, candidates: candidates.map((key) => `${kind}:${key}`) });
      else
        faults.push({
          path: `${at}.${kind}s.${name}`,
          code: `unknown_${kind}`,
          message: `no loaded laboratory of the protocol has a ${kind} ${wanted}`,
        });
    };
    for (const [name, slot] of Object.entries(task.devices)) {
      if (slot.kind === 'reference') continue;
      const wanted =
        slot.kind === 'specific' ? deviceKey(slot.lab_name, slot.name) : `of type ${slot.device_type}`;
      look('device', name, wanted, deviceCandidates(labs, protocol, slot));
    }
    for (const [name, slot] of Object.entries(task.resources)) {
      if (slot.kind === 'reference') continue;
      const wanted = slot.kind === 'specific' ? slot.name : `of type ${slot.resource_type}`;
      look('resource', name, wanted, resourceCandidates(labs, protocol, slot));
    }
    if (matchSlots(slots) === undefined)
      faults.push({
        path: at,
        code: 'too_few_units',
        message: 'its slots need more different devices and resources than there are',
      });
  }
  return faults;
}

/** Faults in the devices of an on-demand task. A handle that its type does not declare takes a device of any type. */
export function deviceFaults(
  labs: LabMap,
  wanted: Readonly<Record<string, { type: string }>>,
  given: NonNullable<TaskSubmission['devices']>,
): Fault[] {
  const faults = handleFaults('devices', wanted, given, 'device', (type) => devicesFor(labs, type));
  const seen = new Map<string, string>();
  for (const [slot, device] of Object.entries(given)) {
    const path = `devices.${slot}`;
    const key = deviceKey(device.lab_name, device.name);
    const known = labs.devices.get(key);
    const type = Object.hasOwn(wanted, slot) ? wanted[slot]?.type : undefined;
    if (!labs.labs.has(device.lab_name))
      faults.push({
        path: `${path}.lab_name`,
        code: 'unknown_lab',
        message: `the laboratory "${device.lab_name}" is not loaded`,
        ...among([...labs.labs.keys()]),
      });
    else if (known === undefined)
      faults.push({
        path: `${path}.name`,
        code: 'unknown_device',
        message: `the laboratory ${device.lab_name} has no device "${device.name}"`,
        ...among(Object.keys(labs.labs.get(device.lab_name)?.devices ?? {})),
      });
    else if (type !== undefined && known.type !== type)
      faults.push({
        path,
        code: 'wrong_device_type',
        message: `${key} is of type ${known.type}, but the task needs ${type}`,
        ...devicesFor(labs, type),
      });
    const other = seen.get(key);
    if (other !== undefined)
      faults.push({ path, code: 'given_twice', message: `${key} is given to "${other}" already` });
    seen.set(key, slot);
  }
  return faults;
}

/** A hint with the devices of a type, or that the loaded laboratories have none. */
function devicesFor(labs: LabMap, type: string): { hint?: string } {
  const devices = labs.devicesOfType.get(type) ?? [];
  if (devices.length > 0) return among(devices.map(({ key }) => key));
  return { hint: `no loaded laboratory has a device of type ${type}: load a laboratory that has one` };
}

/** Faults in the resources of an on-demand task. */
export function resourceFaults(
  labs: LabMap,
  wanted: Readonly<Record<string, { type: string }>>,
  given: Readonly<Record<string, string>>,
): Fault[] {
  const faults = handleFaults('input_resources', wanted, given, 'resource');
  const seen = new Map<string, string>();
  for (const [slot, name] of Object.entries(given)) {
    const path = `input_resources.${slot}`;
    const known = labs.resources.get(name);
    const type = Object.hasOwn(wanted, slot) ? wanted[slot]?.type : undefined;
    if (known === undefined)
      faults.push({
        path,
        code: 'unknown_resource',
        message: `there is no resource "${name}"`,
        ...among(
          [...labs.resources.values()]
            .filter((each) => type === undefined || each.type === type)
            .map((each) => each.name),
        ),
      });
    else if (type !== undefined && known.type !== type)
      faults.push({
        path,
        code: 'wrong_resource_type',
        message: `${name} is of type ${known.type}, but the task needs ${type}`,
      });
    const other = seen.get(name);
    if (other !== undefined)
      faults.push({ path, code: 'given_twice', message: `${name} is given to "${other}" already` });
    seen.set(name, slot);
  }
  return faults;
}

function handleFaults(
  field: string,
  wanted: Readonly<Record<string, { type: string }>>,
  given: Readonly<Record<string, unknown>>,
  what: string,
  hintFor: (type: string) => { hint?: string } = () => ({}),
): Fault[] {
  const faults: Fault[] = [];
  for (const [slot, { type }] of Object.entries(wanted))
    if (!Object.hasOwn(given, slot))
      faults.push({
        path: `${field}.${slot}`,
        code: `missing_${what}`,
        message: `the task needs a ${what} of type ${type} as "${slot}"`,
        ...hintFor(type),
      });
  for (const slot of what === 'device' ? [] : Object.keys(given))
    if (!Object.hasOwn(wanted, slot))
      faults.push({
        path: `${field}.${slot}`,
        code: `unknown_handle`,
        message: `the task has no ${what} named "${slot}"`,
        ...among(Object.keys(wanted)),
      });
  return faults;
}

/** A hint with the allowed names. */
export function among(names: readonly string[]): { hint?: string } {
  if (names.length === 0) return {};
  const shown = names.slice(0, 10).join(', ');
  return { hint: `use one of ${shown}${names.length > 10 ? ', ...' : ''}` };
}

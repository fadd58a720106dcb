import type { DeviceFunction, JsonObject, TaskFailurePolicy } from '@lab/contracts';
import type { DeviceSlot, ProtocolTask, TaskDefinition } from '@lab/definitions/model';
import { MemoryDefinitions } from '@lab/engine/testing';

/** The devices of the simulated laboratory: name to type and computer. */
export const devicesOf = {
  arm: { type: 'arm', computer: 'svc_computer' },
  mixer: { type: 'mixer', computer: 'pc_a' },
  reader: { type: 'reader', computer: 'pc_a' },
  washer: { type: 'mixer', computer: 'pc_b' },
} as const;
export const labName = 'lab';
export type DeviceName = keyof typeof devicesOf;
export const deviceNames = Object.keys(devicesOf) as DeviceName[];
export const computers = ['svc_computer', 'pc_a', 'pc_b'] as const;

/** One thing that the code of a simulated task does. */
export type Step =
  | { do: 'call'; slot: string; function: DeviceFunction['name']; ms: number }
  | { do: 'think'; ms: number }
  | { do: 'write'; file: string; bytes: number }
  | { do: 'throw' };

export interface TaskSketch {
  name: string;
  /** Names of earlier tasks. */
  needs?: string[];
  /** What fills each slot: a device, any device of a type, or the device in a slot of an earlier task. */
  slots: Record<string, { device: DeviceName } | { type: string } | { like: string; slot: string }>;
  /** Slots whose devices the run holds for the tasks that refer to them. */
  hold?: string[];
  /** The task also needs the only beaker. */
  beaker?: boolean;
  /** What the engine does when the task fails. */
  policy?: TaskFailurePolicy;
  steps: Step[];
}

export interface ProtocolSketch {
  name: string;
  /** The protocol has an optimizer, which proposes the input of its first task. */
  search?: boolean;
  tasks: TaskSketch[];
}

/** The output parameters of a task. */
export interface TaskOutputs extends JsonObject {
  attempt: string;
  effects: number;
}

/** The input that the optimizer of a protocol proposes and the output that it gets; undefined without an optimizer. */
export function searchedBy(
  protocols: readonly ProtocolSketch[],
  name: string,
): { task: string; input: string; output: string } | undefined {
  const sketch = protocols.find((each) => each.name === name);
  const [first] = sketch?.tasks ?? [];
  if (sketch?.search !== true || first === undefined) return undefined;
  return { task: first.name, input: `${first.name}.n`, output: `${first.name}.effects` };
}

/** The definitions of a schedule, and what the code of each task type does, by the hash of its module. */
export function laboratoryOf(
  protocols: readonly ProtocolSketch[],
  tasks: readonly TaskSketch[],
): { definitions: MemoryDefinitions; code: Map<string, readonly Step[]> } {
  const definitions = new MemoryDefinitions();
  const code = new Map<string, readonly Step[]>();
  definitions.loadedLabs.set(labName, {
    name: labName,
    desc: '',
    computers: Object.fromEntries(computers.map((name) => [name, { desc: '', ip: '127.0.0.1' }])),
    devices: Object.fromEntries(
      deviceNames.map((name) => {
        const { type, computer } = devicesOf[name];
        return [name, { name, desc: '', type, computer, init_parameters: {}, meta: {} }];
      }),
    ),
    resources: { beaker: { name: 'beaker', type: 'glass', meta: { clean: true } } },
  });
  for (const { type } of Object.values(devicesOf))
    definitions.deviceTypes.set(type, { type, desc: '', init_parameters: {}, module: moduleOf(type) });

  const define = (
    type: string,
    sketch: TaskSketch,
    typeOf: (slot: string) => string,
    isSearched = false,
  ): TaskDefinition => {
    const definition: TaskDefinition = {
      type,
      desc: '',
      devices: Object.fromEntries(Object.keys(sketch.slots).map((slot) => [slot, { type: typeOf(slot) }])),
      input_parameters: isSearched ? { n: { type: 'int', desc: '', unit: 'n/a' } } : {},
      output_parameters: {
        attempt: { type: 'str', desc: '' },
        effects: { type: 'int', desc: '', unit: 'n/a' },
      },
      input_resources: resourcesOf(sketch, { type: 'glass' }),
      output_resources: resourcesOf(sketch, { type: 'glass' }),
      isolation: 'single_use',
      module: moduleOf(type),
    };
    code.set(type, sketch.steps);
    definitions.tasks.set(type, { hash: `task-${type}`, task: definition });
    return definition;
  };

  for (const { name, tasks: sketches } of protocols) {
    const searched = searchedBy(protocols, name);
    const types: Record<string, TaskDefinition> = {};
    const typeOf = (sketch: TaskSketch, slot: string): string => {
      const filled = sketch.slots[slot];
      if (filled === undefined) return '';
      if ('device' in filled) return devicesOf[filled.device].type;
      if ('type' in filled) return filled.type;
      const source = sketches.find((each) => each.name === filled.like);
      return source === undefined ? '' : typeOf(source, filled.slot);
    };
    const entries = sketches.map((sketch): ProtocolTask => {
      const type = `${name}_${sketch.name}`;
      types[type] = define(type, sketch, (slot) => typeOf(sketch, slot), sketch.name === searched?.task);
      return {
        name: sketch.name,
        type,
        desc: '',
        duration: 1,
        group: null,
        devices: Object.fromEntries(Object.keys(sketch.slots).map((slot) => [slot, slotOf(sketch, slot)])),
        resources: resourcesOf(sketch, { kind: 'specific' as const, name: 'beaker', hold: false }),
        parameters: sketch.name === searched?.task ? { n: { kind: 'dynamic' } } : {},
        dependencies: sketch.needs ?? [],
        ...(sketch.policy === undefined ? {} : { failure_policy: sketch.policy }),
      };
    });
    definitions.protocols.set(name, {
      hash: `protocol-${name}`,
      protocol: {
        type: name,
        desc: '',
        labs: [labName],
        resources: {},
        tasks: entries,
        ...(searched === undefined ? {} : { optimizer: moduleOf(`${name}_optimizer`) }),
      },
      tasks: types,
    });
  }
  for (const sketch of tasks)
    define(sketch.name, sketch, (slot) => {
      const filled = sketch.slots[slot];
      return filled !== undefined && 'device' in filled ? devicesOf[filled.device].type : '';
    });
  return { definitions, code };
}

function slotOf(sketch: TaskSketch, slot: string): DeviceSlot {
  const hold = sketch.hold?.includes(slot) === true;
  const filled = sketch.slots[slot];
  if (filled === undefined) throw new Error(`there is no slot ${slot}`);
  if ('device' in filled) return { kind: 'specific', lab_name: labName, name: filled.device, hold };
  if ('type' in filled)
    return { kind: 'dynamic', device_type: filled.type, allowed_labs: null, allowed_devices: null, hold };
  return { kind: 'reference', task: filled.like, slot: filled.slot, hold };
}

/** The slot of the beaker, if the task needs it. */
function resourcesOf<Slot>(sketch: TaskSketch, slot: Slot): Record<string, Slot> {
  return sketch.beaker === true ? { r: slot } : {};
}

function moduleOf(name: string): TaskDefinition['module'] {
  return { hash: name, package: 'simulated', source: `${name}.ts` };
}

/** Reloads the laboratory with another parameter for one device. Its agent then restarts the device's process. */
export function changeDevice(definitions: MemoryDefinitions, device: DeviceName): void {
  const lab = definitions.loadedLabs.get(labName);
  const before = lab?.devices[device];
  if (lab === undefined || before === undefined) throw new Error(`there is no device ${device}`);
  const changes = Number(before.init_parameters['changes'] ?? 0) + 1;
  const changed = { ...before, init_parameters: { changes } };
  definitions.loadedLabs.set(labName, { ...lab, devices: { ...lab.devices, [device]: changed } });
}

import type { TaskFailurePolicy } from '@lab/contracts';
import type { DeviceSlot, ParameterBinding, ParameterSpecs, TaskDefinition } from '@lab/definitions/model';
import { MemoryDefinitions } from '@lab/engine/testing';

const module = { hash: 'h', package: 'p', source: 's.ts' };

export interface Step {
  name: string;
  seconds: number;
  needs?: string[];
  devices?: Record<string, DeviceSlot>;
  parameters?: Record<string, ParameterBinding>;
  inputs?: ParameterSpecs;
  outputs?: ParameterSpecs;
  policy?: TaskFailurePolicy;
}

const on = (name: string, hold = false): DeviceSlot => ({
  kind: 'specific',
  lab_name: 'lab',
  name,
  hold,
});
const any = (device_type: string, hold = false): DeviceSlot => ({
  kind: 'dynamic',
  device_type,
  allowed_labs: null,
  allowed_devices: null,
  hold,
});

/** A laboratory with one arm and two stations. */
export class SmallLab extends MemoryDefinitions {
  constructor() {
    super();
    const device = (name: string, type: string) => {
      this.deviceTypes.set(type, { type, desc: '', init_parameters: {}, module });
      return { name, desc: '', type, computer: 'svc_computer', init_parameters: {}, meta: {} };
    };
    this.loadedLabs.set('lab', {
      name: 'lab',
      desc: '',
      computers: { svc_computer: { desc: '', ip: '127.0.0.1' } },
      devices: {
        arm: device('arm', 'arm'),
        station_1: device('station_1', 'station'),
        station_2: device('station_2', 'station'),
      },
      resources: {},
    });
    this.task_type('rinse', { devices: { cleaner: { type: 'station' } } });
  }

  task_type(type: string, more: Partial<TaskDefinition> = {}): TaskDefinition {
    const task: TaskDefinition = {
      type,
      desc: '',
      devices: {},
      input_parameters: {},
      output_parameters: {},
      input_resources: {},
      output_resources: {},
      isolation: 'single_use',
      module,
      ...more,
    };
    this.tasks.set(type, { hash: `task-${type}`, task });
    return task;
  }

  with(type: string, steps: Step[]): this {
    const tasks: Record<string, TaskDefinition> = {};
    for (const { name, inputs = {}, outputs = {} } of steps)
      tasks[name] = this.task_type(name, { input_parameters: inputs, output_parameters: outputs });
    this.protocols.set(type, {
      hash: `protocol-${type}`,
      protocol: {
        type,
        desc: '',
        labs: ['lab'],
        resources: {},
        tasks: steps.map(({ name, seconds, needs = [], devices = {}, parameters = {}, policy }) => ({
          name,
          type: name,
          desc: '',
          duration: seconds,
          group: null,
          devices,
          resources: {},
          parameters,
          dependencies: needs,
          ...(policy === undefined ? {} : { failure_policy: policy }),
        })),
      },
      tasks,
    });
    return this;
  }
}

/** Load on the arm for 2 s, then work on a station that is kept for 5 s, then unload with both for 1 s. */
export const batch = (policy?: TaskFailurePolicy): SmallLab =>
  new SmallLab().with('batch', [
    { name: 'load', seconds: 2, devices: { arm: on('arm'), station: any('station', true) } },
    {
      name: 'work',
      seconds: 5,
      needs: ['load'],
      devices: { station: { kind: 'reference', task: 'load', slot: 'station', hold: true } },
      ...(policy === undefined ? {} : { policy }),
    },
    {
      name: 'unload',
      seconds: 1,
      needs: ['work'],
      devices: {
        arm: on('arm'),
        station: { kind: 'reference', task: 'work', slot: 'station', hold: false },
      },
    },
  ]);

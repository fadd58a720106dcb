import type { DeviceState, DeviceStatus } from '@lab/contracts';
import { expect, it, vi } from 'vitest';
import { AgentDirectory, type Presence } from '../../src/agents/agent-directory.js';
import { StatusEvents } from '../../src/agents/status-events.js';
import { LabMap } from '../../src/labs/index.js';
import { MemoryDefinitions } from '../../src/testing/memory-definitions.js';
import { Turn, WorkingState } from '../../src/turn/index.js';

const stand = (name: string, state: DeviceState): DeviceStatus => ({
  ...{ lab: 'hall', name, state, detail: null, functions: [] },
});

/** A hall with two stands on each of 50 computers, and what is published of it. */
function hall() {
  const definitions = new MemoryDefinitions();
  const names = (computer: string): string[] => [`${computer}_a`, `${computer}_b`];
  const computers = Array.from({ length: 50 }, (_, n) => `pc_${n}`);
  const devices = computers.flatMap((computer) =>
    names(computer).map((name) => [
      name,
      { name, desc: '', type: 'stand', computer, init_parameters: {}, meta: {} },
    ]),
  );
  definitions.loadedLabs.set('hall', {
    ...{ name: 'hall', desc: '', resources: {} },
    computers: Object.fromEntries(computers.map((name) => [name, { desc: '', ip: '10.0.0.1' }])),
    devices: Object.fromEntries(devices) as never,
  });
  const directory = new AgentDirectory(5_000, 15_000);
  for (const computer of computers)
    directory.registered(
      {
        ...{ computer, session: 's', version: '1' },
        devices: names(computer).map((name) => stand(name, 'idle')),
      },
      1,
      0,
    );
  let labs = new LabMap(definitions);
  const events = new StatusEvents({ directory, definitions, labs: () => labs });
  events.begin(0);
  let now = 0;
  /** Takes a turn. @returns the events that are published with it */
  const turn = (commits = true): string[] => {
    now += 1_000;
    const taken = new Turn(new WorkingState(), now, new Map(), new Map());
    events.settle(taken);
    if (commits) for (const effect of taken.effects) effect();
    return taken.changes.flatMap((change) => (change.op === 'tell' ? [change.event.type] : []));
  };
  return {
    ...{ directory, definitions, turn },
    labs: () => labs,
    reload: () => (labs = new LabMap(definitions)),
    agent: (computer: string): Presence => directory.get(computer) as Presence,
  };
}

it('looks only at the devices of the agents of which there is news', () => {
  const { agent, directory, labs, turn } = hall();
  expect(turn()).toHaveLength(1 + 50 + 100);
  const looked = vi.spyOn(labs(), 'devicesOf');
  const all = vi.spyOn(labs().devices, 'values');
  directory.deviceChanged(agent('pc_7'), stand('pc_7_b', 'busy'), 1_500);
  expect(turn()).toEqual(['device.busy']);
  expect(looked.mock.calls).toEqual([['pc_7']]);
  expect(all).not.toHaveBeenCalled();
});

it('publishes a change again when its commit failed', () => {
  const { agent, directory, turn } = hall();
  turn();
  directory.deviceChanged(agent('pc_7'), stand('pc_7_b', 'busy'), 1_500);
  expect(turn(false)).toEqual(['device.busy']);
  directory.deviceChanged(agent('pc_8'), stand('pc_8_a', 'faulted'), 2_500);
  expect(turn()).toEqual(['device.busy', 'device.faulted']);
  expect(turn()).toEqual([]);
});

it('publishes that a computer is silent with each of its devices, and that both are back', () => {
  const { agent, directory, turn } = hall();
  turn();
  for (const computer of directory.all())
    if (computer.computer !== 'pc_3') directory.heard(computer, [...computer.devices.values()], 6_000);
  directory.age(6_000);
  expect(turn()).toEqual(['agent.suspect', 'device.unreachable', 'device.unreachable']);
  directory.heard(agent('pc_3'), [...agent('pc_3').devices.values()], 7_000);
  expect(turn()).toEqual(['agent.online', 'device.idle', 'device.idle']);
});

it('publishes what a change of the laboratories unloads', () => {
  const { definitions, reload, turn } = hall();
  turn();
  definitions.loadedLabs.delete('hall');
  reload();
  const told = turn();
  expect(told.filter((type) => type === 'device.unloaded')).toHaveLength(100);
  expect(told.filter((type) => type !== 'device.unloaded')).toEqual(['lab.unloaded']);
});

import { readdirSync } from 'node:fs';
import { getPriority } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { allLabs, agentStates, deviceStates, taskRunStates } from '@lab/contracts';
import type { WorkingRows } from '@lab/engine';
import { batch } from '../../../../libs/simulation/test/small-lab.js';
import { LoadedDefinitions } from '../../src/loaded/loaded-definitions.js';
import { Simulations } from '../../src/simulation/simulations.js';

/** Simulations in the threads of the built orchestrator. */

const program = pathToFileURL(
  fileURLToPath(new URL('../../dist/simulation/simulation-thread.js', import.meta.url)),
);
const lab = batch();
const labs = new Map(
  [...lab.loadedLabs].map(([name, definition]) => [
    name,
    { lab: definition, devices: new Map(lab.deviceTypes), hash: name },
  ]),
);
const definitions = new LoadedDefinitions({
  labs,
  protocols: lab.protocols,
  tasks: lab.tasks,
  draining: new Map(),
});
const nothing: WorkingRows = {
  campaigns: [],
  protocolRuns: [],
  taskRuns: [],
  attempts: [],
  trials: [],
  allocations: [],
  resources: [],
  agents: [],
  attention: [],
  emergencyStops: [],
  queuePauses: [],
  drains: [],
  outages: [],
  reservations: [],
  rollouts: [],
  deletions: [],
  legalHolds: [],
  usage: [],
  definitions: [],
};
const devices = ['arm', 'station_1', 'station_2'].map((name) => ({
  lab_name: 'lab',
  name,
  type: name,
  computer: 'svc_computer',
  state: 'idle' as const,
  detail: null,
  held_by: null,
  halted: null,
  out_of_service: null,
  doing: null,
  last_known: null,
  runtime: null,
  debugger: null,
  doubt: null,
  functions: [],
}));

const made: Simulations[] = [];
afterEach(() => Promise.all(made.splice(0).map((each) => each.stop())));

function simulations(type: 'greedy' | 'cpsat' = 'greedy', going = 0, rows = nothing): Simulations {
  const counts = <State extends string>(states: readonly State[]) =>
    Object.fromEntries(states.map((state) => [state, 0])) as Record<State, number>;
  const all = {
    tasks: { ...counts(taskRunStates), running: going },
    agents: counts(agentStates),
    devices: counts(deviceStates),
    computers: { expected: 0, online: 0, missing: [], troubles: [] },
    attention: {},
    stored: { records: 0, files: 0, bytes: 0 },
    quotaShares: { owner: 0, lab: 0 },
    planAgeMs: null,
  };
  const engine = {
    workingRows: () => Promise.resolve(rows),
    views: { counts: () => all, devices: () => devices, unfinishedWork: () => [] },
    submissions: { tryOut: () => expect.fail('a caller with all laboratories needs no check') },
  };
  const store = { durations: () => Promise.resolve([]) };
  const clock = { now: () => Date.parse('2026-01-01T00:00:00Z') };
  const simulations = new Simulations({ engine, store, definitions, scheduler: { type }, clock }, program);
  made.push(simulations);
  return simulations;
}

describe('simulations at a running orchestrator', () => {
  it.each(['greedy', 'cpsat'] as const)('run scenarios under %s', async (type) => {
    const record = await simulations().simulate(
      {
        scheduler: { type },
        protocols: [{ type: 'batch', iterations: 3 }],
      },
      allLabs,
    );
    expect(record).toMatchObject({ scheduler: type, outcome: 'completed', tasks_total: 9 });
  });

  it('forecast a run', async () => {
    const record = await simulations('cpsat').whatIf({ name: 'new', type: 'batch' }, allLabs);
    expect(record).toMatchObject({ scheduler: 'cpsat', estimated_end: '2026-01-01T00:00:08.000Z' });
  });

  it('report the faults of a scenario', async () => {
    await expect(simulations().simulate({ protocols: [{ type: 'bacth' }] }, allLabs)).rejects.toMatchObject({
      code: 'invalid',
      effect: 'none',
      faults: [{ path: 'protocols[0].type', code: 'unknown_protocol' }],
    });
    await expect(
      simulations().simulate({ protocols: [{ type: 'batch', iterations: 1_000 }] }, allLabs),
    ).rejects.toMatchObject({ code: 'invalid', faults: [{ code: 'too_large' }] });
  });

  it('refuse a scenario above their limits before it is copied', async () => {
    const untouchable = new Proxy(nothing, {
      get: (_rows, key) => (key === 'then' ? undefined : expect.fail(`${String(key)} was read`)),
    });
    await expect(
      simulations('greedy', 5_001, untouchable).whatIf({ name: 'new', type: 'batch' }, allLabs),
    ).rejects.toMatchObject({ code: 'invalid', faults: [{ code: 'too_large' }] });
  });

  it('do not delay other work, which goes first', async () => {
    const all = simulations();
    let going = 2;
    const ended = [1, 2].map(() =>
      all.simulate({ protocols: [{ type: 'batch', iterations: 600 }] }, allLabs).then(
        () => (going -= 1),
        () => (going -= 1),
      ),
    );
    const priorities = (): number[] => readdirSync('/proc/self/task').map((id) => getPriority(Number(id)));
    if (process.platform === 'linux') {
      const low = Math.min(19, getPriority() + 10);
      await expect
        .poll(() => priorities().filter((each) => each === low).length, { timeout: 10_000 })
        .toBeGreaterThanOrEqual(2);
    }
    // The work of the orchestrator meanwhile. It could not happen if simulations ran in its own event loop.
    for (let answers = 0; answers < 50; answers += 1) await delay(1);
    expect(going).toBe(2);
    await all.stop();
    await Promise.all(ended);
  });

  it('run two at a time and end with the orchestrator', async () => {
    const all = simulations();
    const long = { protocols: [{ type: 'batch', iterations: 600 }] };
    const going = [all.simulate(long, allLabs), all.simulate(long, allLabs)].map((each) =>
      each.then(
        () => 'done',
        (error: { code: string }) => error.code,
      ),
    );
    await expect(all.simulate(long, allLabs)).rejects.toMatchObject({ code: 'backlog_full', retryAfterS: 5 });
    await all.stop();
    expect(await Promise.all(going)).toEqual(['service_unavailable', 'service_unavailable']);
  });
});

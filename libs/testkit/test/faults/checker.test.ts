import type { Ledger } from '@lab/actors';
import type { Change } from '@lab/engine';
import type { AnyRequest } from '@lab/contracts';
import type { Subscription } from '@lab/messaging';
import { describe, expect, it } from 'vitest';
import { check } from '../../src/faults/verdict/checker.js';
import { History } from '../../src/faults/surroundings/history.js';
import type { MessageFault } from '../../src/faults/surroundings/network.js';
import { scenarios } from '../../src/faults/plan/scenarios.js';
import type { Fault, Schedule } from '../../src/faults/plan/schedule.js';
import { simulate } from '../../src/faults/play/simulate.js';
import type { World } from '../../src/faults/play/world.js';
import type { Invariant } from '../../src/invariants/index.js';

const nothing = { late: [], unfinished: [], leftovers: [] };

/** Runs a scenario in a deliberately broken world. @returns the invariants that the checker found violated */
async function broken(
  scenario: string,
  sabotage: (world: World) => void,
  faults: Fault[] = [],
): Promise<Set<Invariant>> {
  const schedule = scenarios[scenario];
  if (schedule === undefined) throw new Error(`there is no scenario "${scenario}"`);
  const altered: Schedule = { ...schedule, faults: [...schedule.faults, ...faults] };
  return new Set((await simulate(altered, sabotage)).violations.map(({ invariant }) => invariant));
}

type Handler = (body: unknown, context: unknown) => unknown;

/** Replaces the handlers of a message in every process. */
function tamper({ network }: World, name: string, alter: (handle: Handler) => Handler): void {
  const connect = network.connect.bind(network);
  network.connect = (life) => {
    const bus = connect(life);
    for (const method of ['serve', 'subscribe'] as const) {
      const listen = bus[method].bind(bus) as (...given: unknown[]) => Promise<Subscription>;
      const altered = (definition: AnyRequest, tokens: object, handle: Handler, ...more: unknown[]) =>
        listen(definition, tokens, definition.name === name ? alter(handle) : handle, ...more);
      Object.assign(bus, { [method]: altered });
    }
    return bus;
  };
}

/** Agents that do not hear from other computers that an attempt is over. */
function untold(world: World): void {
  tamper(world, 'agent.peer.device.stop', () => () => ({ moving: false }));
}

/** Agents that forget ended calls and attempts. */
function forgetful(world: World): void {
  for (const { disk } of world.computers.values()) {
    const ledgerOf = disk.ledgerOf.bind(disk);
    disk.ledgerOf = (...parts): Ledger => {
      const ledger = ledgerOf(...parts);
      return {
        open: (memory) => ledger.open(memory),
        append: (record) => ledger.append(record),
        note: (record) => ledger.note(record),
        close: () => ledger.close(),
        trouble: undefined,
        get state() {
          return new Proxy(ledger.state, {
            get(state, name) {
              if (name === 'call') return () => undefined;
              if (name === 'acknowledged' || name === 'tombstones') return new Set();
              const value: unknown = Reflect.get(state, name, state);
              return typeof value === 'function' ? (value.bind(state) as unknown) : value;
            },
          });
        },
      };
    };
  }
}

describe('the checker finds', () => {
  it('nothing in schedules without a violation', async () => {
    expect(await broken('a run and a task', () => undefined)).toEqual(new Set());
  });

  it('I4 when results never arrive', async () => {
    const lose = (world: World): void => {
      const next = world.network.next.bind(world.network);
      world.network.next = (name, reply) => {
        const found = next(name, reply);
        const fault: MessageFault = { what: 'lose' };
        return name === 'attempt.result' ? { ...found, fault } : found;
      };
    };
    expect(await broken('a run and a task', lose)).toContain('I4');
  });

  it('I3 when the store frees the devices that it allocates', async () => {
    const free = (world: World): void => {
      const { store } = world.database;
      const commit = store.commit.bind(store);
      store.commit = (epoch, changes) =>
        commit(
          epoch,
          changes.flatMap((change): Change[] =>
            change.op === 'claim'
              ? [change, { op: 'release', kind: change.kind, key: change.key, at: change.at }]
              : [change],
          ),
        );
    };
    expect(await broken('a run and a task', free)).toContain('I3');
  });

  it('I3 when a device is released that a run holds for a later task', async () => {
    const giveUp = ({ history: { commits } }: World): void => {
      const push = commits.push.bind(commits);
      commits.push = (commit) => {
        const held = commit.changes.find((change) => change.op === 'hold');
        if (held === undefined) return push(commit);
        const { kind, key } = held;
        return push(commit, { ...commit, changes: [{ op: 'release', kind, key, at: commit.at }] });
      };
    };
    const schedule = scenarios['a run and a task'] ?? expect.fail();
    expect((await simulate(schedule, giveUp)).violations).toContainEqual({
      invariant: 'I3',
      what: 'device:lab.arm was given up before run/keep had ended',
    });
  });

  it('I4 and I7 when the store acknowledges ends but does not keep them', async () => {
    const forget = (world: World): void => {
      const { store } = world.database;
      const commit = store.commit.bind(store);
      store.commit = (epoch, changes) =>
        commit(
          epoch,
          changes.filter((change) => change.op !== 'updateTaskRun' || change.patch.state !== 'completed'),
        );
    };
    const found = await broken('a run and a task', forget);
    expect(found).toContain('I4');
    expect(found).toContain('I7');
  });

  it('I5 when outputs are changed on their way', async () => {
    const change = (world: World): void => {
      const { store } = world.database;
      const commit = store.commit.bind(store);
      store.commit = (epoch, changes) =>
        commit(
          epoch,
          changes.map((each) =>
            each.op === 'updateTaskRun' && each.patch.outputParameters != null
              ? { ...each, patch: { ...each.patch, outputParameters: { attempt: 'another', effects: 0 } } }
              : each,
          ),
        );
    };
    expect(await broken('a run and a task', change)).toContain('I5');
  });

  it('I6 when the object store loses the end of files', async () => {
    const truncate = (world: World): void => {
      const { objectStore } = world;
      const put = objectStore.put.bind(objectStore);
      objectStore.put = (life, key, content, stored, failed) =>
        put(life, key, content.slice(0, -1), stored, failed);
    };
    expect(await broken('a run and a task', truncate)).toContain('I6');
  });

  it('I7 when an event is not written', async () => {
    const omit = (world: World): void => {
      const { store } = world.database;
      const commit = store.commit.bind(store);
      store.commit = (epoch, changes) =>
        commit(
          epoch,
          changes.filter(({ op }) => op !== 'tell'),
        );
    };
    expect(await broken('a run and a task', omit)).toContain('I7');
  });

  it('I7 when running work is archived', async () => {
    const early = (world: World): void => {
      const { store } = world.database;
      const commit = store.commit.bind(store);
      store.commit = (epoch, changes) =>
        commit(
          epoch,
          changes.flatMap((change): Change[] =>
            change.op === 'tell' && change.event.type === 'protocol_run.running'
              ? [change, { ...change, event: { ...change.event, type: 'protocol_run.archived' } }]
              : [change],
          ),
        );
    };
    expect(await broken('a run and a task', early)).toContain('I7');
  });

  it.each([
    [
      'runs get the rows of others',
      (change: Change): Change[] =>
        change.op === 'insertProtocolRun' && change.row.parameters['try'] !== undefined
          ? [{ ...change, row: { ...change.row, parameters: { try: { n: 99 } } } }]
          : [change],
    ],
    ['trials are not settled', (change: Change): Change[] => (change.op === 'updateTrial' ? [] : [change])],
    [
      'what was measured is another number',
      (change: Change): Change[] =>
        change.op === 'updateTrial' && change.patch.outputs !== undefined
          ? [{ ...change, patch: { ...change.patch, outputs: { 'try.effects': 17 } } }]
          : [change],
    ],
  ])('I11 when %s', async (_, alter) => {
    const tamper = (world: World): void => {
      const { store } = world.database;
      const commit = store.commit.bind(store);
      store.commit = (epoch, changes) => commit(epoch, changes.flatMap(alter));
    };
    expect(await broken('a campaign with an optimizer', () => undefined)).toEqual(new Set());
    expect(await broken('a campaign with an optimizer', tamper)).toContain('I11');
  });

  it('I10 when files stay in the spool', async () => {
    const keep = (world: World): void => {
      for (const { spool } of world.computers.values()) spool.delete = () => false;
    };
    expect(await broken('a run and a task', keep)).toContain('I10');
  });

  const doubled = (name: string, n: number, ms: number): Fault => ({
    kind: 'message',
    name,
    n,
    fault: { what: 'double', ms },
  });

  it('I2 when an agent denies an attempt that it began', async () => {
    const deny = (world: World): void => {
      tamper(world, 'agent.task.status', () => () => ({ status: 'unknown' }));
      tamper(
        world,
        'agent.heartbeat',
        (handle) => (body, context) => handle({ ...(body as object), attempts: [] }, context),
      );
    };
    expect(await broken('a long task whose start is not answered', deny)).toContain('I2');
  });

  it('I2 when a late call reaches an agent that was not informed of the end of its attempt', async () => {
    const held: Fault[] = [
      { kind: 'message', name: 'agent.peer.device.call', n: 1, fault: { what: 'delay', ms: 1_500 } },
      { kind: 'crash', who: 'pc_a', at: 1_000, ms: 200 },
    ];
    expect(await broken('a run and a task', () => undefined, held)).toEqual(new Set());
    expect(await broken('a run and a task', untold, held)).toContain('I2');
  });

  it('I1 when a call arrives twice at an agent that forgets', async () => {
    const twice = doubled('agent.peer.device.call', 1, 600);
    const forgetfulAndUntold = (world: World): void => {
      forgetful(world);
      untold(world);
    };
    expect(await broken('a run and a task', untold, [twice])).toEqual(new Set());
    expect(await broken('a run and a task', forgetfulAndUntold, [twice])).toContain('I1');
  });

  it('I1 when the drivers of an instrument move it at the same time', () => {
    const history = new History(() => 0);
    const entry = { at: 1, what: 'begin', tag: 'x#1', function: 'move', callId: '1' } as const;
    history.instruments.set('lab.arm', [entry, { ...entry, at: 2, tag: 'x#2' }]);
    expect(check(history, nothing)).toContainEqual(expect.objectContaining({ invariant: 'I1' }));
  });

  it('stop when a leader forgets the devices that are out of service', async () => {
    const forget = (world: World): void => {
      const load = world.database.store.load.bind(world.database.store);
      world.database.store.load = async () => ({ ...(await load()), outages: [] });
    };
    const succeeded: Fault[] = [{ kind: 'leave', who: 'orchestrator-1', at: 300, ms: 500 }];
    expect(await broken('devices out of service', () => undefined, succeeded)).toEqual(new Set());
    expect(await broken('devices out of service', forget, succeeded)).toContain('stop');
  });

  it('stop when a leader forgets the reservations of devices', async () => {
    const forget = (world: World): void => {
      const load = world.database.store.load.bind(world.database.store);
      world.database.store.load = async () => ({ ...(await load()), reservations: [] });
    };
    const succeeded: Fault[] = [{ kind: 'leave', who: 'orchestrator-1', at: 300, ms: 500 }];
    expect(await broken('reserved devices', () => undefined, succeeded)).toEqual(new Set());
    expect(await broken('reserved devices', forget, succeeded)).toContain('stop');
  });

  it('I8 when a deposed leader writes', () => {
    const history = new History(() => 0);
    history.leaderships.push({ at: 0, epoch: 1, instance: 'a' }, { at: 5, epoch: 2, instance: 'b' });
    history.commits.push({ at: 3, epoch: 1, changes: [] });
    expect(check(history, nothing)).toEqual([]);
    history.commits.push({ at: 6, epoch: 1, changes: [] });
    expect(check(history, nothing)).toContainEqual(expect.objectContaining({ invariant: 'I8' }));
  });

  it('I9 when a person is asked although nothing was lost', async () => {
    const ask = (world: World): void => {
      world.history.losses.push = () => 0;
    };
    expect(await broken('an agent that dies at work', ask)).toContain('I9');
  });

  it('an error that is not an answer of the service', async () => {
    const fail = (world: World): void => {
      const { store } = world.database;
      store.takenNames = () => Promise.reject(new TypeError('not a function'));
    };
    expect(await broken('a run and a task', fail)).toContain('defect');
  });
});

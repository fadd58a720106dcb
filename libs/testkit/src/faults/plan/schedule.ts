import {
  failureActions,
  runFailureActions,
  type RunFailureAction,
  type TaskFailurePolicy,
  type WorkKind,
} from '@lab/contracts';
import { Chance } from './chance.js';
import type { CommitFault } from '../surroundings/database.js';
import type { PointAction, Side } from '../surroundings/fault-points.js';
import {
  computers,
  deviceNames,
  devicesOf,
  labName,
  type DeviceName,
  type ProtocolSketch,
  type Step,
  type TaskSketch,
} from './laboratory.js';
import type { MessageFault } from '../surroundings/network.js';

export const orchestrators = ['orchestrator-1', 'orchestrator-2'] as const;

/** An action of people. Times are milliseconds after the start of the laboratory. */
export type Act = { at: number } & (
  | { do: 'submit_run'; name: string; protocol: string; priority: number }
  | {
      do: 'submit_campaign';
      name: string;
      protocol: string;
      runs: number;
      beside: number;
      onFailure?: RunFailureAction;
      /** The optimizer of the protocol proposes the parameters of the runs. */
      optimize?: boolean;
    }
  /** A person reads the optimizer of a campaign, changes one of its parameters, and adds an insight. */
  | { do: 'ask_optimizer'; name: string; protocol: string }
  | { do: 'submit_task'; name: string; type: string; slots: Record<string, DeviceName>; priority: number }
  | { do: 'cancel_run' | 'cancel_campaign' | 'cancel_task'; name: string }
  | { do: 'pause_run' | 'resume_run' | 'pause_campaign' | 'resume_campaign'; name: string }
  /** A change of priority; for a campaign also of the number of concurrent runs. */
  | { do: 'change_run' | 'change_campaign' | 'change_task'; name: string; priority: number }
  | { do: 'pause_queue' | 'resume_queue' }
  /** Of a campaign, or of all work without a name. */
  | { do: 'drain' | 'end_drain'; name?: string }
  /** Finished work will be deleted, and is kept. */
  | { do: 'delete' | 'keep'; kind: WorkKind; name: string }
  /** A person forbids the deletion of work, and ends the first hold. */
  | { do: 'hold'; kind: WorkKind; name: string }
  | { do: 'release_hold' }
  /** Finished work is archived, and restored. */
  | { do: 'archive' | 'restore'; kind: WorkKind; name: string }
  /** Emergency stop of a device or of everything, and the release of every stop. */
  | { do: 'reset_resource' | 'set_resource'; name: string; force: boolean }
  /** A device is taken out of service, for some milliseconds or until a person puts it back. */
  | { do: 'disable'; device: DeviceName; ms?: number }
  | { do: 'enable'; device: DeviceName }
  | { do: 'drain_computer'; computer: string; ms?: number }
  | { do: 'resume_computer'; computer: string }
  /** A person reserves a device, from some milliseconds from now and for some more, and ends the first reservation. */
  | { do: 'reserve'; device: DeviceName; after: number; ms: number }
  | { do: 'end_reservation' }
  /** A person says of each open question that they are deciding it, and then that they are not. */
  | { do: 'claim_questions' }
  /** A person restarts a device. */
  | { do: 'restart'; device: DeviceName }
  | { do: 'stop'; device?: DeviceName }
  | { do: 'release' }
  /** A person calls a function of a device, or reads its report. */
  | { do: 'call'; device: DeviceName; function: string; ms: number }
  | { do: 'look'; device: DeviceName }
  /** The laboratory is reloaded with another parameter for a device. */
  | { do: 'reload'; device: DeviceName }
);

/** A fault. `at` is in milliseconds after the start of the laboratory, `ms` a duration in milliseconds. */
export type Fault =
  | { kind: 'message'; name: string; n: number; fault: MessageFault }
  | { kind: 'crash' | 'pause'; who: string; at: number; ms: number }
  | { kind: 'cut'; who: string; at: number; ms: number; how: 'closed' | 'silent' }
  | { kind: 'broker' | 'database' | 'object_store'; at: number; ms: number }
  | { kind: 'slow'; at: number; ms: number; upToMs: number }
  | { kind: 'commit'; n: number; fault: CommitFault }
  | { kind: 'disk_full'; who: string; at: number; ms: number }
  /** An orderly stop, and a restart after a time. */
  | { kind: 'leave'; who: string; at: number; ms: number }
  | { kind: 'device_dies'; device: string; at: number }
  /** The next `_initialize` of the device fails. */
  | { kind: 'init_fails'; device: string; at: number }
  | { kind: 'task_dies'; who: string; at: number }
  /** The process of every optimizer dies. */
  | { kind: 'optimizer_dies'; at: number }
  | { kind: 'point'; point: string; side: Side; n: number; action: PointAction; ms: number };

/** Optional abilities of a driver. */
export interface Drivers {
  /** Without its agent the driver stops the instrument. A driver without this ability lets the motion end. */
  stopsWithoutAgent: boolean;
  /** The driver has `_reconcile`, which reads from the instrument whether it moves. */
  canReconcile: boolean;
  /** The driver has `_stop`. */
  canStop: boolean;
}

/** The input of a simulation: it determines everything that happens. */
export interface Schedule {
  seed: number;
  protocols: ProtocolSketch[];
  tasks: TaskSketch[];
  acts: Act[];
  faults: Fault[];
  /** The abilities of all drivers. */
  drivers: Drivers;
  /** The scheduling policy plans ahead, which takes fifty times as long as one that decides for the moment. */
  plansAhead: boolean;
}

/** Latest beginning of a fault, in milliseconds. */
export const stormMs = 25_000;

/** Messages that may be lost or doubled one by one. Other messages are lost only with their links. */
const faulty = {
  'agent.task.start': 6,
  'agent.task.cancel': 2,
  'agent.task.status': 3,
  'agent.device.call': 1,
  'agent.peer.device.call': 3,
  'agent.devices.assign': 1,
  'attempt.result': 5,
  'agent.register': 3,
  'agent.heartbeat': 2,
  'agent.device_changed': 2,
  'orchestrator.leading': 2,
  'file.ticket': 1,
  'task.submit': 1,
  'protocol_run.submit': 1,
  'protocol_run.cancel': 1,
} as const;

/** The schedule of a seed. */
export function scheduleOf(seed: number): Schedule {
  const chance = new Chance(seed);
  const protocols = Array.from({ length: chance.int(1, 2) }, (_, index) => protocolOf(chance, `p${index}`));
  const tasks = deviceNames.slice(0, chance.int(1, 3)).map((device): TaskSketch => ({
    name: `use_${device}`,
    slots: { a: { device } },
    steps: stepsOf(chance, ['a']),
  }));
  const acts = actsOf(chance, protocols, tasks);
  const faults = Array.from({ length: chance.int(0, 7) }, () => faultOf(chance));
  const drivers = {
    stopsWithoutAgent: chance.maybe(0.5),
    canReconcile: chance.maybe(0.5),
    canStop: chance.maybe(0.5),
  };
  // Every fiftieth, because these take fifty times as long.
  const schedule = { seed, protocols, tasks, acts, faults, drivers, plansAhead: seed % 50 === 0 };
  return chance.maybe(0.25) ? withSearch(chance, schedule) : schedule;
}

/** Adds a campaign with an optimizer, and its faults. */
function withSearch(chance: Chance, schedule: Schedule): Schedule {
  const name = 'searching';
  const at = chance.int(0, 8_000);
  const protocol: ProtocolSketch = {
    name: 'search',
    search: true,
    tasks: [
      {
        name: 'try',
        slots: { a: { device: chance.pick(deviceNames) } },
        steps: stepsOf(chance, ['a']),
      },
    ],
  };
  const acts: Act[] = [
    {
      at,
      do: 'submit_campaign',
      name,
      protocol: protocol.name,
      runs: chance.int(2, 5),
      beside: chance.int(1, 2),
      onFailure: chance.pick(runFailureActions),
      optimize: true,
    },
  ];
  if (chance.maybe(0.3)) acts.push(...pauseOf(chance, at + 500, [{ name, cancel: 'cancel_campaign' }]));
  if (chance.maybe(0.3))
    acts.push({ at: at + chance.int(500, 8_000), do: 'ask_optimizer', name, protocol: protocol.name });
  if (chance.maybe(0.15)) acts.push({ at: at + chance.int(100, 8_000), do: 'cancel_campaign', name });
  const faults = Array.from({ length: chance.int(0, 4) }, () => optimizerFault(chance));
  return {
    ...schedule,
    protocols: [...schedule.protocols, protocol],
    acts: [...schedule.acts, ...acts],
    faults: [...schedule.faults, ...faults],
  };
}

function optimizerFault(chance: Chance): Fault {
  const at = chance.int(0, stormMs);
  const who = 'optimizer';
  const kind = chance.weighted({ crash: 4, pause: 2, cut: 3, leave: 2, optimizer_dies: 4, message: 6 });
  switch (kind) {
    case 'crash':
    case 'pause':
    case 'leave':
      return { kind, who, at, ms: chance.int(50, 12_000) };
    case 'cut':
      return { kind, who, at, ms: chance.int(100, 12_000), how: chance.pick(['closed', 'silent']) };
    case 'optimizer_dies':
      return { kind, at };
    case 'message': {
      const name = chance.pick(['describe', 'open', 'tell', 'propose', 'best', 'close']);
      const fault = messageFault(chance);
      return { kind, name: `optimizer.${name}`, n: chance.int(1, 6), fault };
    }
  }
}

function messageFault(chance: Chance): MessageFault {
  const what = chance.weighted({ lose: 4, lose_reply: 4, double: 3, delay: 3, delay_reply: 2 });
  return what === 'lose' || what === 'lose_reply' ? { what } : { what, ms: chance.int(1, 8) ** 4 };
}

/**
 * A graph of tasks. A task that refers to the device of an earlier task needs no other device. So two runs cannot
 * deadlock by holding a device that the other one waits for; the service leaves such deadlocks to people.
 */
function protocolOf(chance: Chance, name: string): ProtocolSketch {
  const tasks: TaskSketch[] = [];
  const count = chance.int(1, 4);
  for (let index = 0; index < count; index += 1) {
    const needs = tasks.filter(() => chance.maybe(0.4)).map((task) => task.name);
    const slots: TaskSketch['slots'] = {};
    const source = tasks.find((task) => task.slots['a'] !== undefined);
    if (source !== undefined && chance.maybe(0.4)) {
      slots['a'] = { like: source.name, slot: 'a' };
      needs.splice(0, needs.length, source.name);
    } else if (chance.maybe(0.2)) slots['a'] = { type: 'mixer' };
    else if (chance.maybe(0.85)) {
      const first = chance.pick(deviceNames);
      slots['a'] = { device: first };
      const second = chance.pick(deviceNames);
      if (second !== first && chance.maybe(0.3)) slots['b'] = { device: second };
    }
    const holds = Object.keys(slots).length === 1 && chance.maybe(0.4);
    tasks.push({
      name: `t${index}`,
      needs,
      slots,
      hold: holds ? ['a'] : [],
      steps: stepsOf(chance, Object.keys(slots)),
      ...(chance.maybe(0.2) ? { beaker: true } : {}),
      ...(chance.maybe(0.35) ? { policy: policyOf(chance) } : {}),
    });
  }
  return { name, tasks };
}

function policyOf(chance: Chance): TaskFailurePolicy {
  return {
    ...(chance.maybe(0.4) ? { timeout: chance.int(1, 40) / 10 } : {}),
    ...(chance.maybe(0.5) ? { retry: { attempts: chance.int(2, 3), backoff: chance.int(1, 10) / 10 } } : {}),
    on_failure: chance.pick(failureActions),
  };
}

function stepsOf(chance: Chance, slots: readonly string[]): Step[] {
  const steps: Step[] = [];
  for (let left = chance.int(1, 4); left > 0; left -= 1) {
    if (slots.length > 0 && chance.maybe(0.75)) {
      const called = chance.weighted({ move: 6, set: 1, look: 1 });
      steps.push({ do: 'call', slot: chance.pick(slots), function: called, ms: chance.int(1, 3) ** 3 * 20 });
    } else steps.push({ do: 'think', ms: chance.int(1, 800) });
  }
  if (chance.maybe(0.25)) steps.push({ do: 'write', file: 'data.txt', bytes: chance.int(1, 400) });
  if (chance.maybe(0.08)) steps.push({ do: 'throw' });
  return steps;
}

function actsOf(chance: Chance, protocols: readonly ProtocolSketch[], tasks: readonly TaskSketch[]): Act[] {
  const acts: Act[] = [];
  const names: { name: string; cancel: 'cancel_run' | 'cancel_campaign' | 'cancel_task' }[] = [];
  const count = chance.int(3, 7);
  for (let index = 0; index < count; index += 1) {
    const at = chance.int(0, 15_000);
    const what = chance.weighted({
      run: 10,
      task: 8,
      campaign: 2,
      cancel: 4,
      pause: 3,
      call: 2,
      reload: 1,
      stop: 1,
      outage: 1,
      drain: 1,
      reservation: 1,
      restart: 1,
    });
    if (what === 'run') {
      const name = `run${index}`;
      const protocol = chance.pick(protocols).name;
      acts.push({ at, do: 'submit_run', name, protocol, priority: chance.int(0, 2) });
      names.push({ name, cancel: 'cancel_run' });
    } else if (what === 'campaign') {
      const name = `campaign${index}`;
      const protocol = chance.pick(protocols).name;
      const onFailure = chance.pick(runFailureActions);
      acts.push({ at, do: 'submit_campaign', name, protocol, runs: 2, beside: chance.int(1, 2), onFailure });
      names.push({ name, cancel: 'cancel_campaign' });
    } else if (what === 'task') {
      const name = `task${index}`;
      const task = chance.pick(tasks);
      const slots: Record<string, DeviceName> = {};
      for (const [slot, filled] of Object.entries(task.slots))
        if ('device' in filled) slots[slot] = filled.device;
      acts.push({ at, do: 'submit_task', name, type: task.name, slots, priority: chance.int(0, 2) });
      names.push({ name, cancel: 'cancel_task' });
    } else if (what === 'call') {
      const device = chance.pick(deviceNames);
      if (chance.maybe(0.3)) acts.push({ at, do: 'look', device });
      else acts.push({ at, do: 'call', device, function: 'move', ms: chance.int(20, 400) });
    } else if (what === 'restart') acts.push({ at, do: 'restart', device: chance.pick(deviceNames) });
    else if (what === 'reload') acts.push({ at, do: 'reload', device: chance.pick(deviceNames) });
    else if (what === 'stop') {
      acts.push({ at, do: 'stop', ...(chance.maybe(0.5) ? { device: chance.pick(deviceNames) } : {}) });
      acts.push({ at: at + chance.int(100, 8_000), do: 'release' });
    } else if (what === 'outage') {
      const device = chance.pick(deviceNames);
      acts.push({ at, do: 'disable', device, ...(chance.maybe(0.5) ? { ms: chance.int(100, 8_000) } : {}) });
      acts.push({ at: at + chance.int(100, 8_000), do: 'enable', device });
    } else if (what === 'drain') {
      const computer = chance.pick(computers);
      acts.push({
        at,
        do: 'drain_computer',
        computer,
        ...(chance.maybe(0.5) ? { ms: chance.int(100, 8_000) } : {}),
      });
      acts.push({ at: at + chance.int(100, 8_000), do: 'resume_computer', computer });
    } else if (what === 'reservation') {
      const [after, ms] = [chance.int(0, 4_000), chance.int(100, 8_000)];
      acts.push({ at, do: 'reserve', device: chance.pick(deviceNames), after, ms });
      if (chance.maybe(0.5)) acts.push({ at: at + chance.int(100, 8_000), do: 'end_reservation' });
    } else if (what === 'pause') acts.push(...pauseOf(chance, at, names));
    else if (names.length > 0) {
      const { name, cancel } = chance.pick(names);
      acts.push({ at: at + chance.int(0, 5_000), do: cancel, name });
    }
  }
  return acts;
}

/** Pauses something, and resumes it after a while. */
function pauseOf(chance: Chance, at: number, names: readonly { name: string; cancel: string }[]): Act[] {
  const later = at + chance.int(10, 6_000);
  const { name = '', cancel } = names.length === 0 ? {} : chance.pick(names);
  const act = (verb: 'pause' | 'resume', when: number): Act =>
    cancel === 'cancel_run' || cancel === 'cancel_campaign'
      ? { at: when, do: `${verb}_${cancel === 'cancel_run' ? 'run' : 'campaign'}`, name }
      : { at: when, do: `${verb}_queue` };
  return [act('pause', at), act('resume', later)];
}

function faultOf(chance: Chance): Fault {
  const at = chance.int(0, stormMs);
  const who = chance.pick([...computers, ...orchestrators]);
  const computer = chance.pick(computers);
  const kind = chance.weighted({
    message: 30,
    crash: 12,
    pause: 8,
    cut: 10,
    broker: 2,
    database: 3,
    object_store: 1,
    slow: 4,
    commit: 8,
    disk_full: 4,
    leave: 4,
    device_dies: 8,
    init_fails: 1,
    task_dies: 5,
  });
  switch (kind) {
    case 'message': {
      const name = chance.weighted(faulty);
      const fault = messageFault(chance);
      return { kind, name, n: chance.int(1, name === 'agent.heartbeat' ? 60 : 8), fault };
    }
    case 'crash':
      return { kind, who, at, ms: chance.int(50, 12_000) };
    case 'pause':
      return { kind, who, at, ms: chance.int(500, 20_000) };
    case 'cut':
      return { kind, who, at, ms: chance.int(100, 15_000), how: chance.pick(['closed', 'silent']) };
    case 'broker':
    case 'database':
    case 'object_store':
      return { kind, at, ms: chance.int(100, 8_000) };
    case 'slow':
      return { kind, at, ms: chance.int(500, 8_000), upToMs: chance.int(50, 2_000) };
    case 'commit':
      return { kind, n: chance.int(1, 50), fault: chance.pick(['refuse', 'lose_answer']) };
    case 'disk_full':
      return { kind, who: computer, at, ms: chance.int(100, 8_000) };
    case 'leave':
      return { kind, who, at, ms: chance.int(50, 6_000) };
    case 'device_dies':
    case 'init_fails':
      return { kind, device: `${labName}.${chance.pick(deviceNames)}`, at };
    case 'task_dies':
      return { kind, who: computer, at };
  }
}

/** The computer that runs a device, by `<lab>.<device>`. */
export function computerOf(key: string): string {
  const name = key.slice(labName.length + 1) as DeviceName;
  return devicesOf[name].computer;
}

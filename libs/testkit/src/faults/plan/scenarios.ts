import type { TaskSketch } from './laboratory.js';
import type { Act, Fault, Schedule } from './schedule.js';

const move = (slot: string, ms = 300): TaskSketch['steps'][number] => ({
  do: 'call',
  slot,
  function: 'move',
  ms,
});

/** A protocol with every feature: a hold and a reference, local and remote calls, a file, a task without a device. */
const protocol: TaskSketch[] = [
  {
    name: 'take',
    needs: [],
    slots: { a: { device: 'arm' } },
    hold: ['a'],
    steps: [move('a'), { do: 'call', slot: 'a', function: 'look', ms: 20 }],
  },
  {
    name: 'keep',
    needs: ['take'],
    slots: { a: { like: 'take', slot: 'a' } },
    hold: [],
    steps: [{ do: 'call', slot: 'a', function: 'set', ms: 20 }, move('a')],
  },
  {
    name: 'both',
    beaker: true,
    needs: [],
    slots: { a: { device: 'mixer' }, b: { device: 'washer' } },
    hold: [],
    steps: [move('a'), move('b'), { do: 'write', file: 'data.txt', bytes: 200 }],
  },
  { name: 'think', needs: ['both'], slots: {}, hold: [], steps: [{ do: 'think', ms: 100 }] },
];
const single: TaskSketch = {
  name: 'use_reader',
  needs: [],
  slots: { a: { device: 'reader' } },
  hold: [],
  steps: [move('a', 1_500), move('a', 500)],
};
const short: TaskSketch = {
  name: 'use_washer',
  needs: [],
  slots: { a: { device: 'washer' } },
  hold: [],
  steps: [move('a', 20)],
};
const long: TaskSketch = {
  name: 'use_mixer',
  needs: [],
  slots: { a: { device: 'mixer' } },
  hold: [],
  steps: [move('a', 4_000)],
};
const throwing: TaskSketch = {
  name: 'use_arm',
  needs: [],
  slots: { a: { device: 'arm' } },
  hold: [],
  steps: [move('a', 50), { do: 'throw' }],
};

const drivers = { stopsWithoutAgent: false, canReconcile: true, canStop: true };

const run: Act = { at: 100, do: 'submit_run', name: 'run', protocol: 'graph', priority: 0 };
const read: Act = {
  at: 200,
  do: 'submit_task',
  name: 'read',
  type: 'use_reader',
  slots: { a: 'reader' },
  priority: 1,
};
const queued: Act = { ...read, at: 300, name: 'second' };

function scenario(acts: Act[], faults: Fault[] = [], more: Partial<Schedule> = {}): Schedule {
  return {
    seed: 7,
    protocols: [
      { name: 'graph', tasks: protocol },
      { name: 'broken', tasks: broken },
      { name: 'careful', tasks: careful },
      ...(acts.some((act) => 'protocol' in act && act.protocol === 'search')
        ? [{ name: 'search', search: true, tasks: [{ ...short, name: 'try', steps: [move('a', 500)] }] }]
        : []),
    ],
    tasks: [single, short, long, throwing],
    acts,
    faults,
    drivers,
    ...more,
  };
}

const broken: TaskSketch[] = [
  { ...throwing, name: 'first' },
  { name: 'never', needs: ['first'], slots: {}, hold: [], steps: [{ do: 'think', ms: 10 }] },
];

const careful: TaskSketch[] = [
  {
    name: 'again',
    needs: [],
    slots: {},
    hold: [],
    steps: [{ do: 'think', ms: 10 }, { do: 'throw' }],
    policy: { retry: { attempts: 2, backoff: 0.2 }, on_failure: 'skip' },
  },
  { ...long, name: 'late', policy: { timeout: 1, on_failure: 'ask' } },
];

/**
 * The scenarios that together reach every fault point: work without faults, and work with one fault before the point.
 */
export const scenarios: Readonly<Record<string, Schedule>> = {
  'a run and a task': scenario([run, read]),
  'a short task': scenario([
    { at: 100, do: 'submit_task', name: 'short', type: 'use_washer', slots: { a: 'washer' }, priority: 0 },
  ]),
  'a campaign': scenario([
    { at: 100, do: 'submit_campaign', name: 'campaign', protocol: 'graph', runs: 2, beside: 1 },
    { at: 3_000, do: 'cancel_campaign', name: 'campaign' },
  ]),
  'a campaign with an optimizer': scenario([
    {
      at: 100,
      do: 'submit_campaign',
      name: 'searching',
      protocol: 'search',
      runs: 3,
      beside: 1,
      optimize: true,
    },
    { at: 400, do: 'ask_optimizer', name: 'searching', protocol: 'search' },
  ]),
  'an optimizer that dies and one that leaves': scenario(
    [
      {
        at: 100,
        do: 'submit_campaign',
        name: 'searching',
        protocol: 'search',
        runs: 4,
        beside: 2,
        optimize: true,
      },
    ],
    [
      { kind: 'optimizer_dies', at: 400 },
      { kind: 'leave', who: 'optimizer', at: 1_800, ms: 500 },
    ],
  ),
  'cancelled at every stage': scenario([
    run,
    read,
    queued,
    { at: 500, do: 'cancel_task', name: 'second' },
    { at: 700, do: 'cancel_task', name: 'read' },
    { at: 400, do: 'cancel_run', name: 'run' },
  ]),
  'changed while it waits and runs': scenario([
    run,
    read,
    queued,
    { at: 150, do: 'change_run', name: 'run', priority: 2 },
    { at: 200, do: 'submit_campaign', name: 'campaign', protocol: 'broken', runs: 2, beside: 1 },
    { at: 350, do: 'change_campaign', name: 'campaign', priority: 3 },
    { at: 400, do: 'change_task', name: 'second', priority: 5 },
  ]),
  'a task that fails': scenario([
    { at: 100, do: 'submit_task', name: 'bad', type: 'use_arm', slots: { a: 'arm' }, priority: 0 },
    { at: 300, do: 'cancel_task', name: 'bad' },
    run,
  ]),
  'a start whose answer is lost': scenario(
    [run, read],
    [{ kind: 'message', name: 'agent.task.start', n: 1, fault: { what: 'lose_reply' } }],
  ),
  'a long task whose start is not answered': scenario(
    [{ at: 100, do: 'submit_task', name: 'long', type: 'use_mixer', slots: { a: 'mixer' }, priority: 0 }],
    [{ kind: 'message', name: 'agent.task.start', n: 1, fault: { what: 'lose_reply' } }],
  ),
  'a start that is lost': scenario(
    [read],
    [{ kind: 'message', name: 'agent.task.start', n: 1, fault: { what: 'lose' } }],
  ),
  'an agent that dies at work': scenario([run, read], [{ kind: 'crash', who: 'pc_a', at: 900, ms: 1_500 }]),
  'an agent that dies before it begins': scenario(
    [read],
    [{ kind: 'point', point: 'record begin', side: 'before', n: 1, action: 'kill', ms: 800 }],
  ),
  'a device that dies at work': scenario(
    [run, read],
    [{ kind: 'device_dies', device: 'lab.reader', at: 900 }],
  ),
  'a device that dies and cannot tell': scenario(
    [read],
    [{ kind: 'device_dies', device: 'lab.reader', at: 900 }],
    { drivers: { stopsWithoutAgent: false, canReconcile: false, canStop: false } },
  ),
  'a run that fails': scenario([{ at: 100, do: 'submit_run', name: 'run', protocol: 'broken', priority: 0 }]),
  'failures by policy': scenario([
    { at: 100, do: 'submit_run', name: 'run', protocol: 'careful', priority: 0 },
  ]),
  'pauses of everything': scenario([
    { at: 50, do: 'pause_queue' },
    run,
    { at: 200, do: 'pause_run', name: 'run' },
    { at: 300, do: 'submit_campaign', name: 'campaign', protocol: 'broken', runs: 2, beside: 1 },
    { at: 400, do: 'pause_campaign', name: 'campaign' },
    { at: 900, do: 'resume_queue' },
    { at: 1_500, do: 'resume_run', name: 'run' },
    { at: 1_600, do: 'resume_campaign', name: 'campaign' },
  ]),
  'a resource that is put back': scenario([
    { at: 50, do: 'reset_resource', name: 'beaker', force: false },
    run,
    { at: 400, do: 'reset_resource', name: 'beaker', force: false },
    { at: 500, do: 'reset_resource', name: 'beaker', force: true },
  ]),
  'work that leaves the lists': scenario([
    run,
    read,
    { at: 300, do: 'archive', kind: 'protocol_run', name: 'run' },
    { at: 400, do: 'cancel_run', name: 'run' },
    { at: 6_000, do: 'archive', kind: 'protocol_run', name: 'run' },
    { at: 6_000, do: 'resume_run', name: 'run' },
    { at: 6_000, do: 'archive', kind: 'task_run', name: 'read' },
    { at: 6_100, do: 'restore', kind: 'task_run', name: 'read' },
  ]),
  'an emergency stop': scenario([
    run,
    read,
    { at: 500, do: 'stop' },
    { at: 2_500, do: 'release' },
    { at: 2_600, do: 'stop', device: 'arm' },
    { at: 3_500, do: 'release' },
  ]),
  'people at a device': scenario([
    { at: 100, do: 'look', device: 'arm' },
    { at: 200, do: 'call', device: 'arm', function: 'move', ms: 400 },
    run,
  ]),
  'a laboratory that changes': scenario([{ at: 50, do: 'reload', device: 'washer' }, run]),
  'a device that does not start': scenario(
    [read],
    [
      { kind: 'init_fails', device: 'lab.reader', at: 50 },
      { kind: 'device_dies', device: 'lab.reader', at: 60 },
    ],
  ),
  'an agent that leaves': scenario([run, read], [{ kind: 'leave', who: 'pc_a', at: 500, ms: 500 }]),
  'an orchestrator that leaves': scenario(
    [run, read],
    [
      { kind: 'leave', who: 'orchestrator-1', at: 300, ms: 500 },
      { kind: 'leave', who: 'orchestrator-2', at: 320, ms: 500 },
    ],
  ),
  'a full disk': scenario([run, read], [{ kind: 'disk_full', who: 'pc_a', at: 50, ms: 2_000 }]),
};

import type { DeviceName, TaskSketch } from './laboratory.js';
import type { Act, Fault, Schedule } from './schedule.js';

type Step = TaskSketch['steps'][number];

const call = (slot: string, called: string, ms: number): Step => ({ do: 'call', slot, function: called, ms });
const move = (slot: string, ms = 300): Step => call(slot, 'move', ms);

/** A protocol with every feature: a hold and a reference, local and remote calls, a file, a task without a device. */
const graph: TaskSketch[] = [
  { name: 'take', slots: { a: { device: 'arm' } }, hold: ['a'], steps: [move('a'), call('a', 'look', 20)] },
  {
    name: 'keep',
    needs: ['take'],
    slots: { a: { like: 'take', slot: 'a' } },
    steps: [call('a', 'set', 20), move('a')],
  },
  {
    name: 'both',
    beaker: true,
    slots: { a: { device: 'mixer' }, b: { device: 'washer' } },
    steps: [move('a'), move('b'), { do: 'write', file: 'data.txt', bytes: 200 }],
  },
  { name: 'think', needs: ['both'], slots: {}, steps: [{ do: 'think', ms: 100 }] },
];

const use = (device: DeviceName, ...steps: Step[]): TaskSketch => ({
  name: `use_${device}`,
  slots: { a: { device } },
  steps,
});
const single = use('reader', move('a', 1_500), move('a', 500));
const short = use('washer', move('a', 20));
const long = use('mixer', move('a', 4_000));
const throwing = use('arm', move('a', 50), { do: 'throw' });

const broken: TaskSketch[] = [
  { ...throwing, name: 'first' },
  { name: 'never', needs: ['first'], slots: {}, steps: [{ do: 'think', ms: 10 }] },
];

const careful: TaskSketch[] = [
  {
    name: 'again',
    slots: {},
    steps: [{ do: 'think', ms: 10 }, { do: 'throw' }],
    policy: { retry: { attempts: 2, backoff: 0.2 }, on_failure: 'skip' },
  },
  { ...long, name: 'late', policy: { timeout: 1, on_failure: 'ask' } },
];

const search = { name: 'search', search: true, tasks: [{ ...short, name: 'try', steps: [move('a', 500)] }] };

function scenario(acts: Act[], faults: Fault[] = [], more: Partial<Schedule> = {}): Schedule {
  return {
    seed: 7,
    protocols: [
      { name: 'graph', tasks: graph },
      { name: 'broken', tasks: broken },
      { name: 'careful', tasks: careful },
      ...(acts.some((act) => 'protocol' in act && act.protocol === 'search') ? [search] : []),
    ],
    tasks: [single, short, long, throwing],
    acts,
    faults,
    drivers: { stopsWithoutAgent: false, canReconcile: true, canStop: true },
    plansAhead: false,
    ...more,
  };
}

const submitTask = (name: string, device: DeviceName, priority = 0, at = 100): Act => ({
  ...{ at, do: 'submit_task', name, priority },
  ...{ type: `use_${device}`, slots: { a: device } },
});
const submitRun = (protocol: string): Act => ({
  at: 100,
  do: 'submit_run',
  name: 'run',
  protocol,
  priority: 0,
});
const submitCampaign = (at: number, protocol: string, runs = 2, beside = 1, optimize = false): Act => ({
  ...{ at, do: 'submit_campaign', protocol, runs, beside, optimize },
  name: optimize ? 'searching' : 'campaign',
});
const run = submitRun('graph');
const read = submitTask('read', 'reader', 1, 200);
const queued = submitTask('second', 'reader', 1, 300);
const lost = (what: 'lose' | 'lose_reply'): Fault => ({
  ...{ kind: 'message', name: 'agent.task.start', n: 1, fault: { what } },
});

/**
 * The scenarios that together reach every fault point: work without faults, and work with one fault before the point.
 */
export const scenarios: Readonly<Record<string, Schedule>> = {
  'a run and a task': scenario([run, read]),
  'a short task': scenario([submitTask('short', 'washer')]),
  'a run and a task that are planned ahead': scenario([run, read, queued], [], { plansAhead: true }),
  'a campaign': scenario([
    submitCampaign(100, 'graph'),
    { at: 3_000, do: 'cancel_campaign', name: 'campaign' },
  ]),
  'a campaign with an optimizer': scenario([
    submitCampaign(100, 'search', 3, 1, true),
    { at: 400, do: 'ask_optimizer', name: 'searching', protocol: 'search' },
  ]),
  'an optimizer that dies and one that leaves': scenario(
    [submitCampaign(100, 'search', 4, 2, true)],
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
    submitCampaign(200, 'broken'),
    { at: 350, do: 'change_campaign', name: 'campaign', priority: 3 },
    { at: 400, do: 'change_task', name: 'second', priority: 5 },
  ]),
  'a task that fails': scenario([submitTask('bad', 'arm'), { at: 300, do: 'cancel_task', name: 'bad' }, run]),
  'a start whose answer is lost': scenario([run, read], [lost('lose_reply')]),
  'a long task whose start is not answered': scenario([submitTask('long', 'mixer')], [lost('lose_reply')]),
  'a start that is lost': scenario([read], [lost('lose')]),
  'an agent that dies at work': scenario([run, read], [{ kind: 'crash', who: 'pc_a', at: 900, ms: 1_500 }]),
  'an agent that dies before it begins': scenario(
    [read],
    [{ kind: 'point', point: 'record begin', side: 'before', n: 1, action: 'kill', ms: 800 }],
  ),
  'a device that dies at work': scenario(
    [run, read],
    [{ kind: 'device_dies', device: 'lab.reader', at: 900 }],
  ),
  'questions that a person claims': scenario(
    [read, { at: 2_500, do: 'claim_questions' }],
    [{ kind: 'device_dies', device: 'lab.reader', at: 900 }],
    { drivers: { stopsWithoutAgent: false, canReconcile: false, canStop: false } },
  ),
  'a device that dies and cannot tell': scenario(
    [read],
    [{ kind: 'device_dies', device: 'lab.reader', at: 900 }],
    { drivers: { stopsWithoutAgent: false, canReconcile: false, canStop: false } },
  ),
  'a run that fails': scenario([submitRun('broken')]),
  'failures by policy': scenario([submitRun('careful')]),
  'pauses of everything': scenario([
    { at: 50, do: 'pause_queue' },
    run,
    { at: 200, do: 'pause_run', name: 'run' },
    submitCampaign(300, 'broken'),
    { at: 400, do: 'pause_campaign', name: 'campaign' },
    { at: 900, do: 'resume_queue' },
    { at: 1_500, do: 'resume_run', name: 'run' },
    { at: 1_600, do: 'resume_campaign', name: 'campaign' },
  ]),
  'drains of everything': scenario([
    { at: 50, do: 'drain' },
    run,
    submitCampaign(60, 'graph', 3),
    { at: 300, do: 'end_drain' },
    { at: 600, do: 'drain', name: 'campaign' },
    { at: 2_000, do: 'end_drain', name: 'campaign' },
  ]),
  'a resource that is put back': scenario([
    { at: 50, do: 'reset_resource', name: 'beaker', force: false },
    run,
    { at: 400, do: 'reset_resource', name: 'beaker', force: false },
    { at: 450, do: 'set_resource', name: 'beaker', force: true },
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
  'work that is deleted and kept': scenario([
    run,
    read,
    { at: 300, do: 'delete', kind: 'protocol_run', name: 'run' },
    { at: 6_000, do: 'delete', kind: 'protocol_run', name: 'run' },
    { at: 6_000, do: 'restore', kind: 'protocol_run', name: 'run' },
    { at: 6_000, do: 'delete', kind: 'task_run', name: 'read' },
    { at: 6_100, do: 'keep', kind: 'task_run', name: 'read' },
    { at: 6_200, do: 'hold', kind: 'protocol_run', name: 'run' },
    { at: 6_300, do: 'delete', kind: 'protocol_run', name: 'run' },
    { at: 6_400, do: 'release_hold' },
  ]),
  'an emergency stop': scenario([
    run,
    read,
    { at: 500, do: 'stop' },
    { at: 2_500, do: 'release' },
    { at: 2_600, do: 'stop', device: 'arm' },
    { at: 3_500, do: 'release' },
  ]),
  'devices out of service': scenario([
    { at: 50, do: 'disable', device: 'arm' },
    { at: 60, do: 'disable', device: 'mixer', ms: 900 },

    run,
    read,
    { at: 1_500, do: 'enable', device: 'arm' },
  ]),
  'drained computers': scenario([
    { at: 50, do: 'drain_computer', computer: 'pc_a', ms: 900 },
    { at: 60, do: 'drain_computer', computer: 'svc_computer' },
    run,
    read,
    { at: 1_500, do: 'resume_computer', computer: 'svc_computer' },
  ]),
  'reserved devices': scenario([
    { at: 50, do: 'reserve', device: 'arm', after: 0, ms: 900 },
    { at: 60, do: 'reserve', device: 'mixer', after: 400, ms: 60_000 },
    run,
    read,
    { at: 2_500, do: 'end_reservation' },
  ]),
  'people at a device': scenario([
    { at: 50, do: 'restart', device: 'reader' },
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

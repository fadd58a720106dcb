import { expect, it } from 'vitest';
import { invariants, judge, type Facts, type Invariant } from '../../src/invariants/index.js';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Records of one task that moved a device, returned and stored a file. */
function sound(): Mutable<Facts> {
  const file = { name: 'f', size: 3, sha256: 'aa' };
  return {
    motions: [{ device: 'lab.arm', call: 'a1#1', attempt: 'a1', at: 20, end: 30 }],
    attempts: [
      {
        ...{ id: 'a1', task: 't1', number: 1, state: 'completed', createdAt: 10, settledAt: 50, overAt: 50 },
        ...{ decided: false, devices: ['lab.arm'], fences: new Map([['lab.arm', 1]]) },
      },
    ],
    tasks: [
      { id: 't1', name: 't', state: 'completed', attempt: 1, outputs: { n: 1 }, motions: 1, files: [file] },
    ],
    executions: [{ attempt: 'a1', beganAt: 15, returned: { outputs: { n: 1 }, exact: true }, files: [file] }],
    submissions: [{ name: 't', state: 'completed', cancelRequested: false }],
    calls: [{ computer: 'pc', device: 'lab.arm', call: 'a1#1', fence: 1 }],
    owners: new Map([
      [
        'device:lab.arm',
        [
          { at: 10, taskRunId: 't1', heldByRunId: null, fence: 1 },
          { at: 50, taskRunId: null, heldByRunId: null, fence: 1 },
        ],
      ],
    ]),
    stops: [{ id: 's', scope: 'lab:lab', from: 100, until: 200, heardAt: () => 100 }],
    results: [{ computer: 'pc', attempt: 'a1', outcome: 'completed', recordedAs: ['completed'] }],
    stored: new Map([['a1/f', file]]),
    events: [{ aggregate: 'task_run/t1', seq: 1, type: 'task_run.completed' }],
    states: new Map([['task_run/t1', 'completed']]),
    writes: [{ what: 'a commit', at: 10, epoch: 1 }],
    leaderships: [{ at: 0, epoch: 1 }],
    questions: [{ what: 'a person was asked', needless: false }],
    trials: [{ number: 1, run: 'r1', state: 'measured', inputs: { 't.n': 3 }, outputs: { 't.n': 1 } }],
    searchedRuns: [
      {
        ...{ id: 'r', name: 'r1', state: 'completed', over: true, parameters: { t: { n: 3 } } },
        expected: () => ({ 't.n': 3 }),
        measured: new Map([['t.n', 1]]),
      },
    ],
    allocations: [{ unit: 'device:lab.arm', taskRunId: null, heldByRunId: null }],
    left: [],
  };
}

const brokenBy = (change: (facts: Mutable<Facts>) => void): Set<Invariant> => {
  const facts = sound();
  change(facts);
  return new Set(judge(facts).map(({ invariant }) => invariant));
};

/** Copies of the items with some fields changed. */
const changed = <Item extends object>(items: readonly Item[] | undefined, fields: Partial<Item>): Item[] =>
  (items ?? []).map((item) => ({ ...item, ...fields }));

it('the judge finds nothing in sound facts', () => {
  expect(judge(sound())).toEqual([]);
});

const breaks: [Invariant, string, (facts: Mutable<Facts>) => void][] = [
  [
    'I1',
    'two motions overlap',
    (f) => (f.motions = [...f.motions, ...changed(f.motions, { call: 'a1#2', at: 25 })]),
  ],
  [
    'I1',
    'a call moves twice',
    (f) => (f.motions = [...f.motions, ...changed(f.motions, { at: 31, end: 32 })]),
  ],
  ['I2', 'an attempt moves after its end', (f) => (f.attempts = changed(f.attempts, { settledAt: 15 }))],
  ['I2', 'an unknown attempt moves', (f) => (f.motions = changed(f.motions, { attempt: 'x' }))],
  ['I2', 'an attempt runs twice', (f) => (f.executions = [...f.executions, ...f.executions])],
  [
    'I2',
    'an attempt that never ran has run',
    (f) => (f.attempts = changed(f.attempts, { state: 'never_ran' })),
  ],
  [
    'I2',
    'an attempt runs before the one before is over',
    (f) =>
      (f.attempts = [
        ...f.attempts,
        ...changed(f.attempts, { id: 'a0', number: 0, state: 'failed', overAt: 16 }),
      ]),
  ],
  [
    'I3',
    'a device returns to an earlier attempt',
    (f) =>
      (f.motions = [
        ...f.motions,
        ...changed(f.motions, { attempt: 'a2', call: 'a2#1', at: 35, end: 36 }),
        ...changed(f.motions, { call: 'a1#2', at: 40, end: 41 }),
      ]),
  ],
  ['I3', 'a fence falls', (f) => (f.calls = [...changed(f.calls, { fence: 2 }), ...(f.calls ?? [])])],
  [
    'I3',
    'a device is given away before its motion ends',
    (f) => (f.motions = changed(f.motions, { end: 60 })),
  ],
  ['I3', 'a motion has an old fence', (f) => (f.attempts = changed(f.attempts, { fences: new Map() }))],
  [
    'I4',
    'accepted work is not recorded',
    (f) => (f.submissions = changed(f.submissions, { state: undefined })),
  ],
  ['I4', 'accepted work is not over', (f) => (f.submissions = changed(f.submissions, { state: 'running' }))],
  [
    'I4',
    'nobody asked for a cancellation',
    (f) => (f.submissions = changed(f.submissions, { state: 'cancelled' })),
  ],
  ['I4', 'a task is not over', (f) => (f.tasks = changed(f.tasks, { state: 'running' }))],
  ['I5', 'outputs differ', (f) => (f.tasks = changed(f.tasks, { outputs: { n: 2 } }))],
  [
    'I5',
    'a completed attempt did not return',
    (f) => (f.executions = changed(f.executions, { returned: undefined })),
  ],
  [
    'I5',
    'a result is recorded otherwise',
    (f) => (f.results = changed(f.results, { recordedAs: ['failed'] })),
  ],
  ['I5', 'an end is recorded twice', (f) => (f.attempts = changed(f.attempts, { ends: 2 }))],
  ['I5', 'no attempt completed the task', (f) => (f.attempts = changed(f.attempts, { state: 'failed' }))],
  ['I5', 'a task says more motions than were made', (f) => (f.tasks = changed(f.tasks, { motions: 2 }))],
  ['I6', 'a file is recorded otherwise', (f) => (f.tasks = changed(f.tasks, { files: [] }))],
  ['I6', 'a file is not stored', (f) => (f.stored = new Map())],
  ['I7', 'an event is missing', (f) => (f.events = changed(f.events, { seq: 2 }))],
  ['I7', 'the last event gives another state', (f) => (f.states = new Map([['task_run/t1', 'failed']]))],
  ['I7', 'running work is archived', (f) => (f.events = [{ aggregate: 'x', seq: 1, type: 'x.archived' }])],
  ['I8', 'a deposed leader writes', (f) => (f.leaderships = [{ at: 0, epoch: 2 }])],
  ['I8', 'an epoch falls', (f) => (f.writes = [...changed(f.writes, { epoch: 2 }), ...(f.writes ?? [])])],
  ['I9', 'a question is needless', (f) => (f.questions = changed(f.questions, { needless: true }))],
  [
    'I10',
    'a device is still allocated',
    (f) => (f.allocations = changed(f.allocations, { taskRunId: 't1' })),
  ],
  ['I10', 'something is left behind', (f) => (f.left = ['a process'])],
  ['I11', 'a run has no trial', (f) => (f.trials = [])],
  ['I11', 'two trials are of one run', (f) => (f.trials = [...(f.trials ?? []), ...(f.trials ?? [])])],
  [
    'I11',
    'a run has other parameters',
    (f) => (f.searchedRuns = changed(f.searchedRuns, { parameters: {} })),
  ],
  ['I11', 'a completed run is not measured', (f) => (f.trials = changed(f.trials, { state: 'failed' }))],
  ['I11', 'a run was measured otherwise', (f) => (f.trials = changed(f.trials, { outputs: { 't.n': 2 } }))],
  ['stop', 'an attempt begins while stopped', (f) => (f.stops = changed(f.stops, { from: 5 }))],
  [
    'stop',
    'a device moves while stopped',
    (f) =>
      (f.stops = changed(f.stops, {
        from: -2_000,
        until: 25,
        heardAt: () => -2_000,
        scope: 'device:lab.arm',
      })),
  ],
  ['defect', 'the source found one', (f) => (f.found = [{ invariant: 'defect', what: 'an error' }])],
];

it.each(breaks)('the judge finds %s when %s', (invariant, _, change) => {
  expect(brokenBy(change)).toContain(invariant);
});

it('the judge has a case for every invariant', () => {
  expect([...new Set(breaks.map(([invariant]) => invariant))].sort()).toEqual(Object.keys(invariants).sort());
});

it('the judge tolerates the share of needless questions that the source names', () => {
  const facts = sound();
  const questions = Array.from({ length: 100 }, (_, n) => ({
    what: 'a person was asked',
    needless: n === 0,
  }));
  expect(judge({ ...facts, questions, needlessShare: 0.01 })).toEqual([]);
  expect(judge({ ...facts, questions, needlessShare: 0 })).toHaveLength(1);
});

import { describe, expect, it } from 'vitest';
// @ts-expect-error -- plain JavaScript
import { check as plainCheck, invariants as table } from '../chaos/check.ts';

/** The judge of chaos can fail: a history that holds passes, and each way of breaking it is told by its invariant. */

type Row = Record<string, unknown>;

interface Ledger {
  computer: string;
  damage: string | null;
  openAttempts: string[];
  openCalls: string[];
  halts: string[];
  records: Row[];
}

interface Evidence {
  submitted: Row[];
  tasks: Row[];
  runs: Row[];
  attempts: Row[];
  allocations: Row[];
  attention: Row[];
  halts: Row[];
  events: Row[];
  motions: Row[];
  returns: Map<string, Row>;
  downloads: Map<string, Row>;
  ledgers: [Ledger, ...Ledger[]];
  starts: Row[];
  left: string[];
}

const check = plainCheck as (evidence: Evidence) => Record<string, string[]>;

const arm = { lab: 'lab', name: 'arm', computer: 'bench' };

/** A task that failed in the middle, was asked about, and was done by its second attempt; and its file. */
function sound(): Evidence {
  const file = { name: 'data.bin', size: 3, sha256: 'abc' };
  const attempt = (number: number, more: Row): Row => ({
    id: `a${number}`,
    task_run_id: 't',
    number,
    epoch: String(number),
    computer: 'bench',
    devices: { arm },
    reason: null,
    ...more,
  });
  const motion = (call_id: string, at: number, more: Row): Row => ({
    device: 'arm',
    call_id,
    at,
    until: at + 10,
    end: at + 10,
    ...more,
  });
  const begun = (callId: string, fence: number): Row => ({
    type: 'call_begin',
    call: { callId, device: 'lab.arm', kind: 'effect', attemptId: callId.split('/')[0], fence },
  });
  return {
    submitted: [
      { name: 'dose', accepted: true, over: true, state: 'completed', cancelled: false },
      { name: 'given_up', accepted: true, over: true, state: 'cancelled', cancelled: true },
      { name: 'unheard', accepted: false, over: false, state: undefined, cancelled: false },
    ],
    tasks: [
      {
        id: 't',
        name: 'dose',
        type: 'work',
        run_id: 'r',
        state: 'completed',
        output_parameters: { moved: 1, token: 'yes' },
        output_files: [file],
      },
    ],
    runs: [{ id: 'r', name: 'run', state: 'completed' }],
    attempts: [
      attempt(1, { state: 'failed', created_at: 100, ended_at: 190, reason: { code: 'agent_lost' } }),
      attempt(2, { state: 'completed', created_at: 200, ended_at: 230 }),
    ],
    allocations: [{ kind: 'device', key: 'lab.arm', task_run_id: null, held_by_run_id: null }],
    attention: [
      {
        id: 'q1',
        kind: 'task',
        state: 'resolved',
        attempt_id: 'a1',
        reason: { code: 'outcome_unknown', message: '' },
        resolution: { action: 'retry' },
        opened_at: 140,
      },
      {
        id: 'q2',
        kind: 'device',
        state: 'resolved',
        attempt_id: null,
        device: 'lab.arm',
        reason: { code: 'device_uncertain', message: '' },
        resolution: { action: 'idle' },
      },
    ],
    halts: [{ id: 'h', scope: 'device:lab.arm', at: 150, released_at: 180 }],
    events: [
      { aggregate: 'task_run/t', seq: 1 },
      { aggregate: 'task_run/u', seq: 1 },
      { aggregate: 'task_run/t', seq: 2 },
    ],
    motions: [motion('a1/1', 110, { end: undefined }), motion('a2/1', 210, {})],
    returns: new Map([['a2', { attempt: 'a2', token: 'yes', moved: 1, bytes: 3, sha256: 'abc' }]]),
    downloads: new Map([['t', { status: 200, size: 3, sha256: 'abc' }]]),
    ledgers: [
      {
        computer: 'bench',
        damage: null,
        openAttempts: [],
        openCalls: [],
        halts: [],
        records: [
          begun('a1/1', 1),
          begun('a2/1', 2),
          { type: 'result', attemptId: 'a2', outcome: { kind: 'completed' } },
        ],
      },
    ],
    starts: [{ name: 'agent_bench', at: 50 }],
    left: [],
  };
}

const change = (rows: Row[], index: number, patch: Row): void => {
  rows[index] = { ...rows[index], ...patch };
};

/** Each takes a sound history and breaks it in one way. */
const broken: Record<string, [what: string, act: (evidence: Evidence) => void][]> = {
  I1: [
    ['a call moves an instrument twice', (e) => e.motions.push({ ...e.motions[1], at: 300, end: 310 })],
    ['a motion begins during another', (e) => change(e.motions, 1, { at: 115 })],
  ],
  I2: [
    ['an attempt that is not in the record moves', (e) => change(e.motions, 1, { call_id: 'ghost/1' })],
    [
      'an attempt moves after a later one',
      (e) => {
        change(e.attempts, 0, { ended_at: 500 });
        e.motions.push({ ...e.motions[0], call_id: 'a1/2', device: 'other', at: 400, until: 410 });
      },
    ],
    ['an attempt moves after its end was recorded', (e) => change(e.attempts, 1, { ended_at: 205 })],
    ['an attempt that never ran has moved', (e) => change(e.attempts, 0, { state: 'never_ran' })],
  ],
  I3: [
    [
      'an instrument hears of its earlier owner again',
      (e) => e.motions.push({ ...e.motions[0], call_id: 'a1/2', at: 400, until: 410 }),
    ],
    ['a call with an old fence is made', (e) => e.ledgers[0].records.reverse()],
    ['something starts while it is stopped', (e) => change(e.halts, 0, { released_at: 220 })],
    ['something starts while everything is stopped', (e) => change(e.halts, 0, { at: 90, scope: 'all' })],
    [
      'something starts while the queue is paused and never resumed',
      (e) => change(e.halts, 0, { at: 190, scope: 'queue', released_at: null }),
    ],
  ],
  I4: [
    ['accepted work does not end', (e) => change(e.submitted, 0, { over: false, state: 'running' })],
    ['accepted work is cancelled by nobody', (e) => change(e.submitted, 1, { cancelled: false })],
    ['a task of the record does not end', (e) => change(e.tasks, 0, { state: 'needs_attention' })],
    ['a run of the record does not end', (e) => change(e.runs, 0, { state: 'paused' })],
  ],
  I5: [
    ['a task completes twice', (e) => change(e.attempts, 0, { state: 'completed' })],
    [
      'a task is completed by nothing',
      (e) => {
        change(e.attempts, 1, { state: 'failed' });
        e.ledgers[0].records.pop();
      },
    ],
    [
      'a record says more than was done',
      (e) => change(e.tasks, 0, { output_parameters: { moved: 2, token: 'yes' } }),
    ],
    [
      'a record says something else',
      (e) => change(e.tasks, 0, { output_parameters: { moved: 1, token: 'no' } }),
    ],
    ['a task is completed that never returned', (e) => e.returns.clear()],
    [
      'a result of a ledger never reached the record',
      (e) => {
        change(e.attempts, 1, { state: 'failed' });
        change(e.tasks, 0, { state: 'failed' });
      },
    ],
  ],
  I6: [
    [
      'the record of a file differs',
      (e) => change(e.tasks, 0, { output_files: [{ name: 'data.bin', size: 3, sha256: 'abd' }] }),
    ],
    ['the record has no file', (e) => change(e.tasks, 0, { output_files: [] })],
    ['a file cannot be downloaded', (e) => e.downloads.set('t', { status: 404, size: 3, sha256: 'abc' })],
    ['another content is downloaded', (e) => e.downloads.set('t', { status: 200, size: 3, sha256: 'abd' })],
  ],
  I7: [
    ['an event is missing', (e) => change(e.events, 2, { seq: 3 })],
    ['an event is told twice', (e) => change(e.events, 2, { seq: 1 })],
  ],
  I8: [['an earlier leader decides after a later one', (e) => change(e.attempts, 1, { epoch: '0' })]],
  I9: [
    [
      'a person is asked about a task that never ran',
      (e) => {
        change(e.attempts, 0, { state: 'never_ran' });
        e.motions.shift();
      },
    ],
    [
      'a person is asked about a task that did nothing',
      (e) => {
        e.motions.shift();
        e.ledgers[0].records.shift();
      },
    ],
    [
      'a person is asked about an instrument that was told nothing',
      (e) => change(e.attention, 1, { device: 'lab.other' }),
    ],
  ],
  I10: [
    ['a device is held by a task', (e) => change(e.allocations, 0, { task_run_id: 't' })],
    ['a device is held by a run', (e) => change(e.allocations, 0, { held_by_run_id: 'r' })],
    ['a question is open', (e) => change(e.attention, 0, { state: 'open' })],
    ['a ledger is damaged', (e) => void (e.ledgers[0].damage = 'a hole at 12')],
    ['a result is not acknowledged', (e) => e.ledgers[0].openAttempts.push('dose')],
    ['a call has no known end', (e) => e.ledgers[0].openCalls.push('move of lab.arm')],
    ['an agent keeps to a stop that is over', (e) => e.ledgers[0].halts.push('all')],
    ['a process or a file is left', (e) => e.left.push('process 7 is left')],
  ],
};

it('finds nothing in a history that holds', () => {
  expect(check(sound())).toEqual(Object.fromEntries(Object.keys(table as object).map((name) => [name, []])));
});

it('can break every invariant there is', () => {
  expect(Object.keys(broken)).toEqual(Object.keys(table as object));
});

describe.each(Object.entries(broken))('%s is violated when', (name, ways) => {
  it.each(ways)('%s', (_, act) => {
    const evidence = sound();
    act(evidence);
    expect(check(evidence)[name]).toEqual([expect.any(String)]);
  });
});

it('lets a person be asked about a task that had begun when its agent ended, and judges no ledger collected since', () => {
  const asked = (begun: boolean, startedAt: number): number => {
    const evidence = sound();
    evidence.motions.shift();
    evidence.ledgers[0].records.shift();
    evidence.ledgers[0].records.unshift({ type: begun ? 'begin' : 'accept', attemptId: 'a1' });
    evidence.starts.push({ name: 'agent_bench', at: startedAt });
    return check(evidence)['I9']?.length ?? NaN;
  };
  expect([asked(true, 130), asked(false, 130), asked(true, 90), asked(true, 150)]).toEqual([0, 1, 1, 0]);
});

it('lets a person decide before a result arrives', () => {
  const evidence = sound();
  evidence.ledgers[0].records.push({ type: 'result', attemptId: 'a1', outcome: { kind: 'completed' } });
  expect(check(evidence)['I5']).toEqual([]);
});

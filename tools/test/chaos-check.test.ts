import { describe, expect, it } from 'vitest';
import type { AttemptRow, EventRow, Evidence, LedgerEntry, LedgerEvidence } from '../chaos/evidence.js';
import type { Motion } from '../chaos/instruments.js';
import { observed, violationsOf } from '../chaos/facts.js';
import type { Submitted } from '../chaos/work.js';

/**
 * The judge of chaos can fail: it accepts a sound history, and each way to break the history violates its invariant.
 */

type SoundEvidence = Evidence & { ledgers: [LedgerEvidence, ...LedgerEvidence[]] };

const arm = { lab: 'lab', name: 'arm', computer: 'bench' };

/** A task whose first attempt failed in the middle, and whose second attempt a person allowed; and its file. */
function sound(): SoundEvidence {
  const file = { name: 'data.bin', size: 3, sha256: 'abc' };
  const attempt = (number: number, more: Pick<AttemptRow, 'state' | 'created_at'>): AttemptRow => ({
    id: `a${number}`,
    task_run_id: 't',
    number,
    epoch: String(number),
    computer: 'bench',
    devices: { arm },
    ...more,
  });
  const motion = (call_id: string, at: number, more: Partial<Motion>): Motion => ({
    device: 'lab.arm',
    call_id,
    at,
    until: at + 10,
    end: at + 10,
    ...more,
  });
  const event = (aggregate: string, seq: number, type: string, at: number): EventRow => ({
    aggregate,
    seq,
    type,
    at,
  });
  const begun = (callId: string, fence: number): LedgerEntry => ({
    type: 'call_begin',
    call: { callId, device: 'lab.arm', kind: 'effect', attemptId: callId.split('/')[0] ?? '', fence },
  });
  const submission = (name: string, more: Partial<Submitted>): Submitted => ({
    name,
    isRun: false,
    accepted: true,
    over: true,
    cancelled: false,
    record: undefined,
    ...more,
  });
  return {
    submitted: [
      submission('dose', { record: { state: 'completed' } }),
      submission('given_up', { record: { state: 'cancelled' }, cancelled: true }),
      submission('unanswered', { accepted: false, over: false }),
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
      attempt(1, { state: 'failed', created_at: 100 }),
      attempt(2, { state: 'completed', created_at: 200 }),
    ],
    allocations: [{ kind: 'device', key: 'lab.arm', task_run_id: null, held_by_run_id: null }],
    attention: [
      {
        id: 'q1',
        kind: 'task',
        state: 'resolved',
        attempt_id: 'a1',
        device: null,
        computer: null,
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
        computer: 'bench',
        reason: { code: 'device_uncertain', message: '' },
        resolution: { action: 'idle' },
        opened_at: 140,
      },
    ],
    stops: [{ scope: 'device:lab.arm', at: 150, released_at: 180 }],
    events: [
      event('task_run/t', 1, 'task_run.running', 100),
      event('task_run/u', 1, 'task_run.running', 100),
      event('attempt/a1', 1, 'attempt.running', 105),
      event('attempt/a1', 2, 'attempt.needs_attention', 140),
      event('attempt/a1', 3, 'attempt.failed', 190),
      event('attempt/a2', 1, 'attempt.running', 205),
      event('attempt/a2', 2, 'attempt.completed', 230),
      event('task_run/t', 2, 'task_run.completed', 230),
    ],
    motions: [motion('a1/1', 110, { end: undefined }), motion('a2/1', 210, {})],
    returns: [{ attempt: 'a2', token: 'yes', moved: 1, bytes: 3, sha256: 'abc' }],
    downloads: new Map([['t', { status: 200, size: 3, sha256: 'abc' }]]),
    ledgers: [
      {
        computer: 'bench',
        damage: null,
        openAttempts: [],
        openCalls: [],
        stops: [],
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

function change<T extends object>(rows: T[], index: number, patch: Partial<T>): void {
  rows[index] = { ...rowAt(rows, index), ...patch };
}

function rowAt<T>(rows: readonly T[], index: number): T {
  const row = rows[index];
  if (row === undefined) throw new Error(`there is no row ${index}`);
  return row;
}

/** Each function breaks a sound history in one way. */
const broken: Record<(typeof observed)[number], [what: string, act: (evidence: SoundEvidence) => unknown][]> =
  {
    I1: [
      [
        'a call moves an instrument twice',
        (e) => e.motions.push({ ...rowAt(e.motions, 1), at: 300, end: 310 }),
      ],
      ['a motion begins during another', (e) => change(e.motions, 1, { at: 115 })],
    ],
    I2: [
      [
        'an attempt that the database does not have moves',
        (e) => change(e.motions, 1, { call_id: 'ghost/1' }),
      ],
      [
        'an attempt moves after a later one',
        (e) => {
          change(e.events, 3, { at: 500 });
          change(e.events, 4, { at: 500 });
          e.motions.push({ ...rowAt(e.motions, 0), call_id: 'a1/2', device: 'other', at: 400, until: 410 });
        },
      ],
      [
        'an attempt moves after a person was asked about it',
        (e) => change(e.motions, 0, { at: 150, until: 160 }),
      ],
      ['an attempt moves after its end was recorded', (e) => change(e.events, 6, { at: 205 })],
      ['a task runs twice in one attempt', (e) => e.returns.push(rowAt(e.returns, 0))],
      ['an attempt that never ran has moved', (e) => change(e.attempts, 0, { state: 'never_ran' })],
    ],
    I3: [
      [
        'an instrument receives a call of its earlier owner',
        (e) => e.motions.push({ ...rowAt(e.motions, 0), call_id: 'a1/2', at: 400, until: 410 }),
      ],
      ['a call with an old fence is made', (e) => e.ledgers[0].records.reverse()],
    ],
    I4: [
      [
        'accepted work does not end',
        (e) => change(e.submitted, 0, { over: false, record: { state: 'running' } }),
      ],
      ['accepted work is cancelled without a request', (e) => change(e.submitted, 1, { cancelled: false })],
      ['a task of the database does not end', (e) => change(e.tasks, 0, { state: 'needs_attention' })],
      ['a run of the database does not end', (e) => change(e.runs, 0, { state: 'paused' })],
    ],
    I5: [
      ['a task completes twice', (e) => change(e.attempts, 0, { state: 'completed' })],
      [
        'a task is completed without a completed attempt',
        (e) => {
          change(e.attempts, 1, { state: 'failed' });
          e.ledgers[0].records.pop();
        },
      ],
      [
        'a record reports more motions than the instruments made',
        (e) => change(e.tasks, 0, { output_parameters: { moved: 2, token: 'yes' } }),
      ],
      [
        'a record has another result than the task returned',
        (e) => change(e.tasks, 0, { output_parameters: { moved: 1, token: 'no' } }),
      ],
      ['a task is completed and never returned', (e) => e.returns.pop()],
      [
        'a result of a ledger is missing in the database',
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
      [
        'a download has another content',
        (e) => e.downloads.set('t', { status: 200, size: 3, sha256: 'abd' }),
      ],
    ],
    I7: [
      ['an event is missing', (e) => change(e.events, 7, { seq: 3 })],
      ['an event has the number of another one', (e) => change(e.events, 7, { seq: 1 })],
    ],
    I8: [
      ['an earlier leader makes an attempt after a later one', (e) => change(e.attempts, 1, { epoch: '0' })],
    ],
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
        'a person is asked about an instrument that received no effect',
        (e) => change(e.attention, 1, { device: 'lab.other' }),
      ],
    ],
    I10: [
      ['a device is held by a task', (e) => change(e.allocations, 0, { task_run_id: 't' })],
      ['a device is held by a run', (e) => change(e.allocations, 0, { held_by_run_id: 'r' })],
      ['an attention item is open', (e) => change(e.attention, 0, { state: 'open' })],
      ['a ledger is damaged', (e) => void (e.ledgers[0].damage = 'a hole at 12')],
      ['a result is not acknowledged', (e) => e.ledgers[0].openAttempts.push('dose')],
      ['a call is open', (e) => e.ledgers[0].openCalls.push('move of lab.arm')],
      ['an agent keeps an emergency stop that was released', (e) => e.ledgers[0].stops.push('all')],
      ['a process or a file is left', (e) => e.left.push('process 7 is left')],
    ],
    stop: [
      [
        'an attempt begins during an emergency stop of its device',
        (e) => change(e.stops, 0, { released_at: 220 }),
      ],
      [
        'an attempt begins during an emergency stop of everything',
        (e) => change(e.stops, 0, { at: 90, scope: 'all' }),
      ],
      [
        'an attempt begins during a queue pause that never ends',
        (e) => change(e.stops, 0, { at: 190, scope: 'queue', released_at: null }),
      ],
    ],
  };

const found = (evidence: Evidence, name: string): string[] =>
  violationsOf(evidence)
    .filter(({ invariant }) => invariant === name)
    .map(({ what }) => what);

it('accepts a sound history', () => {
  expect(violationsOf(sound())).toEqual([]);
});

it('has a broken history for every invariant that it checks', () => {
  expect(Object.keys(broken)).toEqual([...observed]);
});

describe.each(Object.entries(broken))('%s is violated when', (name, ways) => {
  it.each(ways)('%s', (_, act) => {
    const evidence = sound();
    act(evidence);
    expect(found(evidence, name)).toEqual([expect.any(String)]);
  });
});

it('accepts a question about a task that ran when its agent ended, and ignores a ledger that was opened again since', () => {
  const asked = (begun: boolean, startedAt: number): number => {
    const evidence = sound();
    evidence.motions.shift();
    evidence.ledgers[0].records.shift();
    evidence.ledgers[0].records.unshift({ type: begun ? 'begin' : 'accept', attemptId: 'a1' });
    evidence.starts.push({ name: 'agent_bench', at: startedAt });
    return found(evidence, 'I9').length;
  };
  expect([asked(true, 130), asked(false, 130), asked(true, 90), asked(true, 150)]).toEqual([0, 1, 1, 0]);
});

it('accepts the decision of a person before a result arrives', () => {
  const evidence = sound();
  evidence.ledgers[0].records.push({ type: 'result', attemptId: 'a1', outcome: { kind: 'completed' } });
  expect(found(evidence, 'I5')).toEqual([]);
});

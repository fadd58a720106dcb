import {
  attemptStates,
  attemptTransitions,
  mayFollow,
  runStates,
  campaignTransitions,
  protocolRunTransitions,
  taskRunStates,
  taskRunTransitions,
  trialStates,
  trialTransitions,
} from '@lab/contracts';
import { describe, expect, it } from 'vitest';
import { applyChange } from '../../src/rows/apply-change.js';
import { type RowSet, allocationKey, emptyRowSet, rowSetOf } from '../../src/rows/row-set.js';
import type {
  AttemptRow,
  CampaignRow,
  Change,
  ProtocolRunRow,
  TaskRunRow,
  TrialRow,
} from '../../src/rows/rows.js';
import { newTaskRun } from '../../src/rows/rows.js';

const campaign: CampaignRow = {
  id: 'c',
  name: 'c',
  protocol: 'p',
  owner: '',
  submissionId: null,
  priority: 0,
  state: 'created',
  ending: null,
  reason: null,
  maxProtocolRuns: 1,
  maxConcurrentProtocolRuns: 1,
  optimize: false,
  optimizerIp: '',
  optimizer: null,
  globalParameters: {},
  protocolRunParameters: null,
  meta: {},
  runsStarted: 0,
  runsCompleted: 0,
  runsFailed: 0,
  failurePolicy: {},
  onRunFailure: 'stop',
  maxFailures: null,
  pausedAt: null,
  definitionHash: 'h',
  createdAt: 0,
  startedAt: null,
  endedAt: null,
};
const run: ProtocolRunRow = {
  id: 'r',
  name: 'r',
  type: 'p',
  owner: '',
  submissionId: null,
  priority: 0,
  campaignId: null,
  parameters: {},
  failurePolicy: {},
  pausedAt: null,
  meta: {},
  state: 'created',
  ending: null,
  reason: null,
  definitionHash: 'h',
  createdAt: 0,
  startedAt: null,
  endedAt: null,
};
const task = newTaskRun({
  id: 't',
  name: 't',
  type: 'x',
  runId: null,
  owner: '',
  submissionId: null,
  priority: 0,
  definitionHash: 'h',
  createdAt: 0,
});
const attempt: AttemptRow = {
  id: 'a',
  taskRunId: 't',
  number: 1,
  state: 'dispatching',
  computer: 'pc',
  inc: 1,
  epoch: 1,
  devices: {},
  reason: null,
  calls: null,
  runtime: null,
  deadlineAt: null,
  createdAt: 0,
  endedAt: null,
};

const trial: TrialRow = {
  id: 'c/1',
  campaignId: 'c',
  number: 1,
  run: 'c_run_1',
  source: 'optimizer',
  state: 'proposed',
  inputs: {},
  outputs: null,
  additional: {},
  note: {},
  durations: null,
};

function rowsWith(rows: {
  campaign?: Partial<CampaignRow>;
  run?: Partial<ProtocolRunRow>;
  task?: Partial<TaskRunRow>;
  attempt?: Partial<AttemptRow>;
  trial?: Partial<TrialRow>;
}): RowSet {
  return rowSetOf({
    campaigns: [{ ...campaign, ...rows.campaign }],
    protocolRuns: [{ ...run, ...rows.run }],
    taskRuns: [{ ...task, ...rows.task }],
    attempts: [{ ...attempt, ...rows.attempt }],
    trials: [{ ...trial, ...rows.trial }],
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
  });
}

const pairs = <State extends string>(states: readonly State[]): [State, State][] =>
  states.flatMap((from) => states.map((to): [State, State] => [from, to]));

describe('an update', () => {
  it.each(pairs(runStates))('takes a run or campaign from %s to %s only as the table permits', (from, to) => {
    const rows = rowsWith({ run: { state: from }, campaign: { state: from } });
    const allows = {
      updateProtocolRun: from === to || mayFollow(protocolRunTransitions, from, to),
      updateCampaign: from === to || mayFollow(campaignTransitions, from, to),
    };
    for (const op of ['updateProtocolRun', 'updateCampaign'] as const) {
      const allowed = allows[op];
      const change: Change = { op, id: op === 'updateCampaign' ? 'c' : 'r', patch: { state: to } };
      if (allowed) applyChange(rows, change);
      else expect(() => applyChange(rows, change)).toThrow(expect.objectContaining({ code: 'wrong_state' }));
    }
    expect(rows.protocolRuns.get('r')?.state).toBe(allows.updateProtocolRun ? to : from);
    expect(rows.campaigns.get('c')?.state).toBe(allows.updateCampaign ? to : from);
  });

  it.each(pairs(taskRunStates))('takes a task run from %s to %s only as the table permits', (from, to) => {
    const rows = rowsWith({ task: { state: from } });
    const allowed = from === to || mayFollow(taskRunTransitions, from, to);
    const change: Change = { op: 'updateTaskRun', id: 't', patch: { state: to } };
    if (allowed) applyChange(rows, change);
    else expect(() => applyChange(rows, change)).toThrow(expect.objectContaining({ code: 'wrong_state' }));
    expect(rows.taskRuns.get('t')?.state).toBe(allowed ? to : from);
  });

  it.each(pairs(attemptStates))('takes an attempt from %s to %s only as the table permits', (from, to) => {
    const rows = rowsWith({ attempt: { state: from } });
    const allowed = from === to || mayFollow(attemptTransitions, from, to);
    const change: Change = { op: 'updateAttempt', id: 'a', patch: { state: to } };
    if (allowed) applyChange(rows, change);
    else expect(() => applyChange(rows, change)).toThrow(expect.objectContaining({ code: 'wrong_state' }));
    expect(rows.attempts.get('a')?.state).toBe(allowed ? to : from);
  });

  it.each(pairs(trialStates))('takes a trial from %s to %s only as the table permits', (from, to) => {
    const rows = rowsWith({ trial: { state: from } });
    const allowed = from === to || mayFollow(trialTransitions, from, to);
    const change: Change = { op: 'updateTrial', id: 'c/1', patch: { state: to } };
    if (allowed) applyChange(rows, change);
    else expect(() => applyChange(rows, change)).toThrow(expect.objectContaining({ code: 'wrong_state' }));
    expect(rows.trials.get('c/1')?.state).toBe(allowed ? to : from);
  });

  it('of a run gives it no second trial', () => {
    for (const change of [
      { op: 'insertTrial', row: trial },
      { op: 'insertTrial', row: { ...trial, id: 'd/1', campaignId: 'd' } },
    ] satisfies Change[])
      expect(() => applyChange(rowsWith({}), change)).toThrow(
        expect.objectContaining({ code: 'wrong_state' }),
      );
  });

  it.each(['updateCampaign', 'updateProtocolRun', 'updateTaskRun', 'updateAttempt', 'updateTrial'] as const)(
    '%s of a missing row is a conflict',
    (op) => {
      expect(() => applyChange(emptyRowSet(), { op, id: 'nobody', patch: {} })).toThrow(
        expect.objectContaining({ code: 'wrong_state' }),
      );
    },
  );
});

describe('an allocation', () => {
  const claim = (fence: number, taskRunId = 't'): Change => ({
    op: 'claim',
    kind: 'device',
    key: 'l.d',
    taskRunId,
    fence,
    at: 5,
  });
  const pass = (fence: number, runId = 'r'): Change => ({
    op: 'pass',
    kind: 'device',
    key: 'l.d',
    runId,
    taskRunId: 'u',
    fence,
    at: 6,
  });
  const hold: Change = { op: 'hold', kind: 'device', key: 'l.d', taskRunId: 't', runId: 'r' };
  const release: Change = { op: 'release', kind: 'device', key: 'l.d', at: 7 };
  const play = (...changes: Change[]) => {
    const rows = emptyRowSet();
    for (const change of changes) applyChange(rows, change);
    return rows.allocations.get(allocationKey('device', 'l.d'));
  };
  const conflict = expect.objectContaining({ code: 'wrong_state' }) as Error;

  it('is claimed only while free, with the next fence', () => {
    expect(play(claim(1))).toEqual({
      kind: 'device',
      key: 'l.d',
      taskRunId: 't',
      heldByRunId: null,
      fence: 1,
      since: 5,
    });
    expect(() => play(claim(1), claim(2, 'u'))).toThrow(conflict);
    expect(() => play(claim(2))).toThrow(conflict);
    expect(() => play(claim(1), release, claim(1))).toThrow(conflict);
    expect(play(claim(1), release, claim(2, 'u'))).toMatchObject({ taskRunId: 'u', fence: 2 });
  });

  it('that is held passes only within its run, and nobody else can claim it', () => {
    expect(play(claim(1), hold, pass(2))).toMatchObject({
      taskRunId: 'u',
      heldByRunId: 'r',
      fence: 2,
      since: 6,
    });
    expect(() => play(claim(1), hold, pass(2, 'other'))).toThrow(conflict);
    expect(() => play(claim(1), pass(2))).toThrow(conflict);
    expect(() => play(claim(1), hold, claim(2, 'u'))).toThrow(conflict);
    expect(() => play(hold)).toThrow(conflict);
  });

  it('has no owner after its release and keeps its fence', () => {
    expect(play(claim(1), hold, release)).toMatchObject({
      taskRunId: null,
      heldByRunId: null,
      fence: 1,
      since: 7,
    });
  });
});

describe('an insert', () => {
  it('of a second unfinished attempt of a task is a conflict', () => {
    const rows = rowsWith({});
    expect(() => applyChange(rows, { op: 'insertAttempt', row: { ...attempt, id: 'b', number: 2 } })).toThrow(
      expect.objectContaining({ code: 'wrong_state' }),
    );
    applyChange(rows, { op: 'updateAttempt', id: 'a', patch: { state: 'never_ran' } });
    applyChange(rows, { op: 'insertAttempt', row: { ...attempt, id: 'b', number: 2 } });
    expect(rows.liveAttempts.get('t')).toBe('b');
  });

  it('of a used name is refused, except after the end of an on-demand task', () => {
    const rows = rowsWith({});
    const taken = expect.objectContaining({ code: 'duplicate_name' }) as Error;
    expect(() => applyChange(rows, { op: 'insertProtocolRun', row: { ...run, id: 'r2' } })).toThrow(taken);
    expect(() => applyChange(rows, { op: 'insertCampaign', row: { ...campaign, id: 'c2' } })).toThrow(taken);
    expect(() => applyChange(rows, { op: 'insertTaskRun', row: { ...task, id: 't2' } })).toThrow(taken);
    applyChange(rows, { op: 'updateTaskRun', id: 't', patch: { state: 'cancelled' } });
    applyChange(rows, { op: 'insertTaskRun', row: { ...task, id: 't2' } });
    expect(rows.onDemandNames.get('t')).toBe('t2');
  });
});

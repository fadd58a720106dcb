import { describe, expect, it } from 'vitest';
import type { AttemptRow, Counts, Change, TaskRunRow } from '@lab/engine';
import { Meter } from '@lab/runtime';
import { engineMeasures } from '../src/engine-metrics.js';

const counts: Counts = {
  tasks: {
    created: 1,
    queued: 2,
    running: 3,
    completed: 0,
    failed: 0,
    cancelled: 0,
    skipped: 0,
    needs_attention: 0,
  },
  agents: { online: 1, suspect: 0, offline: 0, draining: 0, incompatible: 0 },
  devices: {} as Counts['devices'],
  computers: { expected: 1, online: 1, missing: [], troubles: [] },
  attention: { runs_long: 0, clock_skew: 2 },
  stored: { records: 12, files: 3, bytes: 48_211 },
  quotaShares: { owner: 0.75, lab: 0 },
  planAgeMs: null,
};

function measured(present: Counts | undefined) {
  const meter = new Meter();
  const measures = engineMeasures(
    meter,
    () => present,
    () => 4,
  );
  const samplesOf = (name: string) => meter.read().find((family) => family.name === name)?.samples;
  return { measures, samplesOf };
}

const task = (id: string, queuedAt: number | null): Change => ({
  op: 'insertTaskRun',
  row: { id, queuedAt } as TaskRunRow,
});
const attempt = (id: string, createdAt: number): Change => ({
  op: 'insertAttempt',
  row: { id, createdAt } as AttemptRow,
});

describe('the work that the engine commits', () => {
  it('is counted as attempts by outcome and tasks by state, with waiting and running times', () => {
    const { measures, samplesOf } = measured(counts);
    measures.committed([task('t', 1_000), task('later', null)]);
    measures.committed([
      { op: 'updateTaskRun', id: 't', patch: { state: 'running', startedAt: 3_000 } },
      attempt('a', 3_000),
      { op: 'updateTaskRun', id: 'later', patch: { state: 'queued', queuedAt: 4_000 } },
    ]);
    measures.committed([
      { op: 'updateAttempt', id: 'a', patch: { state: 'running' } },
      { op: 'updateAttempt', id: 'a', patch: { state: 'completed', endedAt: 8_000 } },
      { op: 'updateTaskRun', id: 't', patch: { state: 'completed' } },
      { op: 'updateTaskRun', id: 'later', patch: { state: 'cancelled' } },
    ]);
    expect(samplesOf('svc_attempts_started_total')).toEqual([{ labels: {}, value: 1 }]);
    expect(samplesOf('svc_attempts_total')).toEqual([{ labels: { outcome: 'completed' }, value: 1 }]);
    expect(samplesOf('svc_tasks_ended_total')).toEqual([
      { labels: { state: 'completed' }, value: 1 },
      { labels: { state: 'cancelled' }, value: 1 },
    ]);
    expect(samplesOf('svc_dispatch_wait_seconds')).toMatchObject([{ value: 2 }]);
    expect(samplesOf('svc_attempt_seconds')).toMatchObject([{ value: 5 }]);
  });

  it('is measured by turns and commits, including failed ones', () => {
    const { measures, samplesOf } = measured(counts);
    measures.begin('turn')();
    measures.begin('commit')();
    for (const name of ['svc_turn_seconds', 'svc_commit_seconds'])
      expect(samplesOf(name)?.[0]?.counts?.reduce((sum, count) => sum + count, 0)).toBe(1);
  });
});

describe('the gauges of the engine', () => {
  it('are reported by state while this process leads', () => {
    const { samplesOf } = measured(counts);
    expect(samplesOf('svc_queue_length')).toEqual([{ labels: {}, value: 2 }]);
    expect(samplesOf('svc_tasks')).toContainEqual({ labels: { state: 'running' }, value: 3 });
    expect(samplesOf('svc_attention')).toContainEqual({ labels: { reason: 'clock_skew' }, value: 2 });
    expect(samplesOf('svc_epoch')).toEqual([{ labels: {}, value: 4 }]);
    expect(samplesOf('svc_plan_age_seconds')).toEqual([]);
    expect(samplesOf('svc_stored_records')).toEqual([{ labels: {}, value: 12 }]);
    expect(samplesOf('svc_stored_bytes')).toEqual([{ labels: {}, value: 48_211 }]);
    expect(samplesOf('svc_quota_share')).toContainEqual({ labels: { kind: 'owner' }, value: 0.75 });
  });

  it('are not reported by a standby, which reports that it does not lead', () => {
    const { samplesOf } = measured(undefined);
    expect(samplesOf('svc_leading')).toEqual([{ labels: {}, value: 0 }]);
    expect(samplesOf('svc_tasks')).toEqual([]);
  });
});

import { isTerminal, type AttemptState } from '@lab/contracts';
import type { Counts, Change, Measures } from '@lab/engine';
import type { Meter, Reading } from '@lab/runtime';

/** Upper bounds for durations inside the engine, in seconds. */
const shortTimes = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
/** Upper bounds for the times that tasks wait and run, in seconds. */
const longTimes = [0.01, 0.1, 1, 10, 60, 300, 1_800, 7_200, 43_200];

/** The outcome of an attempt, or that only a person can determine it. */
const isOutcome = (state: AttemptState): boolean => isTerminal(state) || state === 'needs_attention';

/** @param countAll undefined while another process leads: gauges show nothing then, counters continue */
export function engineMeasures(
  meter: Meter,
  countAll: () => Counts | undefined,
  epoch: () => number,
): Measures {
  const counts = ofOneMoment(countAll);
  const turn = meter.histogram('svc_turn_seconds', 'Time that a turn of the engine took.', shortTimes);
  const commit = meter.histogram('svc_commit_seconds', 'Time that a commit of a turn took.', shortTimes);
  const started = meter.counter('svc_attempts_started_total', 'Attempts that were sent to an agent.');
  const outcomes = meter.counter('svc_attempts_total', 'Attempts by what became of them.');
  const ended = meter.counter('svc_tasks_ended_total', 'Task runs that ended, by state.');
  const ran = meter.histogram(
    'svc_attempt_seconds',
    'Time from the start of an attempt to its end.',
    longTimes,
  );
  const waited = meter.histogram(
    'svc_dispatch_wait_seconds',
    'Time that a task waited in the queue.',
    longTimes,
  );
  const queued = new Recent();
  const begun = new Recent();

  const gauge = (name: string, help: string, read: (counts: Counts) => Reading[]): void =>
    meter.gauge(name, help, () => {
      const counted = counts();
      return counted === undefined ? [] : read(counted);
    });
  meter.gauge('svc_leading', 'Whether this process leads.', () => [
    { value: counts() === undefined ? 0 : 1 },
  ]);
  meter.gauge('svc_epoch', 'Number of the leadership.', () =>
    counts() === undefined ? [] : [{ value: epoch() }],
  );
  gauge('svc_tasks', 'Task runs that are not over, and those of runs that are not, by state.', ({ tasks }) =>
    byState(tasks),
  );
  gauge('svc_queue_length', 'Task runs that wait for what they need.', ({ tasks }) => [
    { value: tasks.queued },
  ]);
  gauge('svc_agents', 'Agents by state.', ({ agents }) => byState(agents));
  gauge('svc_devices', 'Devices of the loaded laboratories by state.', ({ devices }) => byState(devices));
  gauge('svc_attention', 'Open attention items by the code of their reason.', ({ attention }) =>
    Object.entries(attention).map(([reason, value]) => ({ labels: { reason }, value })),
  );
  gauge('svc_stored_records', 'Stored task runs.', ({ stored }) => [{ value: stored.records }]);
  gauge('svc_stored_bytes', 'Size of the stored files of tasks.', ({ stored }) => [{ value: stored.bytes }]);
  gauge(
    'svc_quota_share',
    'Greatest share of its quota that an owner or a laboratory has used; 1: it is used up.',
    ({ quotaShares }) => Object.entries(quotaShares).map(([kind, value]) => ({ labels: { kind }, value })),
  );
  gauge('svc_plan_age_seconds', 'Age of the plan; absent where there is none.', ({ planAgeMs }) =>
    planAgeMs === null ? [] : [{ value: planAgeMs / 1_000 }],
  );

  const count = (change: Change): void => {
    if (change.op === 'insertTaskRun' && change.row.queuedAt !== null)
      queued.put(change.row.id, change.row.queuedAt);
    if (change.op === 'updateTaskRun') {
      const { state, queuedAt, startedAt } = change.patch;
      if (typeof queuedAt === 'number') queued.put(change.id, queuedAt);
      if (state === 'running' && typeof startedAt === 'number') {
        const since = queued.take(change.id);
        if (since !== undefined) waited(Math.max(0, startedAt - since) / 1_000);
      }
      if (state !== undefined && isTerminal(state)) {
        queued.take(change.id);
        ended({ state });
      }
    }
    if (change.op === 'insertAttempt') {
      started();
      begun.put(change.row.id, change.row.createdAt);
    }
    if (change.op === 'updateAttempt' && change.patch.state !== undefined && isOutcome(change.patch.state)) {
      outcomes({ outcome: change.patch.state });
      const since = begun.take(change.id);
      if (since !== undefined && typeof change.patch.endedAt === 'number')
        ran(Math.max(0, change.patch.endedAt - since) / 1_000);
    }
  };
  const observe = { turn, commit };
  return {
    begin(what) {
      const at = performance.now();
      return () => observe[what]((performance.now() - at) / 1_000);
    },
    committed(changes) {
      for (const change of changes) count(change);
    },
  };
}

/** Reads once for all gauges of one reading, which is synchronous, so that they show the same moment. */
function ofOneMoment<Value>(read: () => Value): () => Value {
  let known: { value: Value } | undefined;
  return () => {
    if (known === undefined) {
      known = { value: read() };
      queueMicrotask(() => (known = undefined));
    }
    return known.value;
  };
}

/** The times of the latest records. Old entries are dropped and then not measured. */
class Recent {
  readonly #at = new Map<string, number>();

  put(id: string, at: number): void {
    this.#at.set(id, at);
    if (this.#at.size <= mostRecent) return;
    for (const oldest of this.#at.keys()) {
      this.#at.delete(oldest);
      return;
    }
  }

  take(id: string): number | undefined {
    const at = this.#at.get(id);
    this.#at.delete(id);
    return at;
  }
}

const mostRecent = 20_000;

function byState(counts: Record<string, number>): Reading[] {
  return Object.entries(counts).map(([state, value]) => ({ labels: { state }, value }));
}

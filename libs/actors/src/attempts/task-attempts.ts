import {
  ServiceError,
  type AttemptOutcome,
  type AttemptReport,
  type AttemptStatus,
  type TaskStart,
} from '@lab/contracts';
import type { Random } from '@lab/ports';
import { keyOf } from '../devices/index.js';
import { ledgerFailed, type AttemptHistory } from '../ledger/index.js';
import {
  remember,
  Retry,
  within,
  type AgentLimits,
  type AgentLog,
  type Orchestrator,
} from '../ports/index.js';
import { othersOf } from './attempt-calls.js';
import { InputFileError, placeInputFiles } from './input-files.js';
import { peerCallsOver } from './peer-calls.js';
import { messageOf, ResultDelivery, type EndedAttempt } from './result-delivery.js';
import { NeverBegan, TaskAttempt, type AttemptPorts, type Ending } from './task-attempt.js';

interface Entry {
  readonly id: string;
  readonly log: AgentLog;
  /** Undefined if an earlier agent process ran the attempt. */
  readonly attempt: TaskAttempt | undefined;
  readonly accepted: Promise<void>;
  ended: boolean;
  /** Gives up the upload of files for good. */
  readonly giveUpFiles: AbortController;
  /** Resolves when the process of the task is done. */
  readonly executed: Promise<void>;
  /** Resolves when the result is acknowledged, or left to the next agent process. */
  delivered: Promise<void>;
}

/**
 * All attempts of this computer.
 *
 * Guarantees: an attempt id runs at most once, also over restarts of the agent. Every accepted attempt is reported, either
 * with a result until that is acknowledged, or as never run. An id that was declared unknown is refused from then on.
 */
export class TaskAttempts {
  readonly #retry: Retry;
  readonly #peerRetry: Retry;
  readonly #delivery: ResultDelivery;
  readonly #entries = new Map<string, Entry>();
  /** Acknowledged attempts, remembered so that a repeat of their start runs nothing. */
  readonly #finished = new Set<string>();
  readonly #tombstones = new Set<string>();
  /** Attempts that this agent process refused. A message to an earlier process does not reach this one. */
  readonly #refused = new Set<string>();
  /** Tombstones that are being written. */
  readonly #declaring = new Map<string, Promise<AttemptStatus>>();
  /** Attempts that an earlier agent process accepted and did not begin. */
  readonly #neverRan = new Set<string>();
  readonly #stop = new AbortController();
  readonly #leave = new AbortController();

  /** @param inc returns the present incarnation; undefined before the first registration */
  constructor(
    private readonly ports: AttemptPorts & { orchestrator: Orchestrator; random: Random },
    private readonly limits: AgentLimits,
    private readonly inc: () => number | undefined,
  ) {
    this.#retry = new Retry(ports, { first: limits.retryMs, longest: limits.retryMaxMs });
    this.#peerRetry = new Retry(ports, { first: limits.peerQuietMs, longest: limits.peerQuietMs });
    this.#delivery = new ResultDelivery(ports, limits, {
      inc,
      retry: this.#retry,
      leave: this.#leave.signal,
    });
  }

  /**
   * Continues what an earlier agent process left in the open ledger: reports results again, stores files, makes attempts
   * without an end `unknown`, and refuses attempts that never began from now on.
   */
  async replay(): Promise<void> {
    const { remembered } = this.limits;
    const { state } = this.ports.ledger;
    for (const id of state.acknowledged) remember(this.#finished, id, remembered);
    for (const id of state.tombstones) remember(this.#tombstones, id, remembered);
    const histories = [...state.attempts.values()];
    await this.#sweepSpool(histories);
    for (const { attemptId: id, label, elsewhere, begun, end, result } of histories) {
      const log = this.ports.log.child({ task: label, attempt: id });
      if (result !== undefined) {
        this.#resume(id, log, (ended) => this.#delivery.deliver(ended, result));
      } else if (end !== undefined) {
        this.#resume(id, log, (ended) => this.#delivery.conclude(ended, end, true));
      } else if (begun) {
        const detail = 'the agent ended while the task ran; what it did is not known';
        log.warn(detail);
        this.#resume(id, log, async (ended) => {
          if (elsewhere.length > 0) {
            const ports = { ...this.ports, retry: this.#peerRetry, log };
            const quiet = await Promise.all(
              elsewhere.map((other) =>
                peerCallsOver(ports, other, { id, reason: detail }, this.#leave.signal),
              ),
            );
            // The agent stops. Its next process continues here.
            if (quiet.includes(false)) return;
          }
          await this.#delivery.conclude(ended, { outcome: { kind: 'unknown', detail }, files: [] }, false);
        });
      } else {
        this.#neverRan.add(id);
        remember(this.#tombstones, id, remembered);
        log.info('the task never began before the agent ended');
      }
    }
  }

  /** Removes the spool folders of all attempts except those whose files are still to be stored. */
  async #sweepSpool(histories: readonly AttemptHistory[]): Promise<void> {
    const kept = histories.filter(({ result, end }) => result === undefined && end !== undefined);
    try {
      await this.ports.files.sweep(new Set(kept.map(({ attemptId }) => attemptId)));
    } catch (error) {
      this.ports.log.warn('spool folders of earlier tasks could not be removed', {
        reason: messageOf(error),
      });
    }
  }

  /**
   * Accepts an attempt, and answers when that is durable. A repeat answers the present status and runs nothing. An attempt
   * that was refused once is refused for good: the sender knows that it never runs, so a late duplicate must not run it.
   *
   * @throws ServiceError with effect none: `stale_message` for an id that was declared never to run or was refused before,
   *   or for a device that was allocated anew; `device_unavailable`, `unknown_device`, `service_unavailable`
   */
  async start(start: TaskStart): Promise<AttemptStatus> {
    const id = start.attempt_id;
    if (this.#refused.has(id)) throw new ServiceError('stale_message', `attempt ${id} was refused before`);
    try {
      return await this.#accept(start);
    } catch (error) {
      remember(this.#refused, id, this.limits.remembered);
      throw error;
    }
  }

  async #accept(start: TaskStart): Promise<AttemptStatus> {
    const id = start.attempt_id;
    const known = this.#entries.get(id);
    if (known !== undefined) {
      await known.accepted;
      return statusOf(known);
    }
    if (this.#finished.has(id)) return 'ended';
    if (this.#tombstones.has(id)) {
      throw new ServiceError('stale_message', `attempt ${id} was declared never to run`);
    }
    if (this.#stop.signal.aborted) throw new ServiceError('service_unavailable', 'the agent is stopping');
    const { attempts: most } = this.limits;
    if (this.#running().length >= most) {
      throw new ServiceError('service_unavailable', `the agent has ${most} tasks in hand already`);
    }
    const fences = this.#admitDevices(start);
    const others = othersOf(start, this.ports.computer);

    const accepted = this.ports.ledger
      .append({
        type: 'accept',
        attemptId: id,
        label: start.label,
        fences,
        ...(others.length === 0 ? {} : { elsewhere: others }),
      })
      .catch((error: unknown) => {
        throw ledgerFailed(error);
      });
    const { files, orchestrator } = this.ports;
    const attempt = new TaskAttempt(start, this.ports, (log, signal) =>
      placeInputFiles({ files, orchestrator, retry: this.#retry, log }, start, signal),
    );
    const ending = attempt.run(accepted);
    const executed = ending.then(ignore, ignore);
    const entry = this.#enter({ id, log: attempt.log, attempt, accepted, ended: false, executed });
    entry.delivered = this.#follow(entry, ending);
    await accepted;
    return statusOf(entry);
  }

  /** Asks an attempt to stop. An unknown attempt is refused from now on, and the answer is `unknown`. */
  async cancel(id: string, reason: string): Promise<AttemptStatus> {
    const entry = this.#entries.get(id);
    if (entry === undefined) return this.status(id);
    const { cancelTermMs: termMs, cancelKillMs: killMs } = this.limits;
    entry.attempt?.cancel(reason, { termMs, killMs });
    entry.giveUpFiles.abort();
    return statusOf(entry);
  }

  /** Asks all attempts to stop that use one of these devices, here or on another computer. */
  cancelUsing(which: (device: { lab: string; name: string }) => boolean, reason: string): void {
    for (const { id, attempt } of this.#entries.values()) {
      if (attempt !== undefined && Object.values(attempt.start.devices).some(which)) {
        void this.cancel(id, reason);
      }
    }
  }

  /**
   * Answers the status of an attempt. An unknown attempt is refused from now on; `unknown` is answered once that is durable.
   *
   * @throws ServiceError `service_unavailable` when the refusal could not be recorded
   */
  async status(id: string): Promise<AttemptStatus> {
    const entry = this.#entries.get(id);
    if (entry !== undefined) return statusOf(entry);
    if (this.#finished.has(id)) return 'ended';
    const declaring = this.#declaring.get(id);
    if (declaring !== undefined) return declaring;
    if (this.#tombstones.has(id)) return 'unknown';
    const declared = this.#declareUnknown(id).finally(() => this.#declaring.delete(id));
    this.#declaring.set(id, declared);
    return declared;
  }

  async #declareUnknown(id: string): Promise<AttemptStatus> {
    remember(this.#tombstones, id, this.limits.remembered);
    try {
      await this.ports.ledger.append({ type: 'tombstone', attemptId: id });
    } catch (error) {
      this.#tombstones.delete(id);
      throw ledgerFailed(error);
    }
    return 'unknown';
  }

  /** All attempts whose result is not yet acknowledged, and those that an earlier agent process never began. */
  reports(): AttemptReport[] {
    return [
      ...[...this.#entries.values()].map((entry) => ({
        ...{ attempt_id: entry.id, status: statusOf(entry) },
        ...(!entry.ended && entry.attempt?.isDebugged === true ? { debugged: true } : {}),
      })),
      ...[...this.#neverRan].map((id) => ({ attempt_id: id, status: 'unknown' as const })),
    ];
  }

  /**
   * Notes that the orchestrator has these reports. From now on, attempts that never ran need not be reported. Before that,
   * every agent process finds them in the ledger again, so a crash cannot lose the report.
   */
  async acknowledged(reports: readonly AttemptReport[]): Promise<void> {
    for (const { attempt_id: id } of reports) {
      if (!this.#neverRan.has(id)) continue;
      try {
        await this.ports.ledger.append({ type: 'tombstone', attemptId: id });
        this.#neverRan.delete(id);
      } catch (error) {
        this.ports.log.error('the ledger failed', { record: 'tombstone', reason: messageOf(error) });
      }
    }
  }

  /** Retries waiting reports and uploads at once, because the orchestrator can be reached again. */
  hurry(): void {
    this.#retry.hurry();
  }

  /**
   * Refuses new attempts, stops the running ones, and waits for a while until their results are acknowledged. Other results
   * stay in the ledger for the next start.
   */
  async close(reason: string): Promise<void> {
    this.#stop.abort();
    const { stopTermMs: termMs, stopKillMs: killMs, stopDeliveryMs } = this.limits;
    for (const entry of this.#entries.values()) entry.attempt?.cancel(reason, { termMs, killMs }, true);
    const executed = Promise.all(this.#running().map((entry) => entry.executed));
    if (!(await within(this.ports.timers, killMs, executed))) {
      this.ports.devices.abortAll(reason);
      await within(this.ports.timers, killMs, executed);
    }
    const delivered = Promise.all([...this.#entries.values()].map((entry) => entry.delivered));
    this.#retry.hurry();
    if (await within(this.ports.timers, stopDeliveryMs, delivered)) return;
    this.#leave.abort();
    await within(this.ports.timers, stopDeliveryMs, delivered);
  }

  #running(): Entry[] {
    return [...this.#entries.values()].filter((entry) => !entry.ended);
  }

  /** @returns the fences of the devices on this computer */
  #admitDevices(start: TaskStart): Record<string, number> {
    const local = Object.values(start.devices).filter(({ computer }) => computer === this.ports.computer);
    for (const device of local) {
      if (device.inc !== this.inc()) {
        throw new ServiceError(
          'stale_message',
          `device ${device.lab}.${device.name} is bound to incarnation ${device.inc}, not ${this.inc() ?? 'any'}`,
        );
      }
      this.ports.devices.actor(device).requireUsable();
    }
    for (const device of local) this.ports.devices.admit(device, device.fence);
    return Object.fromEntries(local.map((device) => [keyOf(device), device.fence]));
  }

  async #follow(entry: Entry, running: Promise<Ending>): Promise<void> {
    let ending: Ending;
    try {
      ending = await running;
    } catch (error) {
      ending = { outcome: failedBegin(error), files: [], endedMs: this.ports.wall.now() };
      try {
        await entry.accepted;
      } catch (refused) {
        // The start was refused with this very error, so there is nothing to report.
        entry.log.error('the task was refused', { reason: messageOf(refused) });
        this.#entries.delete(entry.id);
        await this.#delivery.discard(entry);
        return;
      }
      entry.log.error('the task could not begin', { reason: messageOf(error) });
    }
    await this.#delivery.conclude(this.#endedOf(entry), ending, false);
  }

  #resume(id: string, log: AgentLog, work: (ended: EndedAttempt) => Promise<void>): void {
    const done = Promise.resolve();
    const entry = this.#enter({ id, log, attempt: undefined, accepted: done, ended: true, executed: done });
    entry.delivered = work(this.#endedOf(entry));
  }

  #enter(parts: Omit<Entry, 'giveUpFiles' | 'delivered'>): Entry {
    const entry = { ...parts, giveUpFiles: new AbortController(), delivered: Promise.resolve() };
    this.#entries.set(entry.id, entry);
    return entry;
  }

  #endedOf(entry: Entry): EndedAttempt {
    return {
      id: entry.id,
      log: entry.log,
      giveUpFiles: entry.giveUpFiles.signal,
      ended: () => {
        entry.ended = true;
      },
      acknowledged: () => {
        this.#entries.delete(entry.id);
        remember(this.#finished, entry.id, this.limits.remembered);
      },
    };
  }
}

function statusOf(entry: Entry): AttemptStatus {
  return entry.ended || entry.attempt === undefined ? 'ended' : entry.attempt.status;
}

function failedBegin(error: unknown): AttemptOutcome {
  const cause = error instanceof NeverBegan ? error.cause : error;
  if (cause instanceof InputFileError) {
    return { kind: 'failed', code: 'missing_input_file', error: { message: cause.message } };
  }
  const code = error instanceof NeverBegan ? 'not_started' : 'internal';
  return { kind: 'failed', code, error: { message: `the task could not begin: ${messageOf(cause)}` } };
}

function ignore(): void {
  return;
}

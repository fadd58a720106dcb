import {
  ServiceError,
  toServiceError,
  type AttemptOutcome,
  type AttemptReport,
  type AttemptStatus,
  type TaskStart,
} from '@lab/contracts';
import type { Random } from '@lab/ports';
import { keyOf } from '../devices/index.js';
import { ledgerFailed, type AttemptHistory, type LedgerRecord } from '../ledger/index.js';
import {
  Retry,
  type AgentLimits,
  type AgentLog,
  type Orchestrator,
  type OtherAgent,
  type SpooledFile,
} from '../ports/index.js';
import { InputFileError, isFinalForFiles, placeInputFiles } from './input-files.js';
import { withinBounds } from './outcome-bounds.js';
import { NeverBegan, othersOf, TaskAttempt, type AttemptPorts, type Ending } from './task-attempt.js';

interface Entry {
  readonly id: string;
  readonly log: AgentLog;
  /** Undefined for one that an earlier agent process ran. */
  readonly attempt: TaskAttempt | undefined;
  readonly accepted: Promise<void>;
  ended: boolean;
  /** Ends the upload of files for good. */
  readonly giveUpFiles: AbortController;
  /** Resolves when the task's process is done. */
  executed: Promise<void>;
  /** Resolves when the result is acknowledged, or left for the next start of the agent. */
  delivered: Promise<void>;
}

/**
 * All attempts of this computer.
 *
 * Guarantees: an attempt id runs at most once, also over restarts of the agent; whatever was accepted is answered by a
 * result until it is acknowledged, or reported as never run; an id that was declared unknown is refused from then on.
 */
export class TaskAttempts {
  readonly #ports: AttemptPorts & { orchestrator: Orchestrator; random: Random };
  readonly #limits: AgentLimits;
  readonly #inc: () => number | undefined;
  readonly #retry: Retry;
  readonly #askPeer: Retry;
  readonly #entries = new Map<string, Entry>();
  /** Acknowledged ones, so that a repeat of their start runs nothing. */
  readonly #finished = new Set<string>();
  readonly #tombstones = new Set<string>();
  /** Refused by this agent process; a message to an earlier one reaches nobody. */
  readonly #refused = new Set<string>();
  /** Tombstones on their way to the disk. */
  readonly #declaring = new Map<string, Promise<AttemptStatus>>();
  /** Accepted by an earlier agent process that died before they began. */
  readonly #neverRan = new Set<string>();
  readonly #stop = new AbortController();

  constructor(
    ports: AttemptPorts & { orchestrator: Orchestrator; random: Random },
    limits: AgentLimits,
    inc: () => number | undefined,
  ) {
    this.#ports = ports;
    this.#limits = limits;
    this.#inc = inc;
    this.#retry = new Retry(ports, { firstMs: limits.retryMs, maxMs: limits.retryMaxMs });
    this.#askPeer = new Retry(ports, { firstMs: limits.peerQuietMs, maxMs: limits.peerQuietMs });
  }

  /**
   * Takes up what an earlier agent process left in the open ledger: results are reported again, files stored, attempts
   * that began and have no end become `unknown`, attempts that never began are refused from now on.
   */
  async replay(): Promise<void> {
    const { remembered } = this.#limits;
    const { state } = this.#ports.ledger;
    for (const id of state.acknowledged) remember(this.#finished, id, remembered);
    for (const id of state.tombstones) remember(this.#tombstones, id, remembered);
    const histories = [...state.attempts.values()];
    await this.#sweepSpool(histories);
    for (const { attemptId: id, label, elsewhere, begun, end, result } of histories) {
      const log = this.#ports.log.child({ task: label, attempt: id });
      if (result !== undefined) {
        this.#resume(id, log, (entry) => this.#deliver(entry, result));
      } else if (end !== undefined) {
        this.#resume(id, log, (entry) => this.#conclude(entry, end, true));
      } else if (begun) {
        const detail = 'the agent ended while the task ran; what it did is not known';
        log.warn(detail);
        this.#resume(id, log, async (entry) => {
          if (elsewhere.length > 0) {
            const quiet = await Promise.all(elsewhere.map((other) => this.#quiet(entry, other, detail)));
            // The next agent process takes it up anew.
            if (quiet.includes(false)) return;
          }
          await this.#conclude(entry, { outcome: { kind: 'unknown', detail }, files: [] }, false);
        });
      } else {
        this.#neverRan.add(id);
        remember(this.#tombstones, id, remembered);
        log.info('the task never began before the agent ended');
      }
    }
  }

  /**
   * Waits until no call goes on at another agent that an earlier process of this one sent for the attempt, and none will
   * begin: it says so, its incarnation is over, or the longest time of any call has passed. Before that nobody may decide
   * about the attempt, for the next one would be overtaken by what is on its way.
   *
   * @returns false when this agent stops first
   */
  async #quiet(entry: Entry, { computer, inc, restMs }: OtherAgent, reason: string): Promise<boolean> {
    const { peers, timers } = this.#ports;
    const over = new AbortController();
    const cancelLate = timers.after(restMs, () => over.abort());
    const unwatch = peers.whenOver({ computer, inc }, () => over.abort());
    const ask = async (): Promise<void> => {
      if (await peers.barCalls({ computer, inc }, entry.id, reason))
        throw new ServiceError('wrong_state', 'a call of the task still goes on there');
    };
    const failed = (error: unknown): boolean => {
      entry.log.debug('another computer may still be at work for the task', {
        computer,
        reason: messageOf(error),
      });
      return false;
    };
    try {
      await this.#askPeer.run(ask, { signal: AbortSignal.any([over.signal, this.#leave.signal]), failed });
      return true;
    } catch {
      return over.signal.aborted;
    } finally {
      cancelLate();
      unwatch();
    }
  }

  /** Only an attempt whose files are still to be stored needs its spool folder. */
  async #sweepSpool(histories: readonly AttemptHistory[]): Promise<void> {
    const kept = histories.filter(({ result, end }) => result === undefined && end !== undefined);
    try {
      await this.#ports.files.sweep(new Set(kept.map(({ attemptId }) => attemptId)));
    } catch (error) {
      this.#ports.log.warn('what earlier tasks left in the spool could not be removed', {
        reason: messageOf(error),
      });
    }
  }

  /**
   * Takes on an attempt. Answers when that is durable; a repeat answers the present status and runs nothing. What was
   * refused once is refused for good: whoever sent it has been told that it never runs, and a late double must not.
   *
   * @throws ServiceError with effect none: `stale_message` for an id that was declared never to run, or was refused
   *   before, or a device allocated anew, `device_unavailable`, `unknown_device`, `service_unavailable`
   */
  async start(start: TaskStart): Promise<AttemptStatus> {
    const id = start.attempt_id;
    if (this.#refused.has(id)) throw new ServiceError('stale_message', `attempt ${id} was refused before`);
    try {
      return await this.#takeOn(start);
    } catch (error) {
      remember(this.#refused, id, this.#limits.remembered);
      throw error;
    }
  }

  async #takeOn(start: TaskStart): Promise<AttemptStatus> {
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
    if (this.#running().length >= this.#limits.attempts) {
      throw new ServiceError(
        'service_unavailable',
        `the agent has ${this.#limits.attempts} tasks in hand already`,
      );
    }
    const fences = this.#admitDevices(start);
    const others = othersOf(start, this.#ports.computer);

    const accepted = this.#ports.ledger
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
    const { files, orchestrator } = this.#ports;
    const attempt = new TaskAttempt(start, this.#ports, (log, signal) =>
      placeInputFiles({ files, orchestrator, retry: this.#retry, log }, start, signal),
    );
    const ending = attempt.run(accepted);
    const entry: Entry = {
      id,
      log: attempt.log,
      attempt,
      accepted,
      ended: false,
      giveUpFiles: new AbortController(),
      executed: ending.then(ignore, ignore),
      delivered: Promise.resolve(),
    };
    entry.delivered = this.#follow(entry, ending);
    this.#entries.set(id, entry);
    await accepted;
    return statusOf(entry);
  }

  /** Asks an attempt to stop. One that is not known is refused from now on, and `unknown` is answered. */
  async cancel(id: string, reason: string): Promise<AttemptStatus> {
    const entry = this.#entries.get(id);
    if (entry === undefined) return this.status(id);
    const { cancelTermMs: termMs, cancelKillMs: killMs } = this.#limits;
    entry.attempt?.cancel(reason, { termMs, killMs });
    entry.giveUpFiles.abort();
    return statusOf(entry);
  }

  /** Asks all attempts to stop that use such a device, here or on another computer. */
  cancelUsing(which: (device: { lab: string; name: string }) => boolean, reason: string): void {
    for (const { id, attempt } of this.#entries.values()) {
      if (attempt !== undefined && Object.values(attempt.start.devices).some(which)) {
        void this.cancel(id, reason);
      }
    }
  }

  /**
   * What became of an attempt. One that is not known is refused from now on; `unknown` is answered once that is durable.
   *
   * @throws ServiceError `service_unavailable` when that could not be recorded
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
    remember(this.#tombstones, id, this.#limits.remembered);
    try {
      await this.#ports.ledger.append({ type: 'tombstone', attemptId: id });
    } catch (error) {
      this.#tombstones.delete(id);
      throw ledgerFailed(error);
    }
    return 'unknown';
  }

  /** All attempts whose result is not yet acknowledged, and those that an earlier agent process never began. */
  reports(): AttemptReport[] {
    return [
      ...[...this.#entries.values()].map((entry) => ({ attempt_id: entry.id, status: statusOf(entry) })),
      ...[...this.#neverRan].map((id) => ({ attempt_id: id, status: 'unknown' as const })),
    ];
  }

  /**
   * The orchestrator has taken note of these reports. What never ran need not be told again; until here it is found anew
   * in the ledger by every agent process, so that none of them can take the news to its grave.
   */
  async acknowledged(reports: readonly AttemptReport[]): Promise<void> {
    for (const { attempt_id: id } of reports) {
      if (!this.#neverRan.has(id)) continue;
      try {
        await this.#ports.ledger.append({ type: 'tombstone', attemptId: id });
        this.#neverRan.delete(id);
      } catch (error) {
        this.#ports.log.error('the ledger failed', { record: 'tombstone', reason: messageOf(error) });
      }
    }
  }

  /** The orchestrator can be reached (again): reports and uploads that wait are tried at once. */
  hurry(): void {
    this.#retry.hurry();
  }

  /**
   * Refuses new attempts, stops the running ones, and waits a while for results to be acknowledged. What is not stays
   * in the ledger for the next start.
   */
  async close(reason: string): Promise<void> {
    this.#stop.abort();
    const { stopTermMs: termMs, stopKillMs: killMs, stopDeliveryMs } = this.#limits;
    for (const entry of this.#entries.values()) entry.attempt?.cancel(reason, { termMs, killMs }, true);
    const executed = Promise.all(this.#running().map((entry) => entry.executed));
    if (!(await this.#within(killMs, executed))) {
      this.#ports.devices.abortAll(reason);
      await this.#within(killMs, executed);
    }
    const delivered = Promise.all([...this.#entries.values()].map((entry) => entry.delivered));
    this.#retry.hurry();
    if (await this.#within(stopDeliveryMs, delivered)) return;
    this.#leave.abort();
    await this.#within(stopDeliveryMs, delivered);
  }

  readonly #leave = new AbortController();

  #running(): Entry[] {
    return [...this.#entries.values()].filter((entry) => !entry.ended);
  }

  /** @returns the fences of the devices that are on this computer */
  #admitDevices(start: TaskStart): Record<string, number> {
    const local = Object.values(start.devices).filter(({ computer }) => computer === this.#ports.computer);
    for (const device of local) {
      if (device.inc !== this.#inc()) {
        throw new ServiceError(
          'stale_message',
          `device ${device.lab}.${device.name} is bound to incarnation ${device.inc}, not ${this.#inc() ?? 'any'}`,
        );
      }
      this.#ports.devices.requireUsable(device);
    }
    for (const device of local) this.#ports.devices.admit(device, device.fence);
    return Object.fromEntries(local.map((device) => [keyOf(device), device.fence]));
  }

  async #follow(entry: Entry, running: Promise<Ending>): Promise<void> {
    let ending: Ending;
    try {
      ending = await running;
    } catch (error) {
      ending = { outcome: failedBegin(error), files: [] };
      try {
        await entry.accepted;
      } catch (refused) {
        // The start was refused with this very error, so there is nothing to report.
        entry.log.error('the task was refused', { reason: messageOf(refused) });
        this.#entries.delete(entry.id);
        await this.#discard(entry);
        return;
      }
      entry.log.error('the task could not begin', { reason: messageOf(error) });
    }
    await this.#conclude(entry, ending, false);
  }

  #resume(id: string, log: AgentLog, work: (entry: Entry) => Promise<void>): void {
    const entry: Entry = {
      id,
      log,
      attempt: undefined,
      accepted: Promise.resolve(),
      ended: true,
      giveUpFiles: new AbortController(),
      executed: Promise.resolve(),
      delivered: Promise.resolve(),
    };
    this.#entries.set(id, entry);
    entry.delivered = work(entry);
  }

  /** Stores the files, then records and reports the outcome. @param recorded END is in the ledger already */
  async #conclude(entry: Entry, ended: Ending, recorded: boolean): Promise<void> {
    const keep = (name: string, text: string): Promise<SpooledFile> =>
      this.#ports.files.add(entry.id, name, text);
    const ending = recorded ? ended : await withinBounds(ended, this.#limits, keep);
    const { files } = ending;
    let { outcome } = ending;
    if (files.length > 0) {
      if (!recorded) await this.#record(entry, { type: 'end', attemptId: entry.id, outcome, files });
      const stored = await this.#storeFiles(entry, files);
      if (stored === 'later') return;
      if (stored !== undefined) outcome = withoutFiles(outcome, stored);
    }
    await this.#record(entry, { type: 'result', attemptId: entry.id, outcome });
    await this.#deliver(entry, outcome);
  }

  /** Undefined: all are stored. Else the outcome that takes the place of the task's, or `later` when the agent stops. */
  async #storeFiles(
    entry: Entry,
    files: readonly SpooledFile[],
  ): Promise<AttemptOutcome | 'later' | undefined> {
    const signal = AbortSignal.any([entry.giveUpFiles.signal, this.#leave.signal]);
    const { orchestrator, files: store } = this.#ports;
    try {
      for (const file of files) {
        const { name, size, sha256 } = file;
        await this.#retry.run(
          async () => {
            const ticket = await orchestrator.uploadTicket({ attemptId: entry.id, name, size, sha256 });
            await store.upload(entry.id, file, ticket);
          },
          {
            signal,
            failed: (error, pauseMs) => {
              const fault = toServiceError(error);
              const final = isFinalForFiles(fault);
              entry.log.warn('a file could not be stored', {
                file: name,
                reason: fault.message,
                ...(final ? {} : { again_in_ms: Math.round(pauseMs) }),
              });
              return final;
            },
          },
        );
      }
      return undefined;
    } catch (error) {
      if (entry.giveUpFiles.signal.aborted) return { kind: 'cancelled' };
      if (this.#leave.signal.aborted) return 'later';
      return { kind: 'failed', code: 'file_error', error: { message: messageOf(error) } };
    }
  }

  async #deliver(entry: Entry, outcome: AttemptOutcome): Promise<void> {
    entry.ended = true;
    try {
      await this.#retry.run(
        async () => {
          const inc = this.#inc();
          if (inc === undefined) throw new ServiceError('service_unavailable', 'the agent is not registered');
          const { computer, orchestrator } = this.#ports;
          const calls = this.#ports.calls.ofAttempt(entry.id);
          await orchestrator.reportResult({ attempt_id: entry.id, computer, inc, outcome, calls });
        },
        {
          signal: this.#leave.signal,
          failed: (error, pauseMs) => {
            entry.log.debug('the result is not acknowledged yet', {
              reason: messageOf(error),
              again_in_ms: Math.round(pauseMs),
            });
            return false;
          },
        },
      );
    } catch (error) {
      entry.log.info('the result stays in the ledger', { reason: messageOf(error) });
      return;
    }
    this.#entries.delete(entry.id);
    remember(this.#finished, entry.id, this.#limits.remembered);
    await this.#record(entry, { type: 'acked', attemptId: entry.id });
    await this.#discard(entry);
  }

  async #discard(entry: Entry): Promise<void> {
    try {
      await this.#ports.files.discard(entry.id);
    } catch (error) {
      entry.log.warn('the spool folder could not be removed', { reason: messageOf(error) });
    }
  }

  /**
   * What the disk refuses is written when it can be. Until then the worst case after a crash is a repeated report or an
   * `unknown` outcome, both of which are safe; to hold the result back would be worse.
   */
  async #record(entry: Entry, record: LedgerRecord): Promise<void> {
    try {
      await this.#ports.ledger.append(record);
    } catch (error) {
      entry.log.error('the ledger failed', { record: record.type, reason: messageOf(error) });
      this.#ports.ledger.note(record);
    }
  }

  async #within(ms: number, work: Promise<unknown>): Promise<boolean> {
    let cancel: () => void = () => undefined;
    const late = new Promise<boolean>((resolve) => {
      cancel = this.#ports.timers.after(ms, () => resolve(false));
    });
    const inTime = await Promise.race([work.then(() => true), late]);
    cancel();
    return inTime;
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

/** The files could not be stored: that fails the attempt, unless it has failed already. */
function withoutFiles(outcome: AttemptOutcome, instead: AttemptOutcome): AttemptOutcome {
  if (outcome.kind !== 'failed') return instead;
  const { kind, code, error } = outcome;
  return { kind, code, error };
}

function remember(ids: Set<string>, id: string, most: number): void {
  ids.add(id);
  for (const oldest of ids) {
    if (ids.size <= most) return;
    ids.delete(oldest);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function ignore(): void {
  return;
}

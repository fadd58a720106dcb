import { ServiceError, type AttemptOutcome } from '@lab/contracts';
import type { Clock } from '@lab/ports';
import type { AttemptEnd, CallLedger, Ledger, LedgerRecord } from '../ledger/index.js';
import type { AgentLimits, AgentLog, Files, Orchestrator, Retry, SpooledFile } from '../ports/index.js';
import { fileFailed } from './input-files.js';
import { withinBounds } from './outcome-bounds.js';
import type { Ending } from './task-attempt.js';

/** An attempt whose result is stored and reported. */
export interface EndedAttempt {
  readonly id: string;
  readonly log: AgentLog;
  /** When it fires, the upload of files is given up for good. */
  readonly giveUpFiles: AbortSignal;
  /** Called when the outcome is final. */
  ended(): void;
  /** Called when the orchestrator has acknowledged the result. */
  acknowledged(): void;
}

export interface DeliveryPorts {
  /** Name of this computer. */
  computer: string;
  ledger: Ledger;
  files: Files;
  orchestrator: Orchestrator;
  calls: CallLedger;
  /** The time of the computer, in milliseconds since 1970. */
  wall: Clock;
}

/** Stores the files of ended attempts, and reports their results until the orchestrator acknowledges them. */
export class ResultDelivery {
  readonly #inc: () => number | undefined;
  readonly #retry: Retry;
  readonly #leave: AbortSignal;

  /** @param leave when it fires, everything that is not delivered stays in the ledger for the next agent process */
  constructor(
    private readonly ports: DeliveryPorts,
    private readonly limits: AgentLimits,
    { inc, retry, leave }: { inc: () => number | undefined; retry: Retry; leave: AbortSignal },
  ) {
    this.#inc = inc;
    this.#retry = retry;
    this.#leave = leave;
  }

  /** Stores the files, then records and reports the outcome. @param recorded whether the ledger has END already */
  async conclude(attempt: EndedAttempt, ended: Ending, recorded: boolean): Promise<void> {
    const keep = (name: string, text: string): Promise<SpooledFile> =>
      this.ports.files.add(attempt.id, name, text);
    const ending = recorded ? ended : await withinBounds(ended, this.limits, keep);
    const { files } = ending;
    const at = whatEnded(ending);
    let { outcome } = ending;
    if (files.length > 0) {
      if (!recorded)
        await this.#record(attempt, { type: 'end', attemptId: attempt.id, outcome, files, ...at });
      const stored = await this.#storeFiles(attempt, files);
      if (stored === 'later') return;
      if (stored !== undefined) outcome = withoutFiles(outcome, stored);
    }
    await this.#record(attempt, { type: 'result', attemptId: attempt.id, outcome, ...at });
    await this.deliver(attempt, { outcome, ...at });
  }

  /** Reports a recorded result until it is acknowledged. */
  async deliver(attempt: EndedAttempt, result: AttemptEnd): Promise<void> {
    attempt.ended();
    try {
      await this.#retry.run(() => this.#report(attempt.id, result), {
        signal: this.#leave,
        failed: (error, pauseMs) => {
          attempt.log.debug('the result is not acknowledged yet', {
            reason: messageOf(error),
            again_in_ms: Math.round(pauseMs),
          });
          return false;
        },
      });
    } catch (error) {
      attempt.log.info('the result stays in the ledger', { reason: messageOf(error) });
      return;
    }
    attempt.acknowledged();
    await this.#record(attempt, { type: 'acked', attemptId: attempt.id });
    await this.discard(attempt);
  }

  /** Removes the spool folder of an attempt. A failure is only logged. */
  async discard({ id, log }: Pick<EndedAttempt, 'id' | 'log'>): Promise<void> {
    try {
      await this.ports.files.discard(id);
    } catch (error) {
      log.warn('the spool folder could not be removed', { reason: messageOf(error) });
    }
  }

  async #report(id: string, { outcome, endedMs, runtime }: AttemptEnd): Promise<void> {
    const inc = this.#inc();
    if (inc === undefined) throw new ServiceError('service_unavailable', 'the agent is not registered');
    const { calls, computer, orchestrator, wall } = this.ports;
    await orchestrator.reportResult({
      attempt_id: id,
      computer,
      inc,
      outcome,
      calls: calls.ofAttempt(id),
      ...(endedMs === undefined ? {} : { ended_ms: endedMs, wall_ms: wall.now() }),
      ...(runtime === undefined ? {} : { runtime }),
    });
  }

  /** @returns undefined when all files are stored, `later` when the agent stops; otherwise the outcome that replaces the task's */
  async #storeFiles(
    { id, log, giveUpFiles }: EndedAttempt,
    files: readonly SpooledFile[],
  ): Promise<AttemptOutcome | 'later' | undefined> {
    const signal = AbortSignal.any([giveUpFiles, this.#leave]);
    const { orchestrator, files: store } = this.ports;
    try {
      for (const file of files) {
        const { name, size, sha256 } = file;
        await this.#retry.run(
          async () => {
            const ticket = await orchestrator.uploadTicket({ attemptId: id, name, size, sha256 });
            await store.upload(id, file, ticket);
          },
          { signal, failed: fileFailed(log, 'a file could not be stored', name) },
        );
      }
      return undefined;
    } catch (error) {
      if (giveUpFiles.aborted) return { kind: 'cancelled' };
      if (this.#leave.aborted) return 'later';
      return { kind: 'failed', code: 'file_error', error: { message: messageOf(error) } };
    }
  }

  /**
   * Records a fact. A record that the disk refuses is written later. Until then a crash causes at worst a repeated report or
   * an `unknown` outcome, which are both safe; holding the result back would be worse.
   */
  async #record({ log }: EndedAttempt, record: LedgerRecord): Promise<void> {
    try {
      await this.ports.ledger.append(record);
    } catch (error) {
      log.error('the ledger failed', { record: record.type, reason: messageOf(error) });
      this.ports.ledger.note(record);
    }
  }
}

/** What the ledger and the report say of an end beside its outcome. */
function whatEnded({ endedMs, runtime }: Ending): Omit<AttemptEnd, 'outcome'> {
  return { ...(endedMs === undefined ? {} : { endedMs }), ...(runtime === undefined ? {} : { runtime }) };
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Files that could not be stored fail the attempt, unless it has failed already. */
function withoutFiles(outcome: AttemptOutcome, instead: AttemptOutcome): AttemptOutcome {
  if (outcome.kind !== 'failed') return instead;
  const { kind, code, error } = outcome;
  return { kind, code, error };
}

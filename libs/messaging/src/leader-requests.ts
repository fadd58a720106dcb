import {
  isServiceError,
  type orchestratorRequests,
  type ReplyOf,
  type RequestDefinition,
  type RequestOf,
  type ServiceError,
} from '@lab/contracts';
import type { Bus, RequestOptions } from './bus.js';
import type { LeaderWatch } from './leader-watch.js';
import type { BusTimers } from './timers.js';

/** Interval between two attempts to reach a leading orchestrator, in milliseconds. */
const lookMs = 100;

/** A request to the leading orchestrator. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the only honest bound for "a definition of anything"
export type LeaderRequest = RequestDefinition<`svc.v1.orchestrator.${string}`, any, any>;

/** A request that creates a record under the name in its body. */
export type NamedSubmission =
  | typeof orchestratorRequests.submitProtocolRun
  | typeof orchestratorRequests.submitCampaign
  | typeof orchestratorRequests.submitTask;

/** Which submission this is. */
export interface SubmissionAsked {
  /** Stored with what is made. */
  submissionId: string;
  /** True: the request was sent before, and may have been carried out. */
  again: boolean;
}

export interface LeaderRequestsParts {
  bus: Pick<Bus, 'request'>;
  leaders: LeaderWatch;
  timers: BusTimers;
  /** The longest time that a request waits for an orchestrator that leads, in milliseconds. */
  waitMs: number;
}

/**
 * Requests of people to the leading orchestrator.
 *
 * While no orchestrator leads, a request waits for the next leader, since it had no effect yet. A request that is pending
 * when another orchestrator takes over is given up at once: one that only reads is sent again, any other may have had an
 * effect and is never sent again.
 */
export class LeaderRequests {
  constructor(private readonly parts: LeaderRequestsParts) {}

  /** @throws ServiceError the error that the orchestrator answered, or as {@link Bus.request} */
  async ask<D extends LeaderRequest>(
    definition: D,
    body: RequestOf<D>,
    options: RequestOptions = {},
  ): Promise<ReplyOf<D>> {
    for (;;) {
      try {
        return await this.#askPresent<D>(definition, body, options);
      } catch (error) {
        if (!isServiceError(error) || error.code !== 'aborted' || options.signal?.aborted === true)
          throw error;
        if (error.effect !== 'none' && definition.readOnly !== true) throw error;
      }
    }
  }

  /**
   * Creates a named record exactly once. When the answer is lost, the caller looks for the record. The request is sent
   * again only after the orchestrator that got it can never commit it any more.
   *
   * @param isMade whether the submission with this id made something under the name
   * @returns the answer of the orchestrator; without an id if the answer was lost and the caller found the record
   * @throws ServiceError the error of the orchestrator; with effect `maybe` when the outcome stays unknown in time
   */
  async make<D extends NamedSubmission>(
    definition: D,
    submission: RequestOf<D>,
    { submissionId, again }: SubmissionAsked,
    isMade: () => Promise<boolean>,
  ): Promise<ReplyOf<D> | { name: string }> {
    const body = { ...submission, submission_id: submissionId };
    // A submission that resumes work makes no row, so its id is not found. It is never sent again.
    if ('resume' in body && body.resume === true) return this.ask<NamedSubmission>(definition, body);
    let inDoubt = again;
    if (again && (await isMade())) return body;
    for (;;) {
      const { epoch } = this.parts.leaders;
      try {
        return await this.#askPresent<NamedSubmission>(definition, body, {});
      } catch (error) {
        if (!isServiceError(error)) throw error;
        // Another orchestrator took over before the request was sent.
        if (error.code === 'aborted' && error.effect === 'none') continue;
        if (inDoubt && error.code === 'duplicate_name' && (await isMade())) return body;
        if (error.effect !== 'maybe') throw error;
        if (await this.#wasMade(epoch, isMade, error)) return body;
        inDoubt = true;
      }
    }
  }

  /** Sends a request as soon as an orchestrator leads. Fails with `aborted` as soon as another one leads. */
  #askPresent<D extends LeaderRequest>(
    definition: D,
    body: RequestOf<D>,
    options: RequestOptions,
  ): Promise<ReplyOf<D>> {
    const patience = this.#patience();
    return this.parts.leaders.whileItLeads(async ({ signal: succeeded }) => {
      const signal = options.signal === undefined ? succeeded : AbortSignal.any([succeeded, options.signal]);
      for (;;) {
        try {
          return await this.parts.bus.request<LeaderRequest>(definition, {}, body, { ...options, signal });
        } catch (error) {
          if (!isGap(error) || patience.over()) throw error;
          await this.#look();
        }
      }
    });
  }

  /**
   * @param epoch of the leader that got the request
   * @returns false when it is certain that the record does not exist and never will
   * @throws the given error when that does not become certain in time
   */
  async #wasMade(epoch: number, isMade: () => Promise<boolean>, error: ServiceError): Promise<boolean> {
    const patience = this.#patience();
    for (;;) {
      // Read before the look-up: everything that the leader of that epoch committed is stored by now.
      const succeeded = epoch > 0 && this.parts.leaders.epoch > epoch;
      const made = await unlessStoreIsAway(isMade);
      if (made === true) return true;
      if (succeeded && made === false) return false;
      if (patience.over()) throw error;
      await this.#look();
    }
  }

  #patience(): { over: () => boolean } {
    const { timers, waitMs } = this.parts;
    const giveUpAt = timers.now() + waitMs;
    return { over: () => timers.now() >= giveUpAt };
  }

  #look(): Promise<void> {
    return new Promise((resolve) => void this.parts.timers.after(lookMs, resolve));
  }
}

/** The result; undefined while the database does not answer. */
async function unlessStoreIsAway(look: () => Promise<boolean>): Promise<boolean | undefined> {
  try {
    return await look();
  } catch (error) {
    if (isServiceError(error) && error.code === 'store_unavailable') return undefined;
    throw error;
  }
}

/** Whether no orchestrator leads or none can be reached, and the request had no effect. */
function isGap(error: unknown): boolean {
  return (
    isServiceError(error) &&
    error.effect === 'none' &&
    (error.code === 'service_unavailable' || error.code === 'disconnected')
  );
}

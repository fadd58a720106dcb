import {
  isServiceError,
  orchestratorRequests,
  ServiceError,
  type AnyRequest,
  type DryRunRecord,
  type ReplyOf,
  type RequestOf,
  type Submission,
} from '@lab/contracts';
import { Injectable } from '@nestjs/common';
import { LeaderWatch } from './leader-watch.js';
import { type CallOptions, Requests } from '../ports/index.js';

const words = {
  service_unavailable: {
    none: 'The orchestrator does not answer at present. Nothing was done; try again shortly.',
    maybe: 'The orchestrator stopped answering. Read the record to see whether this was carried out.',
    done: 'The orchestrator stopped answering after it had carried this out.',
  },
  disconnected: {
    none: 'The gateway has no connection to the broker at present. Nothing was done; try again shortly.',
    maybe: 'The connection to the broker was lost. Read the record to see whether this was carried out.',
    done: 'The connection to the broker was lost after this had been carried out.',
  },
  deadline_exceeded: {
    none: 'The orchestrator was too busy to begin with this. Nothing was done; try again shortly.',
    maybe: 'The orchestrator did not answer in time. Read the record to see whether this was carried out.',
    done: 'The orchestrator did not answer in time, but has carried this out.',
  },
  aborted: {
    none: 'Another orchestrator has taken over. Nothing was done; try again.',
    maybe: 'Another orchestrator has taken over. Read the record to see whether this was carried out.',
    done: 'Another orchestrator has taken over after this had been carried out.',
  },
};

/** Interval between two attempts to reach a leading orchestrator, in milliseconds. */
const lookMs = 100;

const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A request to the leading orchestrator. */
export type OrchestratorRequest = AnyRequest & { readonly subject: `svc.v1.orchestrator.${string}` };

/** A request that creates a record under the name in its body. */
type NamedSubmission =
  | typeof orchestratorRequests.submitProtocolRun
  | typeof orchestratorRequests.submitCampaign
  | typeof orchestratorRequests.submitTask;

/** Longest time that a request waits for a leading orchestrator. */
export abstract class FailoverWait {
  /** Milliseconds. */
  abstract readonly ms: number;
}

/**
 * Sends requests to the leading orchestrator, and puts errors of the bus into words for users.
 *
 * While no orchestrator leads, a request waits for the next leader, since it had no effect yet. A request that may have had
 * an effect is never sent again.
 */
@Injectable()
export class Orchestrator {
  constructor(
    private readonly requests: Requests,
    private readonly leaders: LeaderWatch,
    private readonly wait: FailoverWait,
  ) {}

  /** @throws ServiceError the error that the orchestrator answered, or one that says that it did not answer */
  async ask<D extends OrchestratorRequest>(
    definition: D,
    body: RequestOf<D>,
    options?: CallOptions,
  ): Promise<ReplyOf<D>> {
    try {
      return await this.askLeader(definition, body, options);
    } catch (error) {
      throw inWords(error);
    }
  }

  /**
   * Tries a submission out.
   *
   * @throws ServiceError as the submission itself would
   */
  async tryOut<Asked extends Submission>(asked: Asked): Promise<DryRunRecord<Asked['submission']>> {
    const record = await this.ask<typeof orchestratorRequests.dryRun>(orchestratorRequests.dryRun, asked);
    return record as DryRunRecord<Asked['submission']>;
  }

  /**
   * Creates a named record exactly once. When the answer is lost, the gateway looks for the record. It sends the request
   * again only after the orchestrator that got it can never commit it any more.
   *
   * @param asked.submissionId stored with what is made
   * @param asked.again true: the request was sent before, and may have been carried out
   * @param isMade whether the submission with this id made something under the name
   * @throws ServiceError the error of the orchestrator; with effect `maybe` when the outcome stays unknown in time
   */
  async make<D extends NamedSubmission>(
    definition: D,
    submission: RequestOf<D>,
    { submissionId, again }: { submissionId: string; again: boolean },
    isMade: () => Promise<boolean>,
  ): Promise<{ name: string }> {
    const body = { ...submission, submission_id: submissionId };
    // A submission that resumes work makes no row, so its id is not found. It is never sent again.
    if ('resume' in body && body.resume === true) return this.ask<NamedSubmission>(definition, body);
    let inDoubt = again;
    if (again && (await isMade())) return body;
    for (;;) {
      const { epoch } = this.leaders;
      const succeeded = new AbortController();
      const unwatch = this.leaders.onSuccession(() => succeeded.abort());
      try {
        return await this.askLeader<NamedSubmission>(definition, body, { signal: succeeded.signal });
      } catch (error) {
        if (!isServiceError(error)) throw error;
        if (inDoubt && error.code === 'duplicate_name' && (await isMade())) return body;
        // Another orchestrator took over before the request was sent.
        if (error.code === 'aborted' && error.effect === 'none') continue;
        if (error.effect !== 'maybe') throw inWords(error);
        if (await this.wasMade(epoch, isMade, error)) return body;
        inDoubt = true;
      } finally {
        unwatch();
      }
    }
  }

  /** Sends a request as soon as an orchestrator leads. */
  private async askLeader<D extends OrchestratorRequest>(
    definition: D,
    body: RequestOf<D>,
    options?: CallOptions,
  ): Promise<ReplyOf<D>> {
    const giveUpAt = performance.now() + this.wait.ms;
    for (;;) {
      try {
        return await this.requests.call<AnyRequest>(definition, {}, body, options);
      } catch (error) {
        if (!isGap(error) || performance.now() >= giveUpAt) throw error;
        await delay(lookMs);
      }
    }
  }

  /**
   * @param epoch of the leader that got the request
   * @returns false when it is certain that the record does not exist and never will
   * @throws the given error, in words, when that does not become certain in time
   */
  private async wasMade(
    epoch: number,
    isMade: () => Promise<boolean>,
    error: ServiceError,
  ): Promise<boolean> {
    const giveUpAt = performance.now() + this.wait.ms;
    for (;;) {
      // Read before the look-up: everything that the leader of that epoch committed is stored by now.
      const succeeded = epoch > 0 && this.leaders.epoch > epoch;
      const made = await unlessStoreIsAway(isMade);
      if (made === true) return true;
      if (succeeded && made === false) return false;
      if (performance.now() >= giveUpAt) throw inWords(error);
      await delay(lookMs);
    }
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

function inWords(error: unknown): unknown {
  if (!isServiceError(error) || !(error.code in words)) return error;
  const { code, effect } = error;
  return new ServiceError(code, words[code as keyof typeof words][effect], { effect, cause: error });
}

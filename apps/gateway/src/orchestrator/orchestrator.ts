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

/** Between two looks for an orchestrator that leads, in milliseconds. */
const lookMs = 100;

const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A request of the leading orchestrator. */
export type OrchestratorRequest = AnyRequest & { readonly subject: `svc.v1.orchestrator.${string}` };

/** A request for something to be made under the name in its body. */
type NamedSubmission =
  | typeof orchestratorRequests.submitProtocolRun
  | typeof orchestratorRequests.submitCampaign
  | typeof orchestratorRequests.submitTask;

/** How long a request waits for an orchestrator that leads. */
export abstract class FailoverWait {
  /** Milliseconds. */
  abstract readonly ms: number;
}

/**
 * The leading orchestrator, as people are told of it: what the bus says of subjects is put in their words.
 *
 * While nobody leads a request waits for the next leader, since nothing was done with it. One that may have been carried
 * out is never sent again.
 */
@Injectable()
export class Orchestrator {
  constructor(
    private readonly requests: Requests,
    private readonly leaders: LeaderWatch,
    private readonly wait: FailoverWait,
  ) {}

  /** @throws ServiceError what the orchestrator answered, or that it did not */
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
   * Asks what a submission would be answered if it was meant.
   *
   * @throws ServiceError what it would be refused with
   */
  async tryOut<Asked extends Submission>(asked: Asked): Promise<DryRunRecord<Asked['submission']>> {
    const record = await this.ask<typeof orchestratorRequests.dryRun>(orchestratorRequests.dryRun, asked);
    return record as DryRunRecord<Asked['submission']>;
  }

  /**
   * Asks for something that has a name of its own to be made, and makes sure that it is made once: when the answer is
   * lost it is looked for, and asked for again only once the orchestrator that was asked can never make it any more.
   *
   * @param asked.submissionId stored with what is made
   * @param asked.again true: the request was sent before, and may have been carried out
   * @param isMade whether the submission with this id made something under the name
   * @throws ServiceError what the orchestrator answered; with effect `maybe` when it could not be found out in time
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
        // Another one took over before this was sent to anybody.
        if (error.code === 'aborted' && error.effect === 'none') continue;
        if (error.effect !== 'maybe') throw inWords(error);
        if (await this.wasMade(epoch, isMade, error)) return body;
        inDoubt = true;
      } finally {
        unwatch();
      }
    }
  }

  /** Sends a request as soon as somebody leads. */
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
   * @param epoch of the leader that was asked
   * @returns false when it is certain that it was not made and never will be
   * @throws the error given, in words, when that does not become certain in time
   */
  private async wasMade(
    epoch: number,
    isMade: () => Promise<boolean>,
    error: ServiceError,
  ): Promise<boolean> {
    const giveUpAt = performance.now() + this.wait.ms;
    for (;;) {
      // Before it is looked: what the leader of that epoch ever committed is there by now.
      const succeeded = epoch > 0 && this.leaders.epoch > epoch;
      const made = await unlessStoreIsAway(isMade);
      if (made === true) return true;
      if (succeeded && made === false) return false;
      if (performance.now() >= giveUpAt) throw inWords(error);
      await delay(lookMs);
    }
  }
}

/** Undefined while the database does not answer. */
async function unlessStoreIsAway(look: () => Promise<boolean>): Promise<boolean | undefined> {
  try {
    return await look();
  } catch (error) {
    if (isServiceError(error) && error.code === 'store_unavailable') return undefined;
    throw error;
  }
}

/** Nobody leads at present, or the way to whoever does is closed; nothing was done. */
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

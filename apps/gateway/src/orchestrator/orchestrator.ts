import {
  isServiceError,
  orchestratorRequests,
  ServiceError,
  type DryRunRecord,
  type LabRights,
  type ReplyOf,
  type RequestOf,
  type Submission,
} from '@lab/contracts';
import {
  LeaderRequests,
  LeaderWatch,
  systemBusTimers,
  type Bus,
  type LeaderRequest,
  type NamedSubmission,
  type SubmissionAsked,
} from '@lab/messaging';
import { Injectable } from '@nestjs/common';
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

/** Longest time that a request waits for a leading orchestrator. */
export abstract class FailoverWait {
  /** Milliseconds. */
  abstract readonly ms: number;
}

/** Sends requests to the leading orchestrator, and puts errors of the bus into words for users. */
@Injectable()
export class Orchestrator {
  private readonly leading: LeaderRequests;

  constructor(requests: Requests, leaders: LeaderWatch, wait: FailoverWait) {
    const bus: Pick<Bus, 'request'> = { request: (...asked) => requests.call(...asked) };
    this.leading = new LeaderRequests({ bus, leaders, timers: systemBusTimers, waitMs: wait.ms });
  }

  /** @throws ServiceError the error that the orchestrator answered, or one that says that it did not answer */
  ask<D extends LeaderRequest>(
    definition: D,
    body: RequestOf<D>,
    options?: CallOptions,
  ): Promise<ReplyOf<D>> {
    return this.leading.ask<D>(definition, body, options).catch(throwInWords);
  }

  /**
   * Tries a submission out.
   *
   * @param rights of the caller
   * @throws ServiceError as the submission itself would
   */
  async tryOut<Asked extends Submission>(
    asked: Asked,
    rights: LabRights,
  ): Promise<DryRunRecord<Asked['submission']>> {
    const record = await this.ask<typeof orchestratorRequests.dryRun>(orchestratorRequests.dryRun, {
      ...asked,
      rights,
    });
    return record as DryRunRecord<Asked['submission']>;
  }

  /** As {@link LeaderRequests.make}. */
  make<D extends NamedSubmission>(
    definition: D,
    submission: RequestOf<D>,
    asked: SubmissionAsked,
    isMade: () => Promise<boolean>,
  ): Promise<ReplyOf<D> | { name: string }> {
    return this.leading.make<D>(definition, submission, asked, isMade).catch(throwInWords);
  }
}

function throwInWords(error: unknown): never {
  if (!isServiceError(error) || !(error.code in words)) throw error;
  const { code, effect } = error;
  // Only the gateway aborts a request to a leader, when another one takes over. For its caller the service had a gap.
  throw new ServiceError(
    code === 'aborted' ? 'service_unavailable' : code,
    words[code as keyof typeof words][effect],
    { effect, cause: error },
  );
}

import { isServiceError, ServiceError, type AnyRequest, type ReplyOf, type RequestOf } from '@lab/contracts';
import { Injectable } from '@nestjs/common';
import { Requests, type CallOptions } from './ports.js';

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
};

/** The leading orchestrator, as people are told of it: what the bus says of subjects is put in their words. */
@Injectable()
export class Orchestrator {
  constructor(private readonly requests: Requests) {}

  /** @throws ServiceError what the orchestrator answered, or that it did not */
  async ask<D extends AnyRequest & { readonly subject: `svc.v1.orchestrator.${string}` }>(
    definition: D,
    body: RequestOf<D>,
    options?: CallOptions,
  ): Promise<ReplyOf<D>> {
    try {
      return await this.requests.call<AnyRequest>(definition, {}, body, options);
    } catch (error) {
      if (!isServiceError(error) || !(error.code in words)) throw error;
      const { code, effect } = error;
      throw new ServiceError(code, words[code as keyof typeof words][effect], { effect, cause: error });
    }
  }
}

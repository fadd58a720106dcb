import type { AnyEvent, AnyRequest, BodyOf, ReplyOf, RequestOf, Tokens } from '@lab/contracts';

export interface CallOptions {
  /** Milliseconds to wait for the reply; default: what the definition says. */
  timeoutMs?: number;
  /** Incarnation of the agent that the message is meant for. */
  inc?: number;
  /** Gives up waiting; what was begun is not stopped by it. */
  signal?: AbortSignal;
}

/** Requests over the broker. Rejections are ServiceErrors whose `effect` says what is known. */
export abstract class Requests {
  abstract call<D extends AnyRequest>(
    definition: D,
    tokens: Tokens<D['subject']>,
    body: RequestOf<D>,
    options?: CallOptions,
  ): Promise<ReplyOf<D>>;
}

/** Events over the broker, for whoever listens. */
export abstract class Announcements {
  /**
   * Sends the event before it returns.
   *
   * @returns resolves when the broker has got it
   * @throws ServiceError `disconnected`
   */
  abstract announce<D extends AnyEvent>(
    definition: D,
    tokens: Tokens<D['subject']>,
    body: BodyOf<D>,
  ): Promise<void>;
}

/** Whether the broker is connected at this moment. */
export abstract class BrokerStatus {
  abstract readonly connected: boolean;
}

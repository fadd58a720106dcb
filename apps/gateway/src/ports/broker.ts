import type { AnyEvent, AnyRequest, BodyOf, ReplyOf, RequestOf, Tokens } from '@lab/contracts';

export interface CallOptions {
  /** Milliseconds to wait for the reply; default: the timeout of the definition. */
  timeoutMs?: number;
  /** Incarnation of the agent that the message is for. */
  inc?: number;
  /** Fence per device, `<lab>.<device>` to number. */
  fence?: Record<string, number>;
  /** Stops waiting for the reply. The request itself continues. */
  signal?: AbortSignal;
}

/** Requests over the broker. They reject with ServiceErrors that state the known `effect`. */
export abstract class Requests {
  abstract call<D extends AnyRequest>(
    definition: D,
    tokens: Tokens<D['subject']>,
    body: RequestOf<D>,
    options?: CallOptions,
  ): Promise<ReplyOf<D>>;
}

/** Events over the broker to all subscribers. */
export abstract class Announcements {
  /**
   * Sends the event before it returns.
   *
   * @returns resolves when the broker has the event
   * @throws ServiceError `disconnected`
   */
  abstract announce<D extends AnyEvent>(
    definition: D,
    tokens: Tokens<D['subject']>,
    body: BodyOf<D>,
  ): Promise<void>;
}

/** Whether the broker can be used now. */
export abstract class BrokerStatus {
  /** Why the broker cannot be used at present, in words; undefined: it can. Never rejects. */
  abstract trouble(): Promise<string | undefined>;
}

import { ServiceError, type ErrorCode } from '@lab/contracts';
import { ReachedNobody } from './reached-nobody.js';
import { decodeReply } from './codec.js';
import type { BusTimers } from './timers.js';
import type { Wire, WireMessage } from './wire.js';

/** A request that waits for its reply. */
export interface Waiting {
  /** Name of the definition, for error messages. */
  name: string;
  subject: string;
  /** The process that may answer, as two tokens. The broker lets no other process use them. */
  answerer: string;
  timeoutMs: number;
  signal: AbortSignal | undefined;
  onReply(body: unknown): void;
  onError(error: ServiceError): void;
}

interface Entry extends Waiting {
  release: () => void;
}

/**
 * The replies that this connection waits for, on one subscription. Each entry ends exactly once: by its reply, its
 * deadline, its signal or the loss of the connection. Later replies are dropped.
 */
export class PendingReplies {
  readonly #entries = new Map<string, Entry>();
  #last = 0;

  constructor(
    private readonly wire: Wire,
    private readonly timers: BusTimers,
  ) {
    wire.subscribe(`${wire.inbox}.*.*.*`, (message) => this.#onReply(message));
  }

  /** Registers a request. @returns the subject for its reply */
  add(waiting: Waiting): string {
    this.#last += 1;
    const { name, signal, timeoutMs, answerer } = waiting;
    const token = `${answerer}.${this.#last.toString(36)}`;
    const cancelTimer = this.timers.after(timeoutMs, () =>
      this.#fail(token, 'deadline_exceeded', `no reply to ${name} within ${timeoutMs} ms`),
    );
    let release = cancelTimer;
    if (signal !== undefined) {
      const onAbort = (): void => this.#fail(token, 'aborted', `the call of ${name} was aborted`);
      signal.addEventListener('abort', onAbort, { once: true });
      release = () => {
        cancelTimer();
        signal.removeEventListener('abort', onAbort);
      };
    }
    this.#entries.set(token, { ...waiting, release });
    return `${this.wire.inbox}.${token}`;
  }

  /** Fails every pending request with effect maybe: the outcome can no longer be known. */
  failAll(why: string): void {
    for (const [token, { name }] of [...this.#entries]) {
      this.#fail(token, 'disconnected', `${why} before the reply to ${name}`);
    }
  }

  /** Fails the requests on a subject that the broker refused to carry. */
  refuse(subject: string): void {
    for (const [token, entry] of [...this.#entries]) {
      if (entry.subject !== subject) continue;
      this.#take(token)?.onError(
        new ServiceError('forbidden', `the broker refuses ${entry.name} from this process on ${subject}`),
      );
    }
  }

  #onReply(message: WireMessage): void {
    const entry = this.#take(message.subject.slice(this.wire.inbox.length + 1));
    if (entry === undefined) return;
    if (message.noResponders) {
      entry.onError(new ReachedNobody(`nobody serves ${entry.name} on ${entry.subject}`));
      return;
    }
    let body: unknown;
    try {
      body = decodeReply(message.data, entry.name);
    } catch (error) {
      entry.onError(error as ServiceError);
      return;
    }
    entry.onReply(body);
  }

  #fail(token: string, code: ErrorCode, message: string): void {
    this.#take(token)?.onError(new ServiceError(code, message, { effect: 'maybe' }));
  }

  #take(token: string): Entry | undefined {
    const entry = this.#entries.get(token);
    if (entry === undefined) return undefined;
    this.#entries.delete(token);
    entry.release();
    return entry;
  }
}

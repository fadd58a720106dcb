import { ServiceError } from '@lab/contracts';

interface Writer {
  /** Stops the writer. Resolves when it has stopped. */
  replace(): Promise<void>;
}

/** Allows one writer at a time for each upload. A later writer takes over from a connection that may be dead. */
export class Writers {
  readonly #writers = new Map<string, Writer>();

  /**
   * Ends the work in progress under this name, then does this work. The source of the work ends with `wrong_state`
   * when a later writer takes over.
   *
   * @throws ServiceError `wrong_state` when a later writer took over; errors of the source or the work
   */
  async alone<T>(
    name: string,
    source: AsyncIterable<Uint8Array>,
    work: (source: AsyncIterable<Uint8Array>) => Promise<T>,
  ): Promise<T> {
    for (let other = this.#writers.get(name); other !== undefined; other = this.#writers.get(name)) {
      await other.replace();
    }
    const takeover = new Takeover();
    let ended: () => void = () => undefined;
    const end = new Promise<void>((resolve) => (ended = resolve));
    const writer: Writer = {
      replace: () => {
        takeover.happen();
        return end;
      },
    };
    this.#writers.set(name, writer);
    try {
      return await work(until(takeover, source));
    } finally {
      if (this.#writers.get(name) === writer) this.#writers.delete(name);
      ended();
    }
  }
}

/**
 * An event that may happen while chunks are awaited one after the other. A promise raced with each chunk would keep
 * all chunks, and so the whole upload, in memory until it settles.
 */
class Takeover {
  #error: ServiceError | undefined;
  #interrupt: (error: ServiceError) => void = () => undefined;

  happen(): void {
    this.#error = new ServiceError('wrong_state', 'the upload was taken over by another connection');
    this.#interrupt(this.#error);
  }

  /** The result of the wait. @throws ServiceError when the event happens first; errors of the wait */
  before<T>(wait: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#interrupt = reject;
      wait.then(resolve, reject);
      if (this.#error !== undefined) reject(this.#error);
    });
  }
}

async function* until(takeover: Takeover, source: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const iterator = source[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await takeover.before(iterator.next());
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    // Nobody waits for the rest of an abandoned connection.
    void Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
}

import { ServiceError } from '@lab/contracts';

interface Writer {
  /** Makes it stop; resolves when it has. */
  replace(): Promise<void>;
}

/** One writer at a time for each upload: whoever comes later takes over from a connection that may be dead. */
export class Writers {
  readonly #writers = new Map<string, Writer>();

  /**
   * Ends the work under this name that is under way, and does this one. The source it is given ends with `wrong_state`
   * when it is taken over in turn.
   *
   * @throws ServiceError `wrong_state` when it was taken over; what the source or the work throws
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
 * Something that may happen while one chunk after the other is waited for. A promise raced with each of them would keep
 * them all until it is settled, and with them the whole upload in memory.
 */
class Takeover {
  #error: ServiceError | undefined;
  #interrupt: (error: ServiceError) => void = () => undefined;

  happen(): void {
    this.#error = new ServiceError('wrong_state', 'the upload was taken over by another connection');
    this.#interrupt(this.#error);
  }

  /** What comes of the wait. @throws ServiceError when it happens before; what the wait throws */
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
    // Nobody waits for what a connection that was given up still has to say.
    void Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
}

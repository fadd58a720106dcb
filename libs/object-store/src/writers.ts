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
    let replaced: (error: ServiceError) => void = () => undefined;
    const replacement = new Promise<never>((_, reject) => (replaced = reject));
    // It may come when nobody waits for it any more.
    replacement.catch(() => undefined);
    let ended: () => void = () => undefined;
    const end = new Promise<void>((resolve) => (ended = resolve));
    const writer: Writer = {
      replace: () => {
        replaced(new ServiceError('wrong_state', 'the upload was taken over by another connection'));
        return end;
      },
    };
    this.#writers.set(name, writer);
    try {
      return await work(until(replacement, source));
    } finally {
      if (this.#writers.get(name) === writer) this.#writers.delete(name);
      ended();
    }
  }
}

async function* until(
  replacement: Promise<never>,
  source: AsyncIterable<Uint8Array>,
): AsyncIterable<Uint8Array> {
  const iterator = source[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await Promise.race([iterator.next(), replacement]);
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    // Nobody waits for what a connection that was given up still has to say.
    void Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
}

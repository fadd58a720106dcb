import type { JsonObject } from '@lab/sdk';
import { fromServer, type ValueDescription } from './node-types.js';
import { isBad, type Sample } from './messages.js';

/** A value that people see. */
export interface Watched {
  node: string;
  unit: string | undefined;
  description: ValueDescription;
}

/** The last values of watched nodes. */
export class Samples {
  readonly #watched = new Map<string, Watched>();
  readonly #last = new Map<string, { sample: Sample; at: number }>();

  /** @param now milliseconds of a monotonic clock */
  constructor(private readonly now: () => number = () => performance.now()) {}

  watch(name: string, watched: Watched): void {
    this.#watched.set(name, watched);
  }

  /** Forgets all values: those of another connection say nothing about now. */
  forget(): void {
    this.#last.clear();
  }

  heard(sample: Sample): void {
    this.#last.set(sample.node, { sample, at: this.now() });
  }

  /**
   * All values for people, with the status code and the seconds since the server sent the value. A bad value is null. The server sends a value
   * when it changes.
   */
  report(): JsonObject {
    return Object.fromEntries(
      [...this.#watched].map(([name, { node, unit, description }]) => {
        const last = this.#last.get(node);
        const units = unit ?? (description.unit === 'n/a' ? undefined : description.unit);
        const common: JsonObject = units === undefined ? {} : { unit: units };
        if (last === undefined) return [name, { value: null, ...common, status: 'unknown' }];
        const { value, status, time } = last.sample;
        return [
          name,
          {
            value: isBad(status) ? null : fromServer(description, value),
            ...common,
            status,
            age_s: Math.round((this.now() - last.at) / 100) / 10,
            ...(time === null ? {} : { time }),
          },
        ];
      }),
    );
  }
}

import { ServiceError } from '@lab/contracts';
import type { Clock } from './ports.js';

/** Heartbeats whose time is remembered: a minute of them. */
const remembered = 64;

/** Stands for the hello of the present registration, until a heartbeat has been heard. */
const hello = 0;

/**
 * How old the knowledge is that a command was given on. Each heartbeat has a number, the sender of a command names the
 * newest it has heard, and this side knows when it sent that one by its own clock: a command that was held up on its way,
 * or that finds an agent which had been stopped, is told from one that was just sent, and no two clocks are compared.
 */
export class Freshness {
  readonly #clock: Clock;
  readonly #sentAt = new Map<number, number>();
  #last = hello;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The agent was registered by a hello. @param sentAt when that was sent, by the clock given */
  registered(sentAt: number): void {
    this.#sentAt.set(hello, sentAt);
  }

  /** A heartbeat is being sent. @returns its number, higher than any before */
  next(): number {
    this.#last += 1;
    this.#sentAt.set(this.#last, this.#clock.now());
    this.#sentAt.delete(this.#last - remembered);
    return this.#last;
  }

  /**
   * @param heard number of the newest heartbeat that the sender of a command has heard; 0: only the hello
   * @param withinMs how old that one may be
   * @throws ServiceError `stale_message` when it is older or unknown, or none is named although heartbeats were sent
   */
  demand(heard: number | undefined, withinMs: number): void {
    if (heard === undefined) {
      if (this.#last === hello) return;
      throw new ServiceError(
        'stale_message',
        'the command does not say which heartbeat its sender has heard',
      );
    }
    const sentAt = this.#sentAt.get(heard);
    const age = sentAt === undefined ? undefined : this.#clock.now() - sentAt;
    if (age !== undefined && age <= withinMs) return;
    const old = age === undefined ? 'is too long ago' : `was sent ${Math.round(age)} ms ago`;
    throw new ServiceError(
      'stale_message',
      `the command rests on heartbeat ${heard}, which ${old}; ${withinMs} ms are allowed`,
    );
  }
}

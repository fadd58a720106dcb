import { callFreshMs, ServiceError } from '@lab/contracts';
import type { Clock } from '@lab/ports';

/** Heartbeats whose time is remembered: a minute of them. */
const remembered = 64;

/** Stands for the hello of the present registration, until a heartbeat has been heard. */
const hello = 0;

/**
 * How old the knowledge is that a command was given on. Each heartbeat has a number, the sender of a command names the
 * newest it has heard, and this side knows when it sent that one by its own clock: a command that was held up on its way,
 * or that finds an agent which had been stopped, is told from one that was just sent, and no two clocks are compared. Calls
 * of devices, of which there are many, name a reading of the clock itself.
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

  /** What {@link demandReading} compares a call with, in milliseconds since some moment of this process. */
  reading(): number {
    return this.#clock.now();
  }

  /**
   * A call of a device rests on a reading of this clock that was taken before it was sent.
   *
   * @throws ServiceError `late_message` when that is longer ago than a call may be on its way
   */
  demandReading(asOf: number): void {
    const age = this.#clock.now() - asOf;
    if (age >= 0 && age <= callFreshMs) return;
    throw new ServiceError(
      'late_message',
      `the call was on its way for ${Math.round(age)} ms; ${callFreshMs} ms are allowed, so it was not made`,
    );
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

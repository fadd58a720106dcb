import { callFreshMs, ServiceError } from '@lab/contracts';
import type { Clock } from '@lab/ports';

/** Number of heartbeats whose time is remembered: those of one minute. */
const remembered = 64;

/** The number that stands for the hello of the present registration. */
const hello = 0;

/**
 * Judges how old the knowledge of a command's sender is, without comparing two clocks. Each heartbeat has a number. A command
 * names the newest heartbeat that its sender has received, and this agent knows by its own clock when it sent that heartbeat.
 * So it recognises a command that was delayed on its way, or that arrives after the agent itself was paused. Device calls,
 * which are frequent, name a reading of this agent's clock instead.
 */
export class Freshness {
  readonly #sentAt = new Map<number, number>();
  #last = hello;

  constructor(private readonly clock: Clock) {}

  /** Notes a registration. @param sentAt when its hello was sent, by the given clock */
  registered(sentAt: number): void {
    this.#sentAt.set(hello, sentAt);
  }

  /** Notes that a heartbeat is being sent. @returns its number, which is higher than all earlier ones */
  next(): number {
    this.#last += 1;
    this.#sentAt.set(this.#last, this.clock.now());
    this.#sentAt.delete(this.#last - remembered);
    return this.#last;
  }

  /**
   * Checks the reading of this clock that the sender of a device call took before it sent the call.
   *
   * @throws ServiceError `late_message` when the call was on its way for too long
   */
  demandReading(asOf: number): void {
    const age = this.clock.now() - asOf;
    if (age >= 0 && age <= callFreshMs) return;
    throw new ServiceError(
      'late_message',
      `the call was on its way for ${Math.round(age)} ms; ${callFreshMs} ms are allowed, so it was not made`,
    );
  }

  /**
   * Checks the heartbeat that a command names.
   *
   * @param heard number of the newest heartbeat that the sender has received; 0: only the hello
   * @param withinMs how old that heartbeat may be, in milliseconds
   * @throws ServiceError `stale_message` when it is older or unknown, or none is named although heartbeats were sent
   */
  demand(heard: number | undefined, withinMs: number): void {
    if (heard === undefined) {
      if (this.#last === hello) return;
      throw new ServiceError(
        'stale_message',
        'the command does not name the newest heartbeat that its sender received',
      );
    }
    const sentAt = this.#sentAt.get(heard);
    const age = sentAt === undefined ? undefined : this.clock.now() - sentAt;
    if (age !== undefined && age <= withinMs) return;
    const old = age === undefined ? 'is too long ago' : `was sent ${Math.round(age)} ms ago`;
    throw new ServiceError(
      'stale_message',
      `the command rests on heartbeat ${heard}, which ${old}; ${withinMs} ms are allowed`,
    );
  }
}

import { setTimeout as pause } from 'node:timers/promises';
import { NotBegun } from '@lab/sdk';
import { isRefusal } from './link.js';

export interface FollowOptions<State> {
  /** Reads the state of the work. */
  ask: () => Promise<State>;
  isOver: (state: State) => boolean;
  /** Milliseconds between two questions. */
  everyMs: number;
  /** Called for each state that is not the last one. */
  seen?: (state: State) => void | Promise<void>;
  /** Called when the system stops to answer, with the reason, and when it answers again, with null. */
  silent: (why: string | null) => void;
}

/** The longest pause between two questions while the system does not answer, in milliseconds. */
const longestPauseMs = 5_000;

/** HTTP statuses that refuse a question for now, such as that of a limit for requests. */
const askLater: ReadonlySet<number> = new Set([408, 425, 429]);

/**
 * Asks for the state of work that another system carries out, until the work is over. While the system does not answer, it
 * asks again, without an end: to end here would say that the work is over. The time limit of the call ends the process.
 *
 * @throws PeerError when the system refuses the question; NotBegun when a recording does not have it
 */
export async function follow<State>(options: FollowOptions<State>): Promise<State> {
  const { ask, isOver, everyMs, seen, silent } = options;
  let failures = 0;
  for (;;) {
    try {
      const state = await ask();
      if (failures > 0) silent(null);
      failures = 0;
      if (isOver(state)) return state;
      await seen?.(state);
    } catch (error) {
      if (error instanceof NotBegun) throw error;
      if (isRefusal(error) && !askLater.has(error.status ?? 0)) throw error;
      failures += 1;
      if (failures === 2) silent(error instanceof Error ? error.message : String(error));
    }
    const wait = failures === 0 ? everyMs : Math.min(longestPauseMs, everyMs * 2 ** Math.min(failures, 10));
    await pause(wait);
  }
}

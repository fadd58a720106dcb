import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** One campaign of a problem. */
export interface Piece {
  name: string;
  seed: number;
}

/** The outcome of a campaign, or of one timed proposal. */
export interface Played {
  /** Figure of merit; undefined for a timed proposal. */
  value?: number;
  /** Milliseconds of processor time for one proposal. */
  cpuMs?: number;
  /** Rows of the initial design. */
  spread?: Row[];
  /** Seconds of processor time for one proposal with its fit. */
  cpu?: number;
  /** Seconds by the wall clock for the same. */
  wall?: number;
}

export type Row = Record<string, number | string>;

/**
 * Gives every piece to one of `count` processes; the next free process takes the next piece.
 *
 * @param done is called with each result and awaited
 */
export async function playAll(
  pieces: readonly Piece[],
  count: number,
  done: (played: Piece & { result: Played }) => Promise<void>,
): Promise<void> {
  const waiting = [...pieces];
  const player = fileURLToPath(new URL('player.js', import.meta.url));
  const work = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const child = fork(player, { serialization: 'advanced' });
      const next = (): void => {
        const piece = waiting.shift();
        if (piece === undefined) child.disconnect();
        else child.send(piece);
      };
      child.on('message', (played: Piece & { result: Played }) => void done(played).then(next, reject));
      child.on('error', reject);
      child.on('exit', (code) =>
        code === 0 ? resolve() : reject(new Error(`a player exited with ${code}`)),
      );
      next();
    });
  await Promise.all(Array.from({ length: Math.min(count, waiting.length) }, work));
}

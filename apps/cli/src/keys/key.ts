import { acceptedEntries, signingEntry, type KeyRing, type Overlap } from '@lab/trust/key-ring';

/** One key of a data folder, as an administrator sees it. It never contains the key itself. */
export interface KeyState {
  name: string;
  /** What it signs or seals. */
  use: string;
  /** Since when the present key signs, in ISO 8601; null: unknown. */
  since: string | null;
  /** From when a new key signs that is only accepted so far; null: there is none. */
  next: string | null;
  /** Until when an earlier key is accepted: in ISO 8601, `no end`, or null: there is none. */
  previous: string | null;
  /** Whether `svc keys rotate` replaces it. */
  rotates: boolean;
}

/** A key that `svc keys` knows. */
export interface StoredKey {
  readonly name: string;
  readonly use: string;
  /** Undefined: the data folder has no such key yet. @throws Error in one sentence when its file is damaged */
  state(now: number): Promise<KeyState | undefined>;
  /**
   * Replaces the key. Undefined: `svc keys` cannot.
   *
   * @returns sentences about what was done and what is left to do
   * @throws Error in one sentence; the key before is in use then
   */
  rotate?(overlap: Overlap, now: number): Promise<string[]>;
}

/** A moment for people, in whole seconds of UTC. */
export const seconds = (moment: string | null): string => `${(moment ?? '').slice(0, 19)}Z`;

/** What a ring says about a key. */
export function stateOf(
  { name, use }: Pick<StoredKey, 'name' | 'use'>,
  ring: KeyRing<unknown>,
  now: number,
): KeyState {
  const signing = signingEntry(ring, now);
  const accepted = acceptedEntries(ring, now);
  const position = accepted.indexOf(signing);
  const next = accepted.slice(0, position)[0];
  const ends = accepted
    .filter((entry) => entry !== next && (entry !== signing || next !== undefined))
    .map(({ until }) => until ?? 'no end');
  return {
    ...{ name, use, since: signing.since, next: next?.since ?? null, rotates: true },
    previous: ends.sort().at(-1) ?? null,
  };
}

import type { UsageRecord } from '@lab/api-client';
import type { Tone } from './situation.js';
import type { WordKey } from './words/catalogues.js';
import type { Words } from './words/words.js';

export const usageKinds = ['owner', 'lab'] as const satisfies readonly UsageRecord['kind'][];
export type UsageKind = UsageRecord['kind'];

/** From this share of a limit on the service warns. */
const nearlyUsed = 0.8;

/** How much room a quota leaves. */
export type RoomState = 'used_up' | 'nearly_used' | 'room' | 'no_limit';

const tonesOfRoom: Readonly<Record<RoomState, Tone>> = {
  used_up: 'alarm',
  nearly_used: 'warning',
  room: 'good',
  no_limit: 'idle',
};
export const roomTone = (state: RoomState): Tone => tonesOfRoom[state];

/** What is used of one limit. */
export interface Used {
  used: number;
  /** undefined: there is no limit. */
  most: number | undefined;
  /** Used share of the limit, also beyond 1; undefined: there is no limit. */
  share: number | undefined;
  state: RoomState;
}

/** @param share of a limit; undefined: there is no limit */
export function roomStateOf(share: number | undefined): RoomState {
  if (share === undefined) return 'no_limit';
  if (share >= 1) return 'used_up';
  return share >= nearlyUsed ? 'nearly_used' : 'room';
}

function usedOf(used: number, most: number | null): Used {
  // Of a limit of nothing, nothing is left.
  const share = most === null ? undefined : most === 0 ? 1 : used / most;
  return { used, most: most ?? undefined, share, state: roomStateOf(share) };
}

/** What an owner or a laboratory uses of its two limits, and how it stands with the one that is used most. */
export function usageOf({ records, bytes, max_records, max_bytes, share }: UsageRecord): {
  records: Used;
  bytes: Used;
  state: RoomState;
} {
  return {
    records: usedOf(records, max_records),
    bytes: usedOf(bytes, max_bytes),
    state: roomStateOf(share ?? undefined),
  };
}

const sizes = [
  ['usage.size.gb', 1e9],
  ['usage.size.mb', 1e6],
  ['usage.size.kb', 1e3],
] as const satisfies readonly (readonly [WordKey, number])[];

/** A size in units of powers of ten, as quotas are given. */
export function quotaSize(words: Words, bytes: number): string {
  const [key, unit] = sizes.find(([, least]) => bytes >= least) ?? sizes[2];
  return words.say(key, { count: words.number(bytes / unit, 1) });
}

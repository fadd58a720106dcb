import { mayBeginUpdates, type RolloutRecord } from '@lab/contracts';
import type { RolloutRow, RolloutStepRow } from '../rows/index.js';
import { completionDue, ringDue, whyNotBegun, type ComputerNow, type World } from './machine.js';

/** A rollout for people. */
export function recordOf(row: RolloutRow, world: World): RolloutRecord {
  const { id, version, state, by, reason, settleMs, at, halt, endedAt, endedBy, steps, leftOut } = row;
  const due = mayBeginUpdates(state) ? ringDue(row) : null;
  return {
    ...{ id, version, state, by, reason },
    settle_s: settleMs / 1_000,
    created_at: iso(at),
    ended_at: endedAt === null ? null : iso(endedAt),
    ended_by: endedBy,
    halt: halt && { ...halt, at: iso(halt.at) },
    waits_for: waitOf(row, world.now),
    computers: steps.map((step) => ({
      computer: step.computer,
      ring: step.ring,
      state: step.state,
      version_before: step.versionBefore,
      platform: step.platform,
      since: iso(step.since),
      detail: detailOf(step, due !== null && due.ring === step.ring && due.at <= world.now, world),
    })),
    left_out: leftOut.map(({ computer, reason: why }) => ({ computer, reason: why })),
  };
}

/** What a rollout waits for that goes on by itself, in words; null: nothing. */
function waitOf(row: RolloutRow, now: number): string | null {
  if (!mayBeginUpdates(row.state)) return null;
  const due = ringDue(row);
  const [what, at] =
    due === null ? ['the rollout ends', completionDue(row) ?? now] : [`ring ${due.ring} begins`, due.at];
  return at <= now ? null : `${what} at ${iso(at)}, if no attention item is opened until then`;
}

/** @param isDue the ring of the step has begun */
function detailOf(
  { state, computer, failure, usable }: RolloutStepRow,
  isDue: boolean,
  world: World,
): string | null {
  const there = (): ComputerNow => world.computer(computer);
  switch (state) {
    case 'failed':
      return failure;
    case 'waiting':
      return isDue ? whyNotBegun(there()) : null;
    case 'draining': {
      const { users } = there();
      return users.length === 0 ? null : `waits for ${users.join(', ')}`;
    }
    case 'initializing': {
      const { devices } = there();
      const faults = usable.flatMap((key) =>
        devices.get(key) == null ? [] : [`${key}: ${devices.get(key)}`],
      );
      return faults.length === 0 ? null : faults.join('; ');
    }
    case 'updating':
      return 'its agent fetches and unpacks the version';
    case 'restarting':
      return 'its agent restarts';
    case 'updated':
      return null;
  }
}

const iso = (at: number): string => new Date(at).toISOString();

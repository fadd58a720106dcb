import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LedgerState, readLedger, type LedgerReading, type SegmentName } from '@lab/actors';
import type { DiskLatency } from './disk-latency.js';

/** The content of a ledger, as `svc doctor ledger --json` prints it. */
export interface LedgerReport {
  computer: string;
  folder: string;
  /** `damaged`: records that were durable cannot be read any more. */
  state: 'sound' | 'damaged';
  damage: string | null;
  segments: {
    name: string;
    bytes: number;
    generation: number;
    current: boolean;
    used_bytes: number;
    /** `torn`: a crash interrupted a write; the agent removes the incomplete record at its start. */
    tail: string;
  }[];
  /** Number of records by type. */
  records: Record<string, number>;
  open_attempts: { attempt_id: string; label: string; phase: string; effects: number }[];
  /** Calls with a known begin and no known end. While the agent runs, they can be in progress. */
  open_calls: {
    device: string;
    function: string;
    call_id: string;
    kind: string;
    attempt_id: string | null;
  }[];
  halts: { id: string; scope: string; by: string; reason: string }[];
  fences: Record<string, number>;
  fdatasync: DiskLatency | { error: string };
}

/** A rotation while both segments are read looks like damage, so damage is confirmed by further readings. */
const looks = 3;
const pauseMs = 200;

/**
 * Reads the ledger in a folder, also while its agent runs. Writes nothing.
 *
 * @throws Error when the ledger cannot be read
 */
export async function lookAtLedger(folder: string): Promise<LedgerReading> {
  const disk = { read: (segment: SegmentName) => readOrNothing(join(folder, segment)) };
  for (let look = 1; ; look += 1) {
    const reading = await readLedger(disk);
    if (reading.damage === undefined || look === looks) return reading;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

export function reportOf(
  { segments, current, records, damage }: LedgerReading,
  where: Pick<LedgerReport, 'computer' | 'folder' | 'fdatasync'>,
): LedgerReport {
  const state = new LedgerState(undefined, records);
  const counts: Record<string, number> = {};
  for (const { type } of records) counts[type] = (counts[type] ?? 0) + 1;
  return {
    computer: where.computer,
    folder: where.folder,
    state: damage === undefined ? 'sound' : 'damaged',
    damage: damage?.text ?? null,
    segments: segments
      .map((segment) => ({
        name: segment.name,
        bytes: segment.bytes,
        generation: segment.generation,
        current: segment === current,
        used_bytes: segment.end,
        tail: segment.tail,
      }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    records: counts,
    open_attempts: [...state.attempts.values()].map(({ attemptId, label, begun, end, result }) => ({
      attempt_id: attemptId,
      label,
      phase:
        result !== undefined
          ? 'result not acknowledged'
          : end !== undefined
            ? 'files not stored'
            : begun
              ? 'running'
              : 'accepted',
      effects: state.callsOf(attemptId).effects,
    })),
    open_calls: state.openCalls().map(({ device, function: name, callId, kind, attemptId }) => ({
      device,
      function: name,
      call_id: callId,
      kind,
      attempt_id: attemptId ?? null,
    })),
    halts: state.emergencyStops.map(({ id, scope, by, reason }) => ({ id, scope, by, reason })),
    fences: Object.fromEntries(state.fences),
    fdatasync: where.fdatasync,
  };
}

/** The report as text. */
export function reportLines(report: LedgerReport): string[] {
  const { segments, records, open_attempts: attempts, open_calls: calls, halts, fdatasync } = report;
  return [
    `ledger of ${report.computer} in ${report.folder}`,
    ...segments.map(
      ({ name, bytes, generation, current, used_bytes: used, tail }) =>
        `  ${name}  ${mib(bytes)}  ${current ? `in use: generation ${generation}, ${mib(used)} of records, ${tailText(tail)}` : 'ready for the next checkpoint'}`,
    ),
    `  records: ${
      Object.entries(records)
        .map(([type, count]) => `${type} ${count}`)
        .join(', ') || 'none'
    }`,
    ...section(
      'open attempts',
      attempts.map((each) => `${each.label} (${each.attempt_id}): ${each.phase}, ${each.effects} effects`),
    ),
    ...section(
      'calls without a known end (in doubt, unless the agent runs and they are in progress)',
      calls.map(
        (each) =>
          `${each.function} of ${each.device} (${each.call_id}, ${each.kind}) by ${each.attempt_id === null ? 'a person' : `attempt ${each.attempt_id}`}`,
      ),
    ),
    ...section(
      'stops in force',
      halts.map((each) => `${each.scope} by ${each.by}: ${each.reason}`),
    ),
    'error' in fdatasync
      ? `  fdatasync: not measured (${fdatasync.error})`
      : `  fdatasync: p50 ${fdatasync.p50_ms} ms, p99 ${fdatasync.p99_ms} ms over ${fdatasync.writes} writes of ${fdatasync.bytes} bytes`,
    report.damage === null ? '  sound' : `  DAMAGED: ${report.damage}`,
  ];
}

/** Greatest number of lines of a section. The JSON has all. */
const shownLines = 20;

function section(title: string, lines: string[]): string[] {
  if (lines.length === 0) return [`  ${title}: none`];
  const more =
    lines.length > shownLines ? [`and ${lines.length - shownLines} more (--json has them all)`] : [];
  return [`  ${title}:`, ...[...lines.slice(0, shownLines), ...more].map((line) => `    ${line}`)];
}

function tailText(tail: string): string {
  if (tail === 'torn') return 'the last write was cut short';
  return tail === 'damaged' ? 'what follows is damaged' : 'ends clean';
}

function mib(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}

async function readOrNothing(path: string): Promise<Uint8Array | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

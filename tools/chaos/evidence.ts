import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { svc } from '../shared/paths.js';
import { deviceNames } from './laboratory.js';
import { readMotions, readReturns, type Motion, type Returned } from './instruments.js';
import type { Submitted } from './work.js';

/** Reads what a run leaves behind: the database, the logs of instruments and tasks, the ledgers and the files. */

/** Columns that the judge reads. Times are milliseconds since 1970. */
export interface TaskRow {
  id: string;
  name: string;
  type: string;
  state: string;
  run_id: string | null;
  output_parameters: { moved?: number; token?: string } | null;
  output_files: { name: string; size: number; sha256: string }[];
}
export interface RunRow {
  id: string;
  name: string;
  state: string;
}
export interface AttemptRow {
  id: string;
  task_run_id: string;
  number: number;
  state: string;
  computer: string;
  epoch: string | number;
  devices: Record<string, { lab: string; name: string; computer: string }>;
  created_at: number;
}
export interface AllocationRow {
  kind: string;
  key: string;
  task_run_id: string | null;
  held_by_run_id: string | null;
}
export interface AttentionRow {
  id: string;
  kind: string;
  state: string;
  attempt_id: string | null;
  device: string | null;
  computer: string | null;
  reason: { code: string; message: string };
  resolution: { action?: string } | null;
  opened_at: number;
}
/** An emergency stop, or a pause of the queue (scope `queue`). */
export interface StopRow {
  scope: string;
  at: number;
  released_at: number | null;
}
export interface EventRow {
  aggregate: string;
  seq: number;
  type: string;
  /** When the engine committed it. */
  at: number;
}

/** The rows of the database. */
export interface History {
  tasks: TaskRow[];
  runs: RunRow[];
  attempts: AttemptRow[];
  allocations: AllocationRow[];
  attention: AttentionRow[];
  stops: StopRow[];
  events: EventRow[];
}

/** The fields of a record of an agent's ledger that the judge reads. */
export interface LedgerEntry {
  type: string;
  attemptId?: string;
  outcome?: { kind: string };
  call?: {
    callId: string;
    device: string;
    kind: string;
    attemptId?: string;
    fence?: number;
    /** Of a call to the device of another computer. */
    computer?: string;
  };
}

export interface LedgerEvidence {
  computer: string;
  damage: string | null;
  openAttempts: string[];
  openCalls: string[];
  /** Scopes of the emergency stops that the agent still keeps. */
  stops: string[];
  records: LedgerEntry[];
}

export interface Download {
  /** 0: the file did not arrive, or not whole. */
  status: number;
  size: number;
  sha256: string;
}

export interface Evidence extends History {
  submitted: Submitted[];
  motions: Motion[];
  returns: Returned[];
  /** By id of the task run. */
  downloads: Map<string, Download>;
  ledgers: LedgerEvidence[];
  /** Starts of services. */
  starts: { name: string; at: number }[];
  /** Processes and files that should be gone, in words. */
  left: string[];
}

export async function readHistory(databaseUrl: string): Promise<History> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const rows = async <T>(text: string): Promise<T[]> =>
      (await client.query<Record<string, unknown>>(text)).rows.map(
        (row) =>
          Object.fromEntries(
            Object.entries(row).map(([key, value]) => [key, value instanceof Date ? value.getTime() : value]),
          ) as T,
      );
    return {
      tasks: await rows('select * from task_run'),
      runs: await rows('select * from protocol_run'),
      attempts: await rows('select * from attempt order by created_at, id'),
      allocations: await rows('select * from allocation'),
      attention: await rows('select * from attention order by opened_at'),
      stops: await rows(
        `select id, scope, by, reason, at, released_at from emergency_stop
         union all select id, 'queue', by, '', at, resumed_at from queue_pause order by at`,
      ),
      events: await rows('select aggregate, seq::int, type, at from outbox order by id'),
    };
  } finally {
    await client.end();
  }
}

/** The motions of all instruments, and what the tasks wrote before they returned. */
export const readLaboratory = (folder: string): Pick<Evidence, 'motions' | 'returns'> => ({
  motions: deviceNames.flatMap((name) =>
    readMotions(folder, name).map((motion) => ({ ...motion, device: `chaos_lab.${name}` })),
  ),
  returns: readReturns(folder),
});

/** Downloads the file of every completed task that has one. The gateway must be running. */
export async function downloadFiles({ tasks, runs }: History, url: string): Promise<Map<string, Download>> {
  const runNames = new Map(runs.map((run) => [run.id, run.name]));
  const downloads = new Map<string, Download>();
  for (const { id, name, state, run_id: run, output_files: files } of tasks) {
    const [file] = files;
    if (state !== 'completed' || file === undefined) continue;
    const query = run === null ? '' : `?protocol_run_name=${runNames.get(run)}`;
    downloads.set(id, await contentOf(`${url}/api/tasks/${name}/files/${file.name}${query}`));
  }
  return downloads;
}

async function contentOf(address: string): Promise<Download> {
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(30_000) });
    const bytes = Buffer.from(await response.arrayBuffer());
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    return { status: response.status, size: bytes.length, sha256 };
  } catch {
    return { status: 0, size: 0, sha256: '' };
  }
}

/** The report of `svc doctor ledger` about one agent, with all records. A ledger that cannot be read counts as damaged. */
export async function readLedgerOf(computer: string, dataDir: string): Promise<LedgerEvidence> {
  const args = ['doctor', 'ledger', '--data-dir', dataDir, '--computer', computer, '--records', '--json'];
  const run = promisify(execFile)(process.execPath, [svc, ...args], { maxBuffer: 1 << 28 });
  // The exit code for a damaged ledger is 1; the report is printed all the same.
  const { stdout, stderr } = await run.catch((error: { stdout: string; stderr: string }) => error);
  const [lines = '', report] = `\n${stdout}`.split('\n{\n');
  if (report === undefined)
    return { computer, damage: String(stderr), openAttempts: [], openCalls: [], stops: [], records: [] };
  const { damage, open_attempts, open_calls, halts } = JSON.parse(`{${report}`) as {
    damage: string | null;
    open_attempts: { label: string; phase: string }[];
    open_calls: { device: string; function: string; call_id: string }[];
    halts: { scope: string }[];
  };
  return {
    computer,
    damage,
    openAttempts: open_attempts.map(({ label, phase }) => `${label} (${phase})`),
    openCalls: open_calls.map((call) => `${call.function} of ${call.device} (${call.call_id})`),
    stops: halts.map(({ scope }) => scope),
    records: lines
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as LedgerEntry),
  };
}

/** A draft of release 0.2, which does not say who wrote it, so that no later process can know whether to remove it. */
const draftOfBefore = /^code\/(bundles|modules)\/[0-9a-f]+\.(json|mjs)\.[0-9a-f]{8}-[0-9a-f-]{27}\.tmp$/;

/**
 * Files that should be gone when everything has ended: spooled outputs, parts of uploads, temporary files. The service keeps
 * an unfinished upload for one day because its client may continue it.
 */
export function filesLeft(folder: string, computers: readonly string[]): string[] {
  const places = [
    'tmp',
    'central/files/incoming',
    ...computers.map((name) => `${name}/agents/${name}/spool`),
  ];
  const left = places.flatMap((place) =>
    namesIn(join(folder, place), false)
      .filter((name) => !name.endsWith('.upload'))
      .map((name) => join(place, name)),
  );
  const halfWritten = ['central', ...computers].flatMap((place) =>
    namesIn(join(folder, place), true)
      .filter((name) => /\.(tmp|part|new)$/.test(name) && !draftOfBefore.test(name))
      .map((name) => join(place, name)),
  );
  return [...left, ...halfWritten];
}

function namesIn(folder: string, recursive: boolean): string[] {
  try {
    return readdirSync(folder, { recursive, encoding: 'utf8' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { readMotions, readReturns } from './instruments.ts';

/** What is left of a run for the check: the database, the logs of instruments and tasks, the ledgers, the files. */

const svc = fileURLToPath(new URL('../../apps/cli/bin/svc.mjs', import.meta.url));

/** What the record says. Timestamps are milliseconds since 1970. */
export async function readHistory(databaseUrl) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const rows = async (text) => (await client.query(text)).rows.map(plain);
    return {
      tasks: await rows('select * from task_run'),
      runs: await rows('select * from protocol_run'),
      attempts: await rows('select * from attempt order by created_at, id'),
      allocations: await rows('select * from allocation'),
      attention: await rows('select * from attention order by opened_at'),
      halts: await rows('select * from halt order by at'),
      events: await rows('select aggregate, seq::int, type from outbox order by id'),
    };
  } finally {
    await client.end();
  }
}

function plain(row) {
  return Object.fromEntries(
    Object.entries(row).map(([key, value]) => [key, value instanceof Date ? value.getTime() : value]),
  );
}

/** The motions of all instruments, and by attempt what the tasks wrote down before they returned. */
export function readLaboratory(folder, devices) {
  return {
    motions: devices.flatMap((name) => readMotions(folder, name).motions),
    returns: readReturns(folder),
  };
}

/** Downloads the file of every completed task that has one; by id of the task run. The gateway has to run. */
export async function download({ tasks, runs }, url) {
  const runNames = new Map(runs.map((run) => [run.id, run.name]));
  const downloads = new Map();
  for (const task of tasks) {
    if (task.state !== 'completed' || task.output_files.length === 0) continue;
    const run = task.run_id === null ? '' : `?protocol_run_name=${runNames.get(task.run_id)}`;
    downloads.set(
      task.id,
      await contentOf(`${url}/api/tasks/${task.name}/files/${task.output_files[0].name}${run}`),
    );
  }
  return downloads;
}

/** Status 0: it did not come, or not whole. */
async function contentOf(address) {
  try {
    const answer = await fetch(address, { signal: AbortSignal.timeout(30_000) });
    const bytes = Buffer.from(await answer.arrayBuffer());
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    return { status: answer.status, size: bytes.length, sha256 };
  } catch {
    return { status: 0, size: 0, sha256: '' };
  }
}

/** What `svc doctor ledger` says of an agent, and every record of it. One that cannot be read counts as damaged. */
export async function readLedgerOf(computer, dataDir) {
  const args = ['doctor', 'ledger', '--data-dir', dataDir, '--computer', computer, '--records', '--json'];
  const run = promisify(execFile)(process.execPath, [svc, ...args], { maxBuffer: 1 << 28 });
  // A ledger that is damaged is told with exit code 1, and printed all the same.
  const { stdout, stderr } = await run.catch((error) => error);
  if (!`\n${stdout}`.includes('\n{\n'))
    return { computer, damage: String(stderr), openAttempts: [], openCalls: [], halts: [], records: [] };
  const lines = `\n${stdout}`.split('\n{\n');
  const report = JSON.parse(`{${lines[1]}`);
  const records = lines[0].split('\n').filter((line) => line !== '');
  return {
    computer,
    damage: report.damage,
    openAttempts: report.open_attempts.map(({ label, phase }) => `${label} (${phase})`),
    openCalls: report.open_calls.map((call) => `${call.function} of ${call.device} (${call.call_id})`),
    halts: report.halts.map(({ scope }) => scope),
    records: records.map((line) => JSON.parse(line)),
  };
}

/**
 * Files that nobody needs any more when everything has ended: spooled outputs, parts of uploads, temporary files. An
 * upload of which somebody may yet send the rest is kept for a day.
 */
export function filesLeft(folder, computers) {
  const places = [
    'tmp',
    'central/files/incoming',
    ...computers.map((computer) => `${computer}/agents/${computer}/spool`),
  ];
  const left = places.flatMap((place) =>
    namesIn(join(folder, place))
      .filter((name) => !name.endsWith('.upload'))
      .map((name) => join(place, name)),
  );
  const halfWritten = ['central', ...computers].flatMap((place) =>
    namesIn(join(folder, place), { recursive: true })
      .filter((name) => /\.(tmp|part|new)$/.test(name))
      .map((name) => join(place, name)),
  );
  return [...left, ...halfWritten];
}

function namesIn(folder, options = {}) {
  try {
    return readdirSync(folder, options);
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
}

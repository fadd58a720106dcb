import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { identify, isStillRunning } from '@lab/runtime';
import { endProcess, parseRegister, type StackProcess } from './process-register.js';

/**
 * The guard of a stack: a process of its own that outlives the supervisor. Each line on its standard input is the
 * present list of the stack's processes. An orderly stop sends an empty list before it closes the pipe; when the pipe
 * closes otherwise, the supervisor was killed, and the guard ends what is left.
 *
 * Arguments: process id of the supervisor, lock file of the data folder, `postmaster.pid` of the database.
 */

/** How long services may take to leave by themselves before the servers are stopped under them. */
const servicesFirstMs = 3_000;
/** How long a database that was just being started may take to show up. */
const lateDatabaseMs = 2_000;

const [supervisor, lockPath = '', postmasterPath = ''] = process.argv.slice(2);
let processes: StackProcess[] = [];
let orderly = false;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  // Meant for the supervisor; the guard ends when the pipe does.
  process.on(signal, () => undefined);
}

const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => {
  orderly = line === 'end';
  if (!orderly) processes = parseRegister(line);
});
lines.on('close', () => {
  if (orderly) process.exit(0);
  endEverything().then(
    () => process.exit(0),
    (error: unknown) => {
      process.stderr.write(`guard: ${String(error)}\n`);
      process.exit(1);
    },
  );
});

async function endEverything(): Promise<void> {
  const services = Promise.allSettled(ofKind('service').map(endProcess));
  await Promise.race([services, delay(servicesFirstMs)]);
  const database = ofKind('server').some(({ name }) => name === 'postgres')
    ? undefined
    : await lateDatabase();
  const servers = [...ofKind('server'), ...(database === undefined ? [] : [database])];
  const ends = [...(await Promise.allSettled(servers.map(endProcess))), ...(await services)];
  const failed = ends.filter((end) => end.status === 'rejected').map((end) => String(end.reason));
  if (failed.length > 0) throw new Error(failed.join('; '));
}

function ofKind(kind: StackProcess['kind']): StackProcess[] {
  return processes.filter((each) => each.kind === kind && isStillRunning(each));
}

/**
 * A database that the supervisor was starting when it was killed. Once another stack has taken the data folder, the
 * database in it is that stack's.
 */
async function lateDatabase(): Promise<StackProcess | undefined> {
  const deadline = Date.now() + lateDatabaseMs;
  while (Date.now() < deadline && holderOf(lockPath) === supervisor) {
    const pid = Number(textOf(postmasterPath).split('\n')[0]);
    const identity = Number.isInteger(pid) && pid > 0 ? identify(pid) : undefined;
    if (identity !== undefined && isDatabase(identity.pid)) {
      return { name: 'postgres', kind: 'server', ...identity };
    }
    await delay(50);
  }
  return undefined;
}

/** The number in an old `postmaster.pid` may be another process by now. */
function isDatabase(pid: number): boolean {
  return process.platform !== 'linux' || textOf(`/proc/${pid}/cmdline`).includes('postgres');
}

function holderOf(path: string): string | undefined {
  return /"pid":(\d+)/.exec(textOf(path))?.[1];
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) return '';
    throw error;
  }
}

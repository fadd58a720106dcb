import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { identify, isStillRunning } from '@lab/runtime/light';
import { endProcess, parseRegister, type StackProcess } from './process-register.js';

/**
 * The guard of a stack: a separate process that outlives the supervisor. Each line on its standard input is the current
 * list of the stack's processes. An orderly stop sends an empty list and then closes the pipe. If the pipe closes after
 * another list, the supervisor was killed, and the guard ends the processes of that list.
 *
 * Arguments: process id of the supervisor, lock file of the data folder, `postmaster.pid` of the database.
 */

/** Milliseconds in which services can end by themselves before the guard stops the servers that they use. */
const servicesFirstMs = 3_000;
/** Milliseconds until a database that the supervisor was starting can be found. */
const lateDatabaseMs = 2_000;

const [supervisor, lockPath = '', postmasterPath = ''] = process.argv.slice(2);
let processes: StackProcess[] = [];
let orderly = false;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  // These signals are meant for the supervisor. The guard ends when the pipe closes.
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
 * Finds a database that the supervisor was starting when it was killed. If another stack has locked the data folder in the
 * meantime, the database belongs to that stack and is not returned.
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

/** Whether the process is a PostgreSQL server: another process can have the number in an old `postmaster.pid`. */
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

import type { ChildProcess } from 'node:child_process';
import { execFile } from 'node:child_process';
import { chmod, mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { codeOf, ifThere, locateServer, type ServerBinaries } from './binaries.js';
import {
  clusterExists,
  createCluster,
  keepPassword,
  lastLine,
  resetPassword,
  roleName,
  serverEnvironment,
} from './cluster.js';
import { databaseRoles, roleNames, type DatabaseRole } from '../roles/index.js';
import { addressOf, ensureDatabase } from './databases.js';
import { chooseIdentity, type Identity } from './identity.js';
import { isAlive, readPostmasterFile, servesFolder, waitForExit } from './postmaster-file.js';
import { serverSettings, type Recovery, type ServerMode } from './server-settings.js';

export interface PostgresOptions {
  /** Folder of the database files; created with mode 0700. The caller makes sure that no other stack uses it. */
  dataDir: string;
  /** Called with one line for each step that an operator may want to read. The lines hold no secrets. */
  log?: (line: string) => void;
  /** Port on 127.0.0.1; absent: a free one. */
  port?: number;
  /** Password of the superuser and of all roles; absent: each has its own in `secrets`. */
  password?: string;
  /** Folder of the passwords, `postgres-password` and `postgres-<role>-password`. Default `<dataDir>/../secrets`; mode 0700. */
  secrets?: string;
  /** False gives up the safety against power loss for speed; for tests only. Default true. */
  durable?: boolean;
  /** Whether {@link BackupSource} may copy the server while it runs. Default false. */
  backup?: boolean;
}

export interface RunningPostgres {
  /** `postgresql://` address of the service's database for the superuser, with the password. No service may have it. */
  url: string;
  /** The same for the roles of the service. */
  urls: Readonly<Record<DatabaseRole, string>>;
  /** Process id of the server itself. */
  pid: number;
  port: number;
  /** Settles when the server has ended, for any reason. */
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /**
   * Ends all sessions, lets the server write everything out, and resolves when it has ended: SIGINT, after 10 s
   * SIGQUIT, after another 3 s SIGKILL. May be called again.
   */
  stop(): Promise<void>;
  /** Ends the server with SIGKILL, as a crash would. */
  kill(): Promise<void>;
}

const readyTimeoutMs = 30_000;
/** A server that recovers reads the whole log of changes since its copy. */
const recoveryTimeoutMs = 3_600_000;
const crashRecoveryMs = 6_000;
const stopMs = 10_000;
const quitMs = 3_000;
const maxLogBytes = 5_000_000;

/**
 * Starts the installed PostgreSQL server on a database that it creates if necessary. It stops a server that a killed
 * stack left behind, and resolves when the new one answers.
 *
 * @throws Error in one sentence when the server cannot start; then none is left running
 */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const dataDir = resolve(options.dataDir);
  const durable = options.durable ?? true;
  const log = options.log ?? ((): void => undefined);
  const binaries = await locateServer();
  const identity = await chooseIdentity(binaries.postgres, dataDir);

  await mkdir(dirname(dataDir), { recursive: true, mode: 0o700 });
  const exists = await clusterExists(dataDir);
  if (exists) await stopOrphan(binaries, dataDir, log);

  const secrets = options.secrets ?? join(dirname(dataDir), 'secrets');
  const { password: given } = options;
  const passwordIn = async (name: string): Promise<{ password: string; created: boolean }> =>
    given === undefined
      ? keepPassword(join(secrets, name))
      : Promise.resolve({ password: given, created: false });
  const kept = await passwordIn('postgres-password');
  const passwords = { owner: '', orchestrator: '', gateway: '' };
  for (const role of databaseRoles)
    passwords[role] = (await passwordIn(`postgres-${role}-password`)).password;
  if (!exists) {
    log('creating the database');
    await createCluster(binaries, identity, dataDir, kept.password, durable);
  }
  await identity.own(dataDir);
  await chmod(dataDir, 0o700);
  if (exists && kept.created) {
    log('the password of the database was lost; setting a new one');
    await resetPassword(binaries, identity, dataDir, kept.password);
  }
  const mode = { durable, backup: options.backup ?? false };
  const server = await launch(binaries, identity, dataDir, options.port, mode);
  try {
    await ensureDatabase(server.port, kept.password, passwords);
  } catch (error) {
    await server.stop();
    if (codeOf(error) === '28P01')
      throw new Error(
        `The database in ${dataDir} was created with another password than the one given; give that one.`,
        { cause: error },
      );
    throw error;
  }
  log(`PostgreSQL answers on 127.0.0.1:${server.port}`);
  const urlOf = (role: DatabaseRole): string => addressOf(roleNames[role], server.port, passwords[role]);
  return {
    ...server,
    url: addressOf(roleName, server.port, kept.password),
    urls: { owner: urlOf('owner'), orchestrator: urlOf('orchestrator'), gateway: urlOf('gateway') },
  };
}

/**
 * Lets a copy of the database files take in the log of changes up to a moment, and stops the server again. The copy is a database
 * of its own then.
 *
 * @param dataDir the copy, with `backup_label`
 * @param recovery where the log of changes is, and the moment
 * @param password of the superuser from now on
 * @throws Error in one sentence when the server cannot recover
 */
export async function recoverPostgres(dataDir: string, recovery: Recovery, password: string): Promise<void> {
  const binaries = await locateServer();
  const identity = await chooseIdentity(binaries.postgres, dataDir);
  await writeFile(join(dataDir, 'recovery.signal'), '', { mode: 0o600 });
  await identity.own(dataDir);
  await chmod(dataDir, 0o700);
  const recoverTo = async (to: Date | undefined): Promise<void> => {
    const mode = { durable: true, backup: true, recovery: { ...recovery, to } };
    await (await launch(binaries, identity, dataDir, undefined, mode)).stop();
  };
  try {
    await recoverTo(recovery.to);
  } catch (error) {
    // Every transaction of the log is older than the moment.
    if (!(error instanceof LaunchError && error.endedEarly)) throw error;
    await recoverTo(undefined);
  }
  await resetPassword(binaries, identity, dataDir, password);
}

type Server = Omit<RunningPostgres, 'url' | 'urls'>;

/**
 * Tries again in two cases. After a crash, the memory of the dead server stays in use until its last session has
 * noticed. And another process may take a free port before the server binds it.
 */
async function launch(
  binaries: ServerBinaries,
  identity: Identity,
  dataDir: string,
  port: number | undefined,
  mode: ServerMode,
): Promise<Server> {
  const deadline = performance.now() + crashRecoveryMs;
  for (;;) {
    const chosen = port ?? (await freePort());
    try {
      return await launchOnce(binaries, identity, dataDir, chosen, mode);
    } catch (error) {
      const passing =
        error instanceof LaunchError && (error.busyMemory || (error.busyPort && port === undefined));
      if (!passing || performance.now() >= deadline) throw error;
      await delay(150);
    }
  }
}

class LaunchError extends Error {
  constructor(
    message: string,
    readonly busyPort: boolean,
    readonly busyMemory: boolean,
    /** The log of changes ends before the moment to which the server was to recover. */
    readonly endedEarly: boolean,
  ) {
    super(message);
  }
}

async function launchOnce(
  binaries: ServerBinaries,
  identity: Identity,
  dataDir: string,
  port: number,
  mode: ServerMode,
): Promise<Server> {
  const logFile = join(dataDir, 'server.log');
  const logStart = await turnLog(logFile);
  const output = await open(logFile, 'a', 0o600);
  let child: ChildProcess;
  try {
    child = identity.spawn(
      binaries.postgres,
      [
        '-D',
        dataDir,
        ...Object.entries(serverSettings(port, mode)).flatMap(([key, value]) => ['-c', `${key}=${value}`]),
      ],
      // The server has its own process group. A Ctrl-C in the terminal goes to the stack, which stops its
      // parts in order.
      {
        cwd: dataDir,
        stdio: ['ignore', output.fd, output.fd],
        env: serverEnvironment(),
        detached: true,
        windowsHide: true,
      },
    );
    await new Promise<void>((settle, reject) => {
      child.once('spawn', settle);
      child.once('error', reject);
    });
  } finally {
    await output.close();
  }
  const pid = child.pid;
  if (pid === undefined) throw new Error('PostgreSQL was started without a process id.');
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((settle) => {
    child.once('exit', (code, signal) => settle({ code, signal }));
  });
  const server: Server = {
    pid,
    port,
    exited,
    stop: () => stopServer(binaries, dataDir, child, exited),
    kill: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await exited;
    },
  };
  try {
    await untilReady(
      dataDir,
      pid,
      exited,
      logFile,
      logStart,
      mode.recovery === undefined ? readyTimeoutMs : recoveryTimeoutMs,
    );
  } catch (error) {
    await server.kill();
    throw error;
  }
  return server;
}

async function untilReady(
  dataDir: string,
  pid: number,
  exited: Promise<unknown>,
  logFile: string,
  logStart: number,
  timeoutMs: number,
): Promise<void> {
  let ended = false;
  void exited.then(() => {
    ended = true;
  });
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const state = await readPostmasterFile(dataDir);
    if (state?.pid === pid && state.status === 'ready') return;
    if (ended) {
      const said = (await readFile(logFile, 'utf8')).slice(logStart);
      const fatal = said.split('\n').find((line) => line.includes('FATAL:')) ?? lastLine(said);
      throw new LaunchError(
        `PostgreSQL did not start: ${fatal.replace(/^.*FATAL:\s*/, '')} (see ${logFile}).`,
        /could not (bind|create any TCP)/.test(said),
        /shared memory block|lock file .* already exists|is another postmaster/i.test(said),
        said.includes('recovery ended before configured recovery target was reached'),
      );
    }
    if (performance.now() >= deadline)
      throw new Error(`PostgreSQL was not ready within ${timeoutMs / 1000} s (see ${logFile}).`);
    await delay(10);
  }
}

/** Starts a new log file when the old one has grown large. @returns where the new lines begin */
async function turnLog(logFile: string): Promise<number> {
  const size = (await ifThere(stat(logFile)))?.size ?? 0;
  if (size < maxLogBytes) return size;
  await rename(logFile, `${logFile}.1`);
  return 0;
}

async function stopServer(
  binaries: ServerBinaries,
  dataDir: string,
  child: ChildProcess,
  exited: Promise<unknown>,
): Promise<void> {
  const within = (ms: number): Promise<boolean> =>
    new Promise((settle) => {
      const late = setTimeout(() => settle(false), ms);
      void exited.then(() => {
        clearTimeout(late);
        settle(true);
      });
    });
  if (child.exitCode !== null || child.signalCode !== null) return;
  if (process.platform === 'win32') await stopByControl(binaries, dataDir);
  else child.kill('SIGINT');
  if (await within(stopMs)) return;
  child.kill('SIGQUIT');
  if (await within(quitMs)) return;
  child.kill('SIGKILL');
  await exited;
}

/**
 * Stops the server that a killed stack left behind, so that it writes everything out. If the file names a process
 * that is no server of this folder, the file is removed, because a new server would take that process for a running
 * server.
 */
async function stopOrphan(
  binaries: ServerBinaries,
  dataDir: string,
  log: (line: string) => void,
): Promise<void> {
  const left = await readPostmasterFile(dataDir);
  if (left === undefined) return;
  if (!(await servesFolder(left.pid, dataDir))) return rm(join(dataDir, 'postmaster.pid'), { force: true });
  log(`stopping a PostgreSQL server that was left behind (process ${left.pid})`);
  if (process.platform === 'win32') return stopByControl(binaries, dataDir);
  for (const [signal, ms] of [
    ['SIGINT', stopMs],
    ['SIGQUIT', quitMs],
    ['SIGKILL', quitMs],
  ] as const) {
    if (isAlive(left.pid)) process.kill(left.pid, signal);
    if (await waitForExit(left.pid, ms)) return;
  }
  throw new Error(`A PostgreSQL server that was left behind (process ${left.pid}) does not end.`);
}

/** Windows has no signals. The server's own control program passes the request on. */
async function stopByControl(binaries: ServerBinaries, dataDir: string): Promise<void> {
  const args = ['stop', '-D', dataDir, '-m', 'fast', '-t', String(stopMs / 1000)];
  await promisify(execFile)(binaries.pgCtl, args, { windowsHide: true });
}

/** A port of 127.0.0.1 that nothing listens on at this moment. */
async function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((settle, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close((error) => (error === undefined ? settle(port) : reject(error)));
    });
  });
}

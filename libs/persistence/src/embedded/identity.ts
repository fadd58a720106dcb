import { execFile, spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { chown, lchown, readFile, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * The user as whom the server runs. PostgreSQL refuses to run as root. If root starts the service from a folder that
 * only root can enter, no other user on disk can run the server there either. A user namespace, in which root's files
 * belong to an ordinary user id, solves both.
 */
export interface Identity {
  kind: 'self' | 'namespace' | 'user';
  /** Starts a program. The process id is that of the program itself, so that it can be signalled. */
  spawn(program: string, args: readonly string[], options: SpawnOptions): ChildProcess;
  /** Makes the user the owner of a folder with all its contents. */
  own(folder: string): Promise<void>;
}

interface Account {
  name: string;
  uid: number;
  gid: number;
}

const self: Identity = {
  kind: 'self',
  spawn: (program, args, options) => spawn(program, args, options),
  own: () => Promise.resolve(),
};

const namespaceArgs = ['--user', '--map-user=1000', '--map-group=1000', '--'];

/** The namespace replaces itself with the program, so the process id is that of the program. */
const namespace: Identity = {
  kind: 'namespace',
  spawn: (program, args, options) => spawn('unshare', [...namespaceArgs, program, ...args], options),
  own: (folder) => giveTo(folder, 0, 0),
};

/**
 * Chooses how to run the server: directly when not root, else in a user namespace, else as the user `postgres` or
 * `nobody`.
 *
 * @param program the server program; it is run once with `--version` to check that the choice works
 * @param dataDir data folder; it need not exist yet, because its nearest existing parent is checked
 * @throws Error in one sentence when no choice works
 */
export async function chooseIdentity(program: string, dataDir: string): Promise<Identity> {
  if (process.getuid?.() !== 0) return self;
  if (process.platform === 'linux' && (await runs('unshare', [...namespaceArgs, program, '--version'])))
    return namespace;
  for (const account of await accounts(['postgres', 'nobody'])) {
    const as = { uid: account.uid, gid: account.gid };
    if (!(await runs(program, ['--version'], as))) continue;
    if (!(await runs('/bin/sh', ['-c', 'cd "$1"', 'sh', await existingParent(dataDir)], as))) continue;
    return {
      kind: 'user',
      spawn: (file, args, options) => spawn(file, args, { ...options, ...as }),
      own: (folder) => giveTo(folder, account.uid, account.gid),
    };
  }
  throw new Error(
    `PostgreSQL refuses to run as root, and neither a user namespace (unshare --user) nor the users postgres and nobody can reach ${dataDir}; start the service as an ordinary user, or set SVC_DATABASE_URL.`,
  );
}

function runs(
  program: string,
  args: readonly string[],
  as: { uid?: number; gid?: number } = {},
): Promise<boolean> {
  return new Promise((resolve) => {
    execFile(program, args, { ...as, timeout: 5_000, cwd: '/' }, (error) => resolve(error === null));
  });
}

async function accounts(names: readonly string[]): Promise<Account[]> {
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  return names.flatMap((name) => {
    const [, , uid, gid] = lines.find((fields) => fields[0] === name) ?? [];
    return uid === undefined || gid === undefined ? [] : [{ name, uid: Number(uid), gid: Number(gid) }];
  });
}

async function existingParent(folder: string): Promise<string> {
  for (let at = dirname(folder); ; at = dirname(at)) {
    const found = await stat(at).then(
      (entry) => entry.isDirectory(),
      () => false,
    );
    if (found || at === dirname(at)) return at;
  }
}

/** Changes nothing when the user owns the folder already, because the server creates all its files as that user. */
async function giveTo(folder: string, uid: number, gid: number): Promise<void> {
  if ((await stat(folder)).uid === uid) return;
  const entries = await readdir(folder, { recursive: true });
  for (const entry of entries) await lchown(join(folder, entry), uid, gid);
  await chown(folder, uid, gid);
}

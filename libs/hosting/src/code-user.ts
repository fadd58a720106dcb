import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { rm, rmdir, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';

/** Where Linux has its programs. The environment of an agent may name no PATH. */
const programFolders = ['/usr/bin', '/bin', '/usr/sbin', '/sbin'];
/** Longest time of a program that only asks the system something, in milliseconds. */
const askMs = 10_000;
/** What the author code of a computer may do together with the agent: the files that it makes are of the group of both. */
const umask = '007';

/** What author code may do with the content of a folder. */
export type Sharing =
  /** Reach what it knows the name of. */
  'pass' | 'read' | 'write';

const modes: Record<Sharing, number> = { pass: 0o2710, read: 0o2750, write: 0o2770 };
/** Mode of a file that the code reads. */
const readable = 0o640;

/** Empties a folder, also of folders that their owner closed to himself. */
const emptying = `find "$1" -xdev -mindepth 1 -type d ! -perm -700 -exec chmod u+rwx '{}' ';' && find "$1" -xdev -mindepth 1 -delete`;

/** How a program is started. */
export interface Launch {
  program: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
}

/** A user of the operating system. */
export interface Account {
  name: string;
  uid: number;
  gid: number;
  home: string;
}

/**
 * How a program is started as another user. The process keeps its number, its pipes and its process group.
 *
 * The code gets the environment without logins in addresses, such as that of an HTTP proxy, and with the home of the user.
 *
 * @param programs absolute paths
 * @param isRoot whether this process may drop the bounding set; others cannot, and `no_new_privs` makes it useless to the code
 */
export function launchAs(
  { name, uid, gid, home }: Account,
  programs: { sh: string; setpriv: string },
  isRoot: boolean,
  { program, args, env }: Launch,
): Launch {
  const { PATH = programFolders.join(':'), ...rest } = withoutLogins(env);
  const switched = [programs.setpriv, '--reuid', `${uid}`, '--regid', `${gid}`, '--init-groups'];
  const weakened = [
    ...['--inh-caps=-all', '--ambient-caps=-all', ...(isRoot ? ['--bounding-set=-all'] : [])],
    ...['--no-new-privs', '--'],
  ];
  return {
    program: programs.sh,
    args: ['-c', `umask ${umask} && exec "$@"`, 'sh', ...switched, ...weakened, program, ...args],
    env: { ...rest, PATH, HOME: home, USER: name, LOGNAME: name },
  };
}

/**
 * Another user of the operating system, under whom author code runs. The code can neither read what only the agent may read,
 * nor end the agent. It keeps no capability and gets none by executing a program (`no_new_privs`).
 *
 * The user is set by `setpriv` of util-linux. `uid` of `child_process.spawn` would leave the ambient capabilities of an agent
 * that is not root to the code, with which it could become any user.
 */
export class CodeUser {
  private constructor(
    private readonly account: Account,
    private readonly programs: { sh: string; setpriv: string },
  ) {}

  /**
   * Finds the user, and starts a program as this user to see that it is possible.
   *
   * @throws Error in one sentence: not on Linux, an unknown user, root or the user of this process, no `setpriv`, or no right
   */
  static find(name: string, platform: string = process.platform): CodeUser {
    if (platform !== 'linux')
      throw new Error(
        `SVC_CODE_USER works on Linux only, and this is ${platform}; remove it, and the code of devices and tasks runs as the user of the agent`,
      );
    const account = accountOf(name);
    if (account.uid === 0)
      throw new Error('SVC_CODE_USER must not be root; name a user that may do less than the agent');
    if (account.uid === process.getuid?.())
      throw new Error(`SVC_CODE_USER is ${name}, the user of the agent itself; name another user`);
    demandProgram('find', 'install the package findutils');
    const user = new CodeUser(account, {
      sh: demandProgram('sh', 'install a shell'),
      setpriv: demandProgram('setpriv', 'install the package util-linux'),
    });
    user.#demandRight();
    return user;
  }

  get name(): string {
    return this.account.name;
  }

  get uid(): number {
    return this.account.uid;
  }

  /** How a program is started as this user. See {@link launchAs}. */
  launch(own: Launch): Launch {
    return launchAs(this.account, this.programs, process.getuid?.() === 0, own);
  }

  /**
   * Makes a folder if it is missing, and lets the user use it.
   *
   * @throws Error in one sentence when this process is neither root nor in the group of the user
   */
  share(folder: string, sharing: Sharing): void {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    try {
      chownSync(folder, -1, this.account.gid);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
      throw new Error(
        `the agent cannot share ${folder} with ${this.name}: the user of the agent must be in the group ${this.account.gid} of ${this.name}`,
        { cause: error },
      );
    }
    chmodSync(folder, modes[sharing]);
  }

  /** Lets the user read a file that this process owns. */
  async shareFile(file: FileHandle): Promise<void> {
    await file.chown(-1, this.account.gid);
    await file.chmod(readable);
  }

  /**
   * Deletes a folder that this process has made, in a folder that only this process may change. If the user could ever write
   * there, the user deletes the content. Code that still runs could exchange a folder for a link meanwhile, and this process
   * would then delete its own files behind the link.
   *
   * @throws Error when something is left
   */
  async remove(folder: string): Promise<void> {
    const found = statSync(folder, { throwIfNoEntry: false });
    if (found === undefined) return;
    if (found.gid !== this.account.gid) {
      await rm(folder, { recursive: true, force: true });
      return;
    }
    this.share(folder, 'write');
    await this.#empty(folder);
    await rmdir(folder);
  }

  async #empty(folder: string): Promise<void> {
    const launch = this.launch({ program: this.programs.sh, args: ['-c', emptying, 'sh', folder], env: {} });
    const child = spawn(launch.program, launch.args, {
      ...{ env: launch.env, cwd: '/', detached: true },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said = `${said}${text}`.slice(-1_000)));
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) throw new Error(`${this.name} cannot empty ${folder}: ${lastLine(said)}`);
  }

  /** @throws Error in one sentence when the user may not read the file, or read or enter the folder */
  demandReadable(path: string): void {
    const real = realpathSync(path);
    const { status } = this.#run(['/bin/sh', '-c', 'test -r "$1" || test -x "$1"', 'sh', real]);
    if (status !== 0)
      throw new Error(
        `${this.name} (SVC_CODE_USER) cannot read ${real}; keep the program and the data folder of the agent where every user can enter the folders above, such as /opt and /var/lib`,
      );
  }

  #demandRight(): void {
    const { status, stderr, stdout } = this.#run([join(programFolders[0] ?? '', 'id'), '-u']);
    if (status === 0 && stdout.trim() === `${this.account.uid}`) return;
    throw new Error(
      `this agent may not start processes as ${this.name} (SVC_CODE_USER): ${lastLine(stderr)}; it must be root, or have the capabilities CAP_SETUID, CAP_SETGID and CAP_KILL, as with "svc-agent service install --system --code-user ${this.name}"`,
    );
  }

  #run([program = '', ...args]: readonly string[]): {
    status: number | null;
    stdout: string;
    stderr: string;
  } {
    const { program: first, args: all, env } = this.launch({ program, args, env: {} });
    const options = { env, encoding: 'utf8' as const, timeout: askMs, cwd: '/' };
    const { status, stdout, stderr, error } = spawnSync(first, all, options);
    return { status, stdout, stderr: error?.message ?? stderr };
  }
}

/** The entry of the user database, also of one in a network. */
function accountOf(name: string): Account {
  const getent = demandProgram('getent', 'install the package libc-bin');
  const { status, stdout } = spawnSync(getent, ['passwd', '--', name], { encoding: 'utf8', timeout: askMs });
  const [found = '', , uid, gid, , home = ''] = stdout.trim().split(':');
  if (status !== 0 || !/^\d+$/.test(uid ?? '') || !/^\d+$/.test(gid ?? ''))
    throw new Error(
      `SVC_CODE_USER names ${name}, and this computer has no such user; make it: useradd --system --user-group ${name}`,
    );
  return { name: found, uid: Number(uid), gid: Number(gid), home };
}

function demandProgram(name: string, advice: string): string {
  const found = programFolders.map((folder) => join(folder, name)).find((path) => existsSync(path));
  if (found === undefined)
    throw new Error(`SVC_CODE_USER needs the program ${name}, which this computer does not have; ${advice}`);
  return found;
}

/** An environment without `user:password@` in addresses, which may be a secret of this process. */
function withoutLogins(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).map(([name, value = '']) => {
      const plain = value.replace(/(\w:\/\/)[^/?#\s]*@/g, '$1');
      // An address of a proxy may lack its scheme.
      return [name, /_proxy$/i.test(name) ? plain.replace(/^[^/?#\s]*@/, '') : plain];
    }),
  );
}

const lastLine = (text: string): string => text.trim().split('\n').at(-1) || 'no reason was given';

import { execFile } from 'node:child_process';
import { hostname } from 'node:os';
import { promisify } from 'node:util';
import { ServiceError, type ModuleReference } from '@lab/contracts';
import type { CodeUser } from './code-user.js';
import { authorEnvironment } from './forked-process.js';

/** The oldest version whose hosts work, as `sys.version_info`. */
const oldest = [3, 9] as const;
const oldestText = oldest.join('.');
/** Longest time of the question for the version, in milliseconds. A cold disk of an instrument PC is slow. */
const askMs = 30_000;
const question = 'import sys; print(sys.version_info[0], sys.version_info[1], sys.executable)';
/** On Windows, `python3` may be a program that only opens the shop. */
const commands = process.platform === 'win32' ? ['python', 'python3'] : ['python3', 'python'];

/** The interpreters that run hosts. */
export interface Interpreters {
  /**
   * Absolute path of an interpreter that was provided.
   *
   * @param environment SHA-256 of the lock of its libraries; undefined: it has none
   */
  program(environment: string | undefined): string;
}

/** A Python that can run hosts, or why there is none. */
export type FoundPython = { program: string } | { why: string };

/**
 * The Python of a computer, for code in Python. It is looked for when such code first needs it, so a computer without one runs
 * everything else. A search that fails is made again for the next module.
 */
export class Python {
  readonly #commands: readonly string[];
  #search: Promise<FoundPython> | undefined;
  #program: string | undefined;

  /**
   * @param command a program or its path; undefined: `python3` or `python` of the `PATH`
   * @param user under whom the hosts run; undefined: the user of this process
   */
  constructor(
    command?: string,
    private readonly user?: CodeUser,
  ) {
    this.#commands = command === undefined ? commands : [command];
  }

  /** Absolute path of the interpreter. Call it after {@link find} has found one. */
  get program(): string {
    return this.#program ?? this.#commands[0] ?? '';
  }

  async find(): Promise<FoundPython> {
    const found = await (this.#search ??= this.#look());
    if ('program' in found) this.#program = found.program;
    else this.#search = undefined;
    return found;
  }

  /** @throws ServiceError `not_found` in one sentence when this computer cannot run a module in Python */
  async demand({ package: owner, source }: Pick<ModuleReference, 'package' | 'source'>): Promise<void> {
    const found = await this.find();
    if ('program' in found) return;
    throw new ServiceError(
      'not_found',
      `the computer ${hostname()} has no Python ${oldestText} or later, which ${owner}/${source} needs (${found.why}): install one, for example with "apt install python3" or from https://www.python.org, or name its program with SVC_PYTHON`,
    );
  }

  async #look(): Promise<FoundPython> {
    const whys: string[] = [];
    for (const command of this.#commands) {
      const found = await this.#ask(command);
      if ('program' in found) return found;
      whys.push(found.why);
    }
    return { why: whys.join(', ') };
  }

  async #ask(command: string): Promise<FoundPython> {
    const own = { program: command, args: ['-I', '-c', question], env: authorEnvironment() };
    const { program, args, env } = this.user?.launch(own) ?? own;
    try {
      const options = { env, timeout: askMs, windowsHide: true, cwd: '/' };
      const { stdout } = await promisify(execFile)(program, args, options);
      const [, major = '', minor = '', path = ''] = /^(\d+) (\d+) (.+)$/m.exec(stdout) ?? [];
      const isNew = Number(major) === oldest[0] && Number(minor) >= oldest[1];
      return isNew && path !== '' ? { program: path.trim() } : { why: `${command} is ${major}.${minor}` };
    } catch (error) {
      const { code, killed } = error as { code?: string | number; killed?: boolean };
      if (code === 'ENOENT') return { why: `there is no ${command}` };
      return { why: killed === true ? `${command} did not answer` : `${command} ended with ${String(code)}` };
    }
  }
}

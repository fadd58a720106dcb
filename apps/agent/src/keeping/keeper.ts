import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { acquireLock, LockedError, processEnvironment, type FileLock } from '@lab/runtime/light';
import { lockOf } from '../installation/index.js';
import { agentWords, keeperPipes } from './kept.js';
import { isVersion, keeperLock, pointerFile, readPointer, versionsIn, writePointer } from './pointer.js';
import type { Pointer } from './pointer.js';
import { programIn, type Program } from './program.js';

export interface KeeperOptions {
  /** Data folder of the agent. */
  data: string;
  /** Arguments of `svc-agent run`, passed on. */
  args: readonly string[];
  /** The package to which the keeper belongs. */
  installed: { version: string; program: Program };
  /** Milliseconds within which a new version must serve. */
  trialMs?: number;
  /** Milliseconds for an agent that must end, before it is killed. */
  stopMs?: number;
  signals?: Pick<NodeJS.Process, 'on' | 'off'>;
  /** Tells people. */
  say?: (line: string) => void;
}

const usualTrialMs = 90_000;
/** Longer than the agent takes at most. */
const usualStopMs = 65_000;
/** Starts of a trial that nobody confirmed, such as before power cuts, after which it has failed. */
const mostStarts = 2;
/** Milliseconds for the last words of an agent that has ended. A process that it left may hold the pipe open. */
const lastWordsMs = 500;
const lookEveryMs = 100;

/**
 * Starts the agent and ends with it. A new version of the agent, which an update put into the data folder, is tried: if it does
 * not serve, the keeper goes back to the version before.
 *
 * @returns the exit code for this process
 * @throws Error when another keeper works on the data folder
 */
export async function keep(options: KeeperOptions): Promise<number> {
  const lock = await lockFor(options.data);
  try {
    return await new KeeperOfFolder(options).run();
  } finally {
    lock.release();
  }
}

/** How a run of the agent ended. */
interface End {
  code: number;
  /** Why the trial failed; undefined: it did not. */
  fault: string | undefined;
}

class KeeperOfFolder {
  readonly #data: string;
  readonly #say: (line: string) => void;
  /** Whether somebody asked this process to end. */
  #asked = false;
  #child: ChildProcess | undefined;

  constructor(private readonly options: KeeperOptions) {
    this.#data = options.data;
    this.#say = options.say ?? ((line) => void process.stderr.write(`svc-agent: ${line}\n`));
  }

  async run(): Promise<number> {
    const { signals = process } = this.options;
    const forward = (signal: NodeJS.Signals): void => {
      this.#asked = true;
      // On Windows the agent shares the console and hears Ctrl-C by itself, and a signal would kill it.
      if (process.platform !== 'win32') this.#child?.kill(signal);
    };
    for (const signal of ['SIGTERM', 'SIGINT'] as const) signals.on(signal, forward);
    try {
      for (;;) {
        const pointer = await this.#begin();
        if (this.#asked) return 0;
        const ran = pointer?.version ?? null;
        const { code, fault } = await this.#runOnce(pointer);
        const after = readPointer(this.#data);
        const isSame = (after?.version ?? null) === ran;
        if (fault !== undefined && after !== undefined && isSame) this.#goBack(after, fault);
        if (this.#asked || (fault === undefined && isSame)) return code;
      }
    } finally {
      for (const signal of ['SIGTERM', 'SIGINT'] as const) signals.off(signal, forward);
    }
  }

  /** What to start now; undefined: the installed package, and there is no other. */
  async #begin(): Promise<Pointer | undefined> {
    const { version: installed } = this.options.installed;
    const pointer = readPointer(this.#data);
    if (pointer === undefined) return undefined;
    if (pointer.installed !== undefined && pointer.installed !== installed) {
      this.#say(
        `version ${installed} was installed and runs instead of ${pointer.version ?? 'the former one'}`,
      );
      rmSync(pointerFile(this.#data), { force: true });
      return undefined;
    }
    const known = { ...pointer, installed };
    if (!pointer.trial) {
      if (pointer.installed === undefined) this.#write(known);
      return known;
    }
    if (pointer.starts >= mostStarts)
      return this.#goBack(known, `it was started ${mostStarts} times and never served`);
    await this.#untilFree();
    const started = { ...known, starts: pointer.starts + 1 };
    this.#write(started);
    return started;
  }

  /** Waits for an agent whose keeper was killed: it stops its devices first. */
  async #untilFree(): Promise<void> {
    const end = performance.now() + (this.options.stopMs ?? usualStopMs);
    while (!this.#asked && performance.now() < end) {
      try {
        acquireLock(lockOf(this.#data)).release();
        return;
      } catch (error) {
        if (!(error instanceof LockedError)) throw error;
        await delay(lookEveryMs);
      }
    }
  }

  async #runOnce(pointer: Pointer | undefined): Promise<End> {
    const { installed, args, trialMs = usualTrialMs } = this.options;
    const version = pointer?.version ?? null;
    const isTrial = pointer?.trial === true;
    const found = version === null ? installed.program : programIn(join(versionsIn(this.#data), version));
    if (found === undefined) {
      const fault = `its program is missing in ${versionsIn(this.#data)}`;
      if (isTrial) return { code: 1, fault };
      this.#say(
        `version ${version} cannot run: ${fault}; the installed version ${installed.version} runs instead`,
      );
    }
    const { command, args: own, env } = found ?? installed.program;
    const child = spawn(command, [...own, 'run', '--kept', ...args], {
      stdio: ['inherit', 'inherit', 'inherit', 'pipe', 'pipe'],
      env: { ...processEnvironment(), ...env },
      // In a session of its own, Ctrl-C reaches the agent once: through this process.
      detached: process.platform !== 'win32',
    });
    this.#child = child;
    const words = this.#hear(child);
    let fault: string | undefined;
    const late = isTrial
      ? setTimeout(() => {
          fault = `it did not serve within ${trialMs / 1_000} s`;
          void this.#stop(child);
        }, trialMs)
      : undefined;
    if (isTrial)
      void words.serving.then(() => {
        if (fault !== undefined) return;
        clearTimeout(late);
        this.#confirm(version);
      });
    const { code, text } = await endOf(child);
    clearTimeout(late);
    this.#child = undefined;
    if (!isTrial || words.said.has(agentWords.serving)) return { code, fault };
    if (fault === undefined && (this.#asked || words.said.has(agentWords.stopping))) {
      this.#uncount(version);
      return { code, fault };
    }
    return { code, fault: fault ?? text };
  }

  /** What the agent says: each word once. */
  #hear(child: ChildProcess): { said: ReadonlySet<string>; serving: Promise<void> } {
    const said = new Set<string>();
    let serves: () => void = () => undefined;
    const serving = new Promise<void>((resolve) => (serves = resolve));
    let rest = '';
    child.stdio[keeperPipes.toAgent]?.on('error', () => undefined /* the agent is gone */);
    child.stdio[keeperPipes.fromAgent]
      ?.on('error', () => undefined)
      .on('data', (piece: Buffer) => {
        const lines = `${rest}${piece.toString()}`.split('\n');
        // A longer one is none of its words.
        rest = (lines.pop() ?? '').slice(0, 64);
        for (const line of lines) said.add(line);
        if (said.has(agentWords.serving)) serves();
      });
    return { said, serving };
  }

  async #stop(child: ChildProcess): Promise<void> {
    const input = child.stdio[keeperPipes.toAgent];
    input?.destroy();
    const timer = setTimeout(() => child.kill('SIGKILL'), this.options.stopMs ?? usualStopMs);
    await once(child, 'exit');
    clearTimeout(timer);
  }

  /** The trial succeeded. */
  #confirm(version: string | null): void {
    const pointer = readPointer(this.#data);
    if (pointer === undefined || pointer.version !== version || !pointer.trial) return;
    const kept = [pointer.version, pointer.previous, this.options.installed.version];
    for (const name of readdirSync(versionsIn(this.#data)))
      if (isVersion(name) && !kept.includes(name)) this.#remove(name);
    this.#write({ ...pointer, trial: false, starts: 0 });
    this.#say(`version ${version} serves`);
  }

  /** A start that was stopped in order says nothing about the version. */
  #uncount(version: string | null): void {
    const pointer = readPointer(this.#data);
    if (pointer === undefined || pointer.version !== version || pointer.starts === 0) return;
    this.#write({ ...pointer, starts: pointer.starts - 1 });
  }

  #goBack(pointer: Pointer, why: string): Pointer {
    const version = pointer.version ?? '';
    const back: Pointer = {
      ...{ version: pointer.previous, trial: false, starts: 0, previous: null },
      installed: this.options.installed.version,
      failed: { version, why, at: new Date().toISOString() },
    };
    this.#write(back);
    this.#say(
      `version ${version} failed: ${why}; version ${pointer.previous ?? this.options.installed.version} runs again`,
    );
    return back;
  }

  #remove(name: string): void {
    try {
      rmSync(join(versionsIn(this.#data), name), { recursive: true, force: true });
    } catch (error) {
      this.#say(`version ${name} cannot be removed (${String(error)}); the next update tries again`);
    }
  }

  #write(pointer: Pointer): void {
    writePointer(this.#data, pointer, 'keeper');
  }
}

/** How a child ended, after its last words. */
async function endOf(child: ChildProcess): Promise<{ code: number; text: string }> {
  const closed = once(child, 'close').catch(() => undefined);
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    await Promise.race([closed, delay(lastWordsMs, undefined, { ref: false })]);
    for (const pipe of child.stdio) pipe?.destroy();
    return {
      code: code ?? 1,
      text: code === null ? `it ended by ${signal}` : `it ended with exit code ${code}`,
    };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    process.stderr.write(`svc-agent: the agent cannot be started: ${why}\n`);
    return { code: 1, text: `it cannot be started: ${why}` };
  }
}

/** @throws Error when another keeper goes on to hold the lock: one that ends needs a moment after its agent */
async function lockFor(data: string): Promise<FileLock> {
  const end = performance.now() + 2_000;
  for (;;) {
    try {
      return acquireLock(keeperLock(data));
    } catch (error) {
      if (!(error instanceof LockedError)) throw error;
      if (performance.now() > end)
        throw new Error(
          `an agent runs already with process ${error.holder.pid} on ${data}; stop it with "svc-agent stop", or give this one another folder with --data`,
          { cause: error },
        );
      await delay(lookEveryMs);
    }
  }
}

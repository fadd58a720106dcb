import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { processEnvironment, systemTimers } from '@lab/runtime';
import type { DataFolder } from './data-folder.js';
import type { StackProcess } from './process-register.js';

const module = createRequire(import.meta.url).resolve('@lab/cli/guard');
const restartMs = 1_000;

/** The supervisor's end of the pipe to the guard. A guard that ends is replaced. */
export class GuardLink {
  #guard: ChildProcess | undefined;
  #closed = false;
  #cancelRestart: (() => void) | undefined;
  #list = '[]';

  constructor(
    private readonly data: DataFolder,
    private readonly warn: (text: string) => void,
  ) {
    this.#start();
  }

  get pid(): number | undefined {
    return this.#guard?.pid;
  }

  /** Sends the guard the list of all processes. */
  watch(processes: readonly StackProcess[]): void {
    this.#list = JSON.stringify(processes);
    this.#guard?.stdin?.write(`${this.#list}\n`);
  }

  /** Ends the guard after the stack has stopped all processes. Resolves when the guard has ended. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelRestart?.();
    const guard = this.#guard;
    if (guard === undefined || guard.exitCode !== null || guard.signalCode !== null) return;
    const exited = new Promise<void>((resolve) => guard.once('exit', () => resolve()));
    const cancelKill = systemTimers.after(2_000, () => guard.kill('SIGKILL'));
    guard.stdin?.end('end\n');
    await exited;
    cancelKill();
  }

  #start(): void {
    const errors = openSync(this.data.logPath('guard'), 'a', 0o640);
    const guard = spawn(
      process.execPath,
      [module, String(process.pid), this.data.lockPath, join(this.data.postgres, 'postmaster.pid')],
      {
        detached: true,
        windowsHide: true,
        stdio: ['pipe', 'ignore', errors],
        env: { PATH: processEnvironment().PATH },
        cwd: this.data.path,
      },
    );
    closeSync(errors);
    this.#guard = guard;
    guard.stdin?.on('error', (error) => this.#lost(guard, error.message));
    guard.once('error', (error) => this.#lost(guard, error.message));
    guard.once('exit', (code, signal) => this.#lost(guard, signal ?? `exit code ${code ?? 'unknown'}`));
    guard.stdin?.write(`${this.#list}\n`);
  }

  #lost(guard: ChildProcess, reason: string): void {
    if (this.#closed || this.#guard !== guard) return;
    this.#guard = undefined;
    this.warn(`the guard process ended (${reason}); starting another`);
    this.#cancelRestart = systemTimers.after(restartMs, () => this.#start());
  }
}

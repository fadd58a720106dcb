import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '@lab/ports';
import { identify, isStillRunning, signalProcess, type ProcessIdentity } from '@lab/runtime';

/** Longest time that an orphaned device process needs to leave its instrument safe, with a margin, in milliseconds. */
const orphanMs = 6_000;
const killMs = 5_000;
const lookAgainMs = 50;

/**
 * The device processes of this computer, recorded on disk, so that no instrument ever has two processes. An agent that was
 * killed leaves processes behind that still clean up or hang.
 */
export class DeviceProcessList {
  readonly #running = new Map<number, ProcessIdentity>();

  constructor(
    private readonly path: string,
    private readonly log: Log,
  ) {}

  /**
   * Waits until the processes of an earlier agent have ended, and kills those that do not end by themselves.
   *
   * @throws Error when a process survives SIGKILL
   */
  async endLeftovers(): Promise<void> {
    let left = this.#read().filter(isStillRunning);
    if (left.length > 0) {
      this.log.warn('device processes of an earlier agent are still there; waiting for them', {
        pids: left.map(({ pid }) => pid),
      });
    }
    const end = performance.now() + orphanMs;
    while (left.length > 0 && performance.now() < end) {
      await delay(lookAgainMs);
      left = left.filter(isStillRunning);
    }
    for (const process of left) {
      this.log.warn('killing a device process that an earlier agent left behind', { pid: process.pid });
      try {
        signalProcess(process, 'SIGKILL');
      } catch (error) {
        // A process of another user. The error below says what to do.
        this.log.warn('this agent may not end it', { pid: process.pid, reason: String(error) });
      }
    }
    for (let waited = 0; left.length > 0; waited += lookAgainMs) {
      if (waited > killMs) {
        throw new Error(
          `process ${left[0]?.pid} of an earlier agent still holds a device and cannot be ended; end it, or restart the computer`,
        );
      }
      await delay(lookAgainMs);
      left = left.filter(isStillRunning);
    }
    this.#write();
  }

  add(pid: number): void {
    const identity = identify(pid);
    if (identity === undefined) return;
    this.#running.set(pid, identity);
    this.#write();
  }

  remove(pid: number): void {
    if (this.#running.delete(pid)) this.#write();
  }

  #read(): ProcessIdentity[] {
    if (!existsSync(this.path)) return [];
    try {
      const found: unknown = JSON.parse(readFileSync(this.path, 'utf8'));
      return Array.isArray(found) ? found.filter(isIdentity) : [];
    } catch (error) {
      this.log.error('the list of device processes cannot be read', { reason: String(error) });
      return [];
    }
  }

  /** Writes the list. A failure is only logged, because the device must run nevertheless. */
  #write(): void {
    const draft = `${this.path}.new`;
    try {
      mkdirSync(dirname(this.path), { recursive: true });
      writeFileSync(draft, JSON.stringify([...this.#running.values()]), { mode: 0o600 });
      renameSync(draft, this.path);
    } catch (error) {
      this.log.error('the list of device processes cannot be written', { reason: String(error) });
    }
  }
}

function isIdentity(value: unknown): value is ProcessIdentity {
  if (typeof value !== 'object' || value === null || !('pid' in value) || !('started' in value)) return false;
  return typeof value.pid === 'number' && (value.started === null || typeof value.started === 'string');
}

import { rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { identify, isStillRunning, signalProcess, type ProcessIdentity } from '@lab/runtime/light';
import { readIfThere, writePrivately } from './private-files.js';

/** A process of the stack, with the facts that end it when the supervisor is gone. */
export interface StackProcess extends ProcessIdentity {
  name: string;
  /** A service ends by itself when the supervisor has ended. Servers end after the services. */
  kind: 'service' | 'server';
}

/** Signals for a process whose supervisor has ended, each with the wait before it, in milliseconds. */
export const endings: Record<StackProcess['kind'], readonly { afterMs: number; signal: NodeJS.Signals }[]> = {
  service: [
    { afterMs: 0, signal: 'SIGTERM' },
    { afterMs: 10_000, signal: 'SIGKILL' },
  ],
  // SIGINT makes PostgreSQL end its sessions, write all data and stop (fast shutdown).
  server: [
    { afterMs: 0, signal: 'SIGINT' },
    { afterMs: 10_000, signal: 'SIGKILL' },
  ],
};

/**
 * The processes of the stack, in a file where the next stack finds those that a killed stack left running. If the file
 * cannot be written, because the disk is full, the stack goes on: `onChange` has the list, and the next change writes it.
 */
export class ProcessRegister {
  readonly #processes = new Map<number, StackProcess>();

  constructor(
    private readonly path: string,
    private readonly onChange: (processes: readonly StackProcess[]) => void,
    private readonly warn: (text: string) => void,
  ) {}

  add(name: string, kind: StackProcess['kind'], pid: number): void {
    const identity = identify(pid);
    if (identity === undefined) return;
    this.#processes.set(pid, { name, kind, ...identity });
    this.#changed();
  }

  remove(pid: number): void {
    if (this.#processes.delete(pid)) this.#changed();
  }

  /** Removes the file after an orderly end. */
  clear(): void {
    this.#processes.clear();
    rmSync(this.path, { force: true });
  }

  #changed(): void {
    const all = [...this.#processes.values()];
    this.onChange(all);
    try {
      writePrivately(this.path, JSON.stringify(all));
    } catch (error) {
      this.warn(`the list of processes could not be written: ${String(error)}`);
    }
  }
}

/**
 * Ends the processes that a killed stack left running, services first, and waits until they have ended.
 *
 * @param onFound called with each process that still runs
 * @throws Error in one sentence when one cannot be ended
 */
export async function endLeftovers(path: string, onFound: (found: StackProcess) => void): Promise<void> {
  const left = parseRegister(readIfThere(path)).filter(isStillRunning);
  left.forEach(onFound);
  for (const kind of ['service', 'server'] as const) {
    await Promise.all(left.filter((each) => each.kind === kind).map(endProcess));
  }
  rmSync(path, { force: true });
}

/** @throws Error in one sentence when the process does not end or this user may not signal it */
export async function endProcess(target: StackProcess): Promise<void> {
  try {
    for (const { afterMs, signal } of endings[target.kind]) {
      if (await isGoneWithin(target, afterMs)) return;
      signalProcess(target, signal);
    }
  } catch (error) {
    throw new Error(
      `A process of an earlier stack (${target.name}, process ${target.pid}) cannot be ended: ${String(error)}`,
      { cause: error },
    );
  }
  if (await isGoneWithin(target, 5_000)) return;
  throw new Error(`A process of an earlier stack (${target.name}, process ${target.pid}) does not end.`);
}

async function isGoneWithin(target: ProcessIdentity, ms: number): Promise<boolean> {
  const deadline = Date.now() + ms;
  while (isStillRunning(target)) {
    if (Date.now() >= deadline) return false;
    await delay(20);
  }
  return true;
}

/** The processes in a register; none if the file is incomplete, because its stack was killed early. */
export function parseRegister(text: string | undefined): StackProcess[] {
  if (text === undefined) return [];
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value.filter(isStackProcess) : [];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

function isStackProcess(value: unknown): value is StackProcess {
  if (typeof value !== 'object' || value === null) return false;
  const { pid, name, kind } = value as Partial<StackProcess>;
  return typeof pid === 'number' && typeof name === 'string' && (kind === 'service' || kind === 'server');
}

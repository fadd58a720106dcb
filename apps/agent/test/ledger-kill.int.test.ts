import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { LedgerState, readLedger } from '@lab/actors';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FolderLedgerDisk } from '../src/ledger-disk.js';

const writer = fileURLToPath(new URL('ledger-writer.mjs', import.meta.url));
const lives = 8;

describe('a ledger whose process is killed repeatedly', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lab-ledger-kill-'));
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  /**
   * Lets a process append, kills it after the given number of lines, and returns the records that it reported as
   * durable.
   */
  async function live(life: number, lines: number): Promise<string[]> {
    const child = spawn(process.execPath, [writer, folder, `l${life}`], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const said: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      said.push(line);
      if (said.length === lines) child.kill('SIGKILL');
    }
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    expect(child.signalCode).toBe('SIGKILL');
    return said;
  }

  it('keeps everything that was durable, undamaged', async () => {
    const open = new Set<string>();
    for (let life = 0; life < lives; life += 1) {
      const said = await live(life, 1 + ((life * 97) % 250));
      const reading = await readLedger(new FolderLedgerDisk(folder));
      expect(reading.damage).toBeUndefined();
      const state = new LedgerState(undefined, reading.records);
      for (const line of said) {
        const [id = '', how] = line.split(' ');
        if (how === 'open') open.add(id);
        else expect(state.attempts.has(id)).toBe(false);
      }
      for (const id of open) expect(state.attempts.has(id)).toBe(true);
    }
  });
});

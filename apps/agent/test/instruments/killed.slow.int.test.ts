import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DeviceFile, InstrumentFolder } from '@lab/contracts';
import { repetitions } from '@lab/testkit/scale';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

/** An agent that is killed at any call that changes a disk or the service still stores each file once. */

const program = fileURLToPath(new URL('killed-agent.mjs', import.meta.url));

let root: string;
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'instruments-killed-')));
  await anew();
});
afterEach(() => rm(root, { recursive: true, force: true }));

/** Nothing has happened yet, and two files are in the folder of the instrument. */
async function anew(): Promise<void> {
  for (const name of ['in', 'service', 'agent']) await rm(join(root, name), { recursive: true, force: true });
  for (const name of ['in', 'service']) await mkdir(join(root, name));
  await writeFile(join(root, 'in', 'a.csv'), 'content of a');
  await writeFile(join(root, 'in', 'b.csv'), 'x'.repeat(100_000));
}

/** @param killAt number of the call before which the process is killed; 0: it is not. @returns calls; undefined: it was killed */
async function live(killAt: number, afterwards: InstrumentFolder['afterwards']): Promise<number | undefined> {
  const child = spawn(process.execPath, [program, root, String(killAt), afterwards], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (text: Buffer) => (said += text.toString()));
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  if (signal === 'SIGKILL') return undefined;
  expect({ code, signal }).toEqual({ code: 0, signal: null });
  return Number(said);
}

async function stored(): Promise<DeviceFile[]> {
  const names = (await readdir(join(root, 'service'))).filter((name) => name.endsWith('.json'));
  const texts = await Promise.all(names.map((name) => readFile(join(root, 'service', name), 'utf8')));
  return texts.map((text) => JSON.parse(text) as DeviceFile).sort((a, b) => a.path.localeCompare(b.path));
}

/** The ways take turns: together they are killed at each call. */
const ways = ['keep', 'move', 'delete'] as const;

describe.each(ways)('an agent that is killed (%s)', (afterwards) => {
  it('stores each file once, and leaves no copy', async () => {
    const whole = (await live(0, afterwards)) ?? 0;
    expect(whole).toBeGreaterThan(15);
    const step = Math.max(ways.length, Math.round(whole / repetitions(whole)));
    for (let killAt = 1 + ways.indexOf(afterwards); killAt <= whole; killAt += step) {
      await anew();
      await live(killAt, afterwards);
      expect(await live(0, afterwards)).toBeDefined();
      const at = `killed at call ${killAt}`;
      const files = await stored();
      expect({ at, paths: files.map(({ path }) => path) }).toEqual({ at, paths: ['a.csv', 'b.csv'] });
      const bytes = await readFile(join(root, 'service', `${files[0]?.id ?? ''}.bytes`), 'utf8');
      expect(bytes).toBe('content of a');
      const folder = (await readdir(join(root, 'agent')))[0] ?? '';
      const copies = await readdir(join(root, 'agent', folder, 'copies'));
      expect({ at, copies }).toEqual({ at, copies: [] });
      const left = (await readdir(join(root, 'in'))).filter((name) => name.endsWith('.csv'));
      expect({ at, left: left.length }).toEqual({ at, left: afterwards === 'keep' ? 2 : 0 });
      if (afterwards === 'move')
        expect((await readdir(join(root, 'in', 'taken'))).sort()).toEqual(['a.csv', 'b.csv']);
    }
  }, 240_000);
});

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { tarBr } from '../package/archive.js';
import { billOf, nodeRuntime } from '../package/bill.js';
import { entriesBelow } from '../package/folder.js';

const folder = mkdtempSync(join(tmpdir(), 'svc-archive-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('an archive', () => {
  /** Writes the same files in another order, with another time. */
  function written(place: string, names: readonly string[], at: Date): string {
    const target = join(folder, place);
    mkdirSync(join(target, 'b'), { recursive: true });
    for (const name of names) {
      writeFileSync(join(target, name), `the content of ${name}`, { mode: name === 'run' ? 0o755 : 0o600 });
      utimesSync(join(target, name), at, at);
    }
    symlinkSync('run', join(target, 'link'));
    return target;
  }

  it('is the same bit for bit for the same files', async () => {
    const one = written('one', ['run', 'b/c', 'a'], new Date(0));
    const other = written('other', ['a', 'b/c', 'run'], new Date());
    const archives = await Promise.all([one, other].map((each) => tarBr(entriesBelow(each))));
    expect(archives[0]?.equals(archives[1] ?? Buffer.of())).toBe(true);
    writeFileSync(join(other, 'a'), 'something else');
    expect((await tarBr(entriesBelow(other))).equals(archives[0] ?? Buffer.of())).toBe(false);
  });

  it('keeps links and programs', () => {
    expect(entriesBelow(written('kinds', ['run', 'a'], new Date()))).toEqual([
      { path: 'a', content: Buffer.from('the content of a'), isProgram: false },
      { path: 'link', target: 'run' },
      { path: 'run', content: Buffer.from('the content of run'), isProgram: true },
    ]);
  });
});

interface Bill {
  metadata: { component: Record<string, unknown> };
  components: Record<string, unknown>[];
}

describe('a bill of materials', () => {
  const bill = (folders: readonly string[]): Bill =>
    JSON.parse(billOf({ name: 'svc-test', version: '1.2.3' }, folders, [nodeRuntime('24.0.0')])) as Bill;

  it('names each library once, with its hash and its licence', () => {
    const [node, agent, fork, zod, ...more] = bill([
      'node_modules/zod',
      'node_modules/zod',
      'apps/agent/node_modules/https-proxy-agent',
      'node_modules/@nats-io/transport-node',
    ]).components;
    expect(more).toEqual([]);
    expect(node).toMatchObject({ purl: 'pkg:generic/node@24.0.0' });
    expect(agent).toMatchObject({ group: '@nats-io', name: 'transport-node' });
    expect(fork).toMatchObject({ name: 'https-proxy-agent', licenses: [{ license: { id: 'MIT' } }] });
    expect(zod).toMatchObject({
      name: 'zod',
      purl: expect.stringMatching(/^pkg:npm\/zod@4/) as unknown,
      hashes: [{ alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) as unknown }],
    });
  });

  it('does not depend on the time or the order of the libraries', () => {
    const folders = ['node_modules/zod', 'node_modules/pino'];
    expect(bill(folders)).toEqual(bill([...folders].reverse()));
    expect(bill(folders)).not.toHaveProperty('serialNumber');
    expect(bill(folders).metadata).not.toHaveProperty('timestamp');
  });

  it('refuses a library that nobody has locked', () => {
    expect(() => bill(['node_modules/no-such-library'])).toThrow(
      'has no package in node_modules/no-such-library',
    );
  });
});

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { lockText } from '@lab/definitions/environments';
import { makeWheel, withoutPip, type TestWheel } from '@lab/testkit/python';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Laboratory } from './laboratory.js';
import type { TestModule } from './modules.js';
import { languages } from './python-modules.js';

let lab: Laboratory;
beforeAll(async () => {
  lab = await Laboratory.open();
});
afterAll(() => lab.close());

/** Offers a lock with one library. @returns its SHA-256 */
function locked(wheel: TestWheel): string {
  lab.offer(wheel.content);
  const library = { name: 'chooser', version: '1.0.0', marker: null, wheels: [wheel] };
  const lock = { environments: [], requiresPython: null, libraries: [library], made: null };
  return lab.offer(Buffer.from(lockText(lock)));
}

/** The grid in Python that prints what its library says. */
function gridWith(environment: string): TestModule {
  const plain = languages.at(-1)?.gridModule();
  if (plain === undefined) throw new Error('there is no language');
  const { reference } = plain;
  const { files, ...rest } = JSON.parse(plain.text) as { files: Record<string, string> };
  const code = `import chooser\nprint(f"the library says {chooser.SAYS}")\n${files[reference.source] ?? ''}`;
  const text = JSON.stringify({ ...rest, environment, files: { [reference.source]: code } });
  const hash = createHash('sha256').update(text).digest('hex');
  return { reference: { ...reference, hash, environment }, text };
}

const chooser = (tags?: string): TestWheel =>
  makeWheel(join(lab.folder, 'made'), {
    name: 'chooser',
    version: '1.0.0',
    files: { 'chooser/__init__.py': 'SAYS = "grid"\n' },
    ...(tags === undefined ? {} : { tags }),
  });

describe.skipIf(withoutPip())('the libraries of an optimizer in Python', () => {
  it('are installed once, before its process starts', async () => {
    const worker = await lab.start();
    const module = gridWith(locked(chooser()));
    const [description, session] = await Promise.all([
      lab.describe(worker, module),
      lab.open(worker, 'with libraries', module),
    ]);
    expect(description.input_names).toEqual(['mix.a', 'mix.b']);
    expect((await session.propose([1])).trials).toHaveLength(1);
    expect(worker.lines.filter((line) => line.includes('built an environment'))).toHaveLength(1);
    await expect
      .poll(() => worker.lines.filter((line) => line.includes('the library says grid')).length)
      .toBe(2);
  });

  it('that cannot be installed refuse the optimizer with one sentence', async () => {
    const worker = await lab.start();
    const module = gridWith(locked(chooser('cp39-cp39-win_arm64')));
    await expect(lab.describe(worker, module)).rejects.toMatchObject({
      code: 'optimizer_unavailable',
      message: expect.stringMatching(/the lock has no wheel of chooser 1\.0\.0 that fits/) as string,
    });
  });
});

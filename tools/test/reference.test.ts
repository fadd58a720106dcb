import { readFileSync } from 'node:fs';
import { beforeAll, expect, it } from 'vitest';
import { blockingTwin } from '../reference/python/twin.js';
import { referenceFiles } from '../reference/files.js';

let files: Record<string, string>;
beforeAll(async () => {
  files = await referenceFiles();
});

const client = 'libs/python-client/src/svc_client';
const twins = ['__init__', 'campaigns', 'driven', 'files', 'lab', 'service', 'transport', 'work'];

it.each([
  'docs/reference/cli.md',
  'docs/reference/errors.md',
  'docs/reference/messages.md',
  'docs/reference/rest.md',
  'docs/reference/states.md',
  'libs/api-client/src/generated.ts',
  'libs/contracts/src/messages/permissions.ts',
  ...['models', 'refusals', ...twins.map((name) => `blocking/${name}`)].map((name) => `${client}/${name}.py`),
])('%s is up to date; otherwise run npm run docs:reference', (path) => {
  expect(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')).toBe(files[path]);
});

it('generates no other file', () => {
  expect(Object.keys(files)).toHaveLength(7 + 2 + twins.length);
});

it('refuses a word of the asynchronous client that has no blocking twin', () => {
  expect(blockingTwin('async def f():\n    await g()\n', 'x.py')).toContain('\ndef f():\n    g()\n');
  expect(() => blockingTwin('await asyncio.gather(a, b)', 'x.py')).toThrow('no blocking word for "asyncio"');
});

import { readFileSync } from 'node:fs';
import { beforeAll, expect, it } from 'vitest';
import { referenceFiles } from '../reference/files.js';

let files: Record<string, string>;
beforeAll(async () => {
  files = await referenceFiles();
});

it.each([
  'docs/reference/cli.md',
  'docs/reference/errors.md',
  'docs/reference/messages.md',
  'docs/reference/rest.md',
  'docs/reference/states.md',
  'libs/api-client/src/generated.ts',
  'libs/contracts/src/messages/permissions.ts',
])('%s is up to date; otherwise run npm run docs:reference', (path) => {
  expect(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')).toBe(files[path]);
});

it('generates no other file', () => {
  expect(Object.keys(files)).toHaveLength(7);
});

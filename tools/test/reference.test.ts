import { readFileSync } from 'node:fs';
import { beforeAll, expect, it } from 'vitest';
// @ts-expect-error -- plain JavaScript, which is also the command
import * as reference from '../reference.ts';

const { referenceFiles } = reference as { referenceFiles: () => Promise<Record<string, string>> };

let files: Record<string, string>;
beforeAll(async () => {
  files = await referenceFiles();
});

it.each([
  'docs/reference/cli.md',
  'docs/reference/errors.md',
  'docs/reference/rest.md',
  'docs/reference/states.md',
  'libs/api-client/src/generated.ts',
])('%s says what the product says; if not: npm run docs:reference', (path) => {
  expect(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')).toBe(files[path]);
});

it('makes no other file', () => {
  expect(Object.keys(files)).toHaveLength(5);
});

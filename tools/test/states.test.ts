import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
// @ts-expect-error -- plain JavaScript, which is also the command
import * as states from '../states.mjs';

const { statesFile, statesPage } = states as { statesFile: string; statesPage: () => Promise<string> };

it('the page of states says what the tables say; if not: npm run docs:states', async () => {
  expect(readFileSync(statesFile, 'utf8')).toBe(await statesPage());
});

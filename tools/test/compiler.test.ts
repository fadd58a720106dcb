import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
// @ts-expect-error -- plain JavaScript, shared with the bootstrap
import * as command from '../bootstrap/command.mjs';

const linked = fileURLToPath(new URL('../../node_modules/.bin/tsc', import.meta.url));

describe('the compiler', () => {
  it('is the same for the bootstrap and for the command tsc of all scripts', () => {
    expect(realpathSync(linked)).toBe(command.compiler);
  });
});

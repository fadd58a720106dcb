import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { pythonEnvironment } from '../../src/demo/python-environment.js';

it('says in one sentence that a demo in Python finds no Python', async () => {
  const { signal } = new AbortController();
  const lock = join(tmpdir(), 'no-such-lock');
  const made = pythonEnvironment(lock, tmpdir(), '/no/such/python', () => undefined, signal);
  await expect(made).rejects.toThrow(
    'this demo needs Python 3.9 or later (there is no /no/such/python): install it, for example with "apt install python3 python3-venv", or name its program with SVC_PYTHON',
  );
});

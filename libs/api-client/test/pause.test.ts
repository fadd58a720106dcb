import { expect, it } from 'vitest';
import { newKey } from '../src/key.js';
import { pause } from '../src/pause.js';

it('a pause ends at once with the reason of its signal', async () => {
  const end = new AbortController();
  const waits = pause(60_000, end.signal);
  end.abort(new Error('over'));
  await expect(waits).rejects.toThrow('over');
  await expect(pause(60_000, end.signal)).rejects.toThrow('over');
});

it('a pause that ends leaves nothing behind at its signal', async () => {
  const end = new AbortController();
  await pause(1, end.signal);
  end.abort(new Error('over'));
});

it('keys are new each time, and the service takes them', () => {
  const keys = Array.from({ length: 100 }, newKey);
  expect(new Set(keys).size).toBe(100);
  for (const key of keys) expect(key).toMatch(/^[0-9a-f]{32}$/);
});

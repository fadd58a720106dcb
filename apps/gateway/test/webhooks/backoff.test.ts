import { expect, it } from 'vitest';
import { askedForS, mostAttempts, retryInS } from '../../src/webhooks/backoff.js';

it('the delay grows from 5 s to 12 h, and all attempts together last about four days', () => {
  const pauses = Array.from({ length: mostAttempts - 1 }, (_, index) => retryInS(index + 1, 0.5));
  expect(pauses.slice(0, 4)).toEqual([5, 20, 80, 320]);
  expect(pauses.at(-1)).toBe(43_200);
  const days = pauses.reduce((sum, pause) => sum + pause, 0) / 86_400;
  expect(days).toBeGreaterThan(3.5);
  expect(days).toBeLessThan(5);
});

it('the delay varies by a fifth, so that simultaneous failures do not retry at the same moment', () => {
  expect(retryInS(1, 0)).toBeCloseTo(4);
  expect(retryInS(1, 1)).toBeCloseTo(6);
});

it('the delay is at least what the receiver asks for, up to a day', () => {
  expect(retryInS(1, 0.5, 60)).toBe(60);
  expect(retryInS(3, 0.5, 60)).toBe(80);
  expect(retryInS(1, 0.5, 1e9)).toBe(86_400);
});

it.each([
  [undefined, undefined],
  ['120', 120],
  ['Fri, 20 Nov 2026 09:31:00 GMT', 60],
  ['Fri, 20 Nov 2026 09:29:00 GMT', 0],
  ['soon', undefined],
  ['-5', undefined],
])('the delay follows the header %s', (header, seconds) => {
  const now = Date.UTC(2026, 10, 20, 9, 30);
  // A text that is not a date may still parse as a date in the past, which asks for no wait.
  expect(askedForS(header, now) ?? 0).toBe(seconds ?? 0);
});

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { noteDate, serviceNow } from '../src/lab/clock.js';

const at = Date.parse('2026-11-27T07:00:00.000Z');
beforeEach(() => {
  vi.useFakeTimers({ now: at });
});
afterEach(() => {
  noteDate(new Date().toUTCString());
  vi.useRealTimers();
});

it('the time is that of the service, and goes on', () => {
  noteDate(new Date(at - 7_200_000).toUTCString());
  expect(serviceNow()).toBe(at - 7_200_000);
  vi.advanceTimersByTime(1_000);
  expect(serviceNow()).toBe(at - 7_199_000);
});

it('a difference of a second is no difference, and an answer without a date changes nothing', () => {
  noteDate(new Date(at + 1_000).toUTCString());
  expect(serviceNow()).toBe(at);
  noteDate(new Date(at + 60_000).toUTCString());
  for (const header of [null, '', 'yesterday']) noteDate(header);
  expect(serviceNow()).toBe(at + 60_000);
});

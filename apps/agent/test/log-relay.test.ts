import { ServiceError, longestLogBatch, longestLogMessage, type WrittenLine } from '@lab/contracts';
import { VirtualTime } from '@lab/actors/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { LogRelay, type HeardLine, type LogRelayLimits } from '../src/log-relay.js';

let time: VirtualTime;
/** The stored lines in order, and the lines of each attempted batch. */
let stored: WrittenLine[];
let batches: WrittenLine[][];
let failure: unknown;
let answer: Promise<void>;
let release: () => void;

beforeEach(() => {
  time = new VirtualTime();
  stored = [];
  batches = [];
  failure = undefined;
  answer = Promise.resolve();
  release = () => undefined;
});

function relay(limits: Partial<LogRelayLimits> = {}): LogRelay {
  const send = async (lines: readonly WrittenLine[]): Promise<void> => {
    batches.push([...lines]);
    await answer;
    if (failure !== undefined) throw failure;
    stored.push(...lines);
  };
  return new LogRelay({ clock: time, timers: time, send, log: { debug: () => undefined } }, limits);
}

const hold = (): void => void (answer = new Promise((resolve) => (release = resolve)));
const line = (message: string, over: Partial<HeardLine> = {}): HeardLine => ({
  level: 'info',
  source: 'task',
  attempt_id: 'a1',
  message,
  ...over,
});
const messages = (): string[] => stored.map(({ message }) => message);
const unavailable = new ServiceError('service_unavailable', 'no gateway');

describe('the relay of lines', () => {
  it('sends lines that arrive close together in one message, numbered and with the time', async () => {
    const lines = relay();
    lines.add(line('one'));
    await time.advance(100);
    lines.add(line('two', { level: 'error' }));
    await time.advance(500);
    expect(batches).toHaveLength(1);
    expect(stored).toEqual([
      { ...line('one'), seq: 1, at: 0 },
      { ...line('two', { level: 'error' }), seq: 2, at: 100 },
    ]);
  });

  it('sends a full batch at once and the next one while lines keep arriving', async () => {
    const lines = relay();
    for (let n = 0; n < 2.5 * longestLogBatch; n += 1) lines.add(line(String(n)));
    await time.advance(0);
    expect(batches.map((batch) => batch.length)).toEqual([
      longestLogBatch,
      longestLogBatch,
      longestLogBatch / 2,
    ]);
    expect(messages()).toEqual(Array.from({ length: 2.5 * longestLogBatch }, (_, n) => String(n)));
  });

  it('keeps lines within its limit while no store answers, and sends the same numbers again', async () => {
    const lines = relay();
    failure = unavailable;
    lines.add(line('one'));
    await time.advance(3_500);
    lines.add(line('two'));
    expect(batches.length).toBeGreaterThan(2);
    const before = batches.length;
    for (let n = 0; n < 3 * longestLogBatch; n += 1) lines.add(line('more'));
    await time.advance(0);
    expect(batches.length).toBe(before);
    failure = undefined;
    await time.advance(2_000);
    expect(stored.slice(0, 2).map(({ seq, message }) => [seq, message])).toEqual([
      [1, 'one'],
      [2, 'two'],
    ]);
    expect(stored.map(({ seq }) => seq)).toEqual(stored.map((_, index) => index + 1));
    expect(stored).toHaveLength(2 + 3 * longestLogBatch);
  });

  it('drops lines above its limit and reports the gap in its place, for each origin', async () => {
    const lines = relay({ lines: 4 });
    failure = unavailable;
    for (const message of ['1', '2', '3', '4', '5', '6']) lines.add(line(message));
    lines.add(line('7', { source: 'device', attempt_id: undefined as never, lab: 'lab', device: 'arm' }));
    await time.advance(1_000);
    failure = undefined;
    await time.advance(5_000);
    lines.add(line('8'));
    await time.advance(1_000);
    expect(
      stored.map(({ seq, source, message, attempt_id, device }) => [
        seq,
        source,
        attempt_id ?? device,
        message,
      ]),
    ).toEqual([
      [1, 'task', 'a1', '1'],
      [2, 'task', 'a1', '2'],
      [3, 'task', 'a1', '3'],
      [4, 'task', 'a1', '4'],
      [5, 'service', 'a1', '2 lines were dropped here: too many waited to be stored'],
      [6, 'service', 'arm', '1 line was dropped here: too many waited to be stored'],
      [7, 'task', 'a1', '8'],
    ]);
  });

  it('counts bytes as well, also those of many origins together', async () => {
    const lines = relay({ bytes: 3_000 });
    failure = unavailable;
    for (let n = 0; n < 300; n += 1) lines.add(line('x'.repeat(2_000), { attempt_id: `a${n}` }));
    failure = undefined;
    await time.advance(5_000);
    const told = stored.slice(1);
    expect(told.every(({ source }) => source === 'service')).toBe(true);
    const total = told.reduce((sum, { message }) => sum + Number(/^\d+/.exec(message)?.[0]), 0);
    expect([stored[0]?.source, total]).toEqual(['task', 299]);
    expect(told.length).toBeLessThan(150);
  });

  it.each(['disconnected', 'deadline_exceeded'] as const)(
    'sends lines again after %s, when they may have been stored',
    async (code) => {
      const lines = relay();
      failure = new ServiceError(code, 'no answer', { effect: 'maybe' });
      lines.add(line('kept'));
      await time.advance(2_000);
      failure = undefined;
      await time.advance(5_000);
      expect(messages()).toEqual(['kept']);
    },
  );

  it('drops lines that the store refuses, once, and continues with the others', async () => {
    const lines = relay();
    failure = new ServiceError('bad_request', 'malformed');
    lines.add(line('unfit'));
    await time.advance(10_000);
    expect(batches.length).toBeLessThan(5);
    failure = undefined;
    lines.add(line('fit'));
    await time.advance(5_000);
    expect(messages()).toContain('fit');
    expect(messages()).not.toContain('unfit');
  });

  it('cuts a long line at its byte limit, between two characters', async () => {
    const lines = relay();
    lines.add(line('ü€'.repeat(10_000)));
    await time.advance(500);
    const [{ message } = { message: '' }] = stored;
    expect(Buffer.byteLength(message)).toBeLessThanOrEqual(longestLogMessage);
    expect(message).toMatch(/^(ü€)+ü?… \(\d+ bytes more\)$/);
  });

  it('sends the remaining lines at the end, within its time limit', async () => {
    const lines = relay();
    lines.add(line('last words'));
    await lines.close(1_000);
    expect(messages()).toEqual(['last words']);

    const stuck = relay();
    hold();
    stuck.add(line('never'));
    let closed = false;
    void stuck.close(1_000).then(() => (closed = true));
    await time.advance(900);
    expect(closed).toBe(false);
    await time.advance(200);
    expect(closed).toBe(true);
    release();
  });
});

import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  delimited,
  Link,
  readRecording,
  recorded,
  Recorder,
  Replay,
  TextTwin,
  twinTransport,
  type LinkOptions,
  type Transport,
} from '../src/kit.js';
import { TestTime } from './test-time.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-recording-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const silent = { info: () => undefined, warn: () => undefined };
const time = (): TestTime => new TestTime();

function linkOver(transport: Transport, clock: TestTime, more: Partial<LinkOptions> = {}): Link {
  return new Link({
    transport,
    time: clock,
    log: silent,
    framer: () => delimited('\n'),
    recovery: 'reopened',
    ...more,
  });
}

const ask = (text: string, call?: string) => ({
  ...{ name: text, bytes: Buffer.from(`${text}\n`), timeoutMs: 500, call },
  read: (frame: Buffer) => ({ answer: frame.toString() }),
});

/** Records three questions to a twin. */
async function recordSession(maxBytes = 1_000_000): Promise<string> {
  const clock = time();
  const file = join(folder, 'session.ndjson');
  const recorder = new Recorder({
    file,
    label: 'tcp://scale:1',
    of: 'lab.scale',
    maxBytes,
    at: 0,
    now: () => clock.now(),
  });
  const twin = new TextTwin({
    ...{ functions: {}, writes: [], terminator: '\n', answerTerminator: '\n', latencyMs: 3, time: clock },
    answers: { 'A?': '1', 'B?': '2' },
  });
  const link = linkOver(recorded(twinTransport('twin', twin, clock), recorder), clock);
  await clock.until(link.start());
  for (const [text, call] of [
    ['A?', 'call-1'],
    ['B?', undefined],
    ['A?', undefined],
  ] as const)
    await clock.until(link.exchange(ask(text, call)));
  await link.close();
  recorder.close();
  return file;
}

describe('a recording', () => {
  it('has the bytes of both directions with time and call, and only its owner can read it', async () => {
    const file = await recordSession();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { head, entries } = readRecording(readFileSync(file, 'utf8'), file);
    expect(head).toEqual({
      svc_recording: 1,
      label: 'tcp://scale:1',
      of: 'lab.scale',
      at: '1970-01-01T00:00:00.000Z',
    });
    expect(entries.slice(0, 3)).toEqual([
      { ms: 0, event: 'open' },
      { ms: 0, dir: 'out', hex: Buffer.from('A?\n').toString('hex'), call: 'call-1' },
      { ms: 3, dir: 'in', hex: Buffer.from('1\n').toString('hex'), call: 'call-1' },
    ]);
    expect(entries.at(-1)).toEqual({ ms: 9, event: 'close' });
  });

  it('ends at its size, and says so', async () => {
    const file = await recordSession(250);
    const { entries } = readRecording(readFileSync(file, 'utf8'), file);
    expect(entries.at(-1)).toMatchObject({ event: 'full' });
    expect(statSync(file).size).toBeLessThan(400);
  });

  it('is read without a last line that a crash cut off', async () => {
    const text = readFileSync(await recordSession(), 'utf8');
    const whole = readRecording(text, 'a');
    expect(readRecording(`${text}{"ms": 1, "di`, 'a')).toEqual(whole);
  });

  it.each([
    ['{"ms": 1}\n', /a\.ndjson:1: the file is no recording/],
    [
      '{"svc_recording": 1, "label": "x", "of": "y", "at": "z"}\n{"ms": 1, "dir": "up"}\n',
      /a\.ndjson:2: the line is neither/,
    ],
    ['{"svc_recording": 1, "label": "x", "of": "y", "at": "z"}\nnot\n', /a\.ndjson:2: the line is no JSON/],
  ])('that is faulty is refused with the line: %s', (text, message) => {
    expect(() => readRecording(text, 'a.ndjson')).toThrow(message);
  });
});

describe('a replay', () => {
  it('answers as the instrument did', async () => {
    const clock = time();
    const file = await recordSession();
    const replay = new Replay(readRecording(readFileSync(file, 'utf8'), file), 'strict', clock);
    const link = linkOver(replay, clock);
    await clock.until(link.start());
    for (const [text, answer] of [
      ['A?', '1'],
      ['B?', '2'],
      ['A?', '1'],
    ] as const)
      expect(await clock.until(link.exchange(ask(text)))).toBe(answer);
    expect(replay.left).toBe(0);
    await link.close();
  });

  it('that is strict ends the line at the first other byte, and says what was expected', async () => {
    const clock = time();
    const file = await recordSession();
    const link = linkOver(
      new Replay(readRecording(readFileSync(file, 'utf8'), file), 'strict', clock),
      clock,
    );
    await clock.until(link.start());
    const wrong = clock.until(link.exchange(ask('B?')));
    await expect(wrong).rejects.toThrow(/line 3 of the recording sends "A\?\\n", but "B\?\\n" was sent/);
    await link.close();
  });

  it('that is lenient answers in any order and again, and does not answer what it does not know', async () => {
    const clock = time();
    const file = await recordSession();
    const link = linkOver(
      new Replay(readRecording(readFileSync(file, 'utf8'), file), 'lenient', clock),
      clock,
    );
    await clock.until(link.start());
    for (const [text, answer] of [
      ['B?', '2'],
      ['A?', '1'],
      ['B?', '2'],
    ] as const)
      expect(await clock.until(link.exchange(ask(text)))).toBe(answer);
    await expect(clock.until(link.exchange(ask('C?')))).rejects.toThrow(/did not answer/);
    await link.close();
  });
});

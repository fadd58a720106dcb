import { NotBegun } from '@lab/sdk';
import { repetitions } from '@lab/testkit/scale';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  Identity,
  Link,
  scpiMessages,
  type Exchange,
  type LinkOptions,
  type Request,
} from '../../src/kit.js';
import { requestLength, rtuEnvelope, rtuFrames, tcpEnvelope } from '../../src/modbus/envelope.js';
import { echoRequest, readRequest, writeRequest, type Pdu } from '../../src/modbus/pdu.js';
import { ModbusTwin } from '../../src/modbus/modbus-twin.js';
import { TestTime } from '../test-time.js';
import { FaultyWire, noFault, type Fault, type WireOptions } from './faulty-wire.js';

/**
 * On a line that cuts, joins, doubles, delays, loses and changes bytes, and breaks, the link never takes a wrong answer for the right
 * one, and the instrument never carries an effect out twice. Each protocol has the faults that it can have: TCP changes no bytes, and a
 * protocol without checksums cannot know a changed byte.
 */

const timeoutMs = 1_000;
const settleMs = 5;

interface Step {
  do: 'ask' | 'act';
  pause: number;
}

/** A protocol with questions and effects that have numbers. */
interface Bench {
  options: Pick<LinkOptions, 'framer' | 'recovery' | 'greet' | 'sync' | 'settleMs'>;
  wire: Pick<WireOptions, 'framer' | 'answer' | 'carriesOver' | 'longest' | 'reorders'>;
  /** A question whose right answer is the number. */
  ask(number: number): Request<number>;
  act(number: number): Request<unknown>;
  /** How often each effect was carried out. */
  acts: Map<number, number>;
}

const count = (acts: Map<number, number>, number: number): void =>
  void acts.set(number, (acts.get(number) ?? 0) + 1);

/** Lines of text. An answer does not say which question it answers. */
function text(carriesOver: boolean): Bench {
  const acts = new Map<number, number>();
  const requestOf = (name: string) => ({ name, bytes: Buffer.from(`${name}\n`), timeoutMs });
  const identity = new Identity({ ask: '*IDN?', expect: '^ID$' }, requestOf);
  const read = (frame: Buffer): { answer: number } | 'other' => {
    const came = frame.toString();
    if (identity.marks(came, '')) return 'other';
    // It takes every line for an answer, as a function that returns text does.
    return { answer: /^A\d+$/.test(came) ? Number(came.slice(1)) : -1 };
  };
  return {
    acts,
    options: {
      framer: () => scpiMessages('\n'),
      recovery: 'drained',
      settleMs,
      greet: (exchange) => identity.check(exchange),
      sync: (exchange) => identity.check(exchange),
    },
    wire: {
      carriesOver,
      reorders: false,
      framer: () => scpiMessages('\n'),
      // See the docstring of Identity.
      longest: (request) => (carriesOver && request.toString() === '*IDN?' ? 0.9 * timeoutMs : Infinity),
      answer(request) {
        const command = request.toString();
        if (command === '*IDN?') return Buffer.from('ID\n');
        const number = Number(command.slice(1));
        if (command.startsWith('M')) count(acts, number);
        return Buffer.from(`A${number}\n`);
      },
    },
    ask: (number) => ({ ...requestOf(`Q${number}`), read }),
    act: (number) => ({ ...requestOf(`M${number}`), read }),
  };
}

/** Registers: the register n of the input table holds n. An effect writes its number into the holding register 0. */
function modbus(isRtu: boolean): Bench {
  const acts = new Map<number, number>();
  const envelope = isRtu ? rtuEnvelope : tcpEnvelope;
  let id = 0;
  const request = <Value>(name: string, pdu: Pdu<Value>): Request<Value> => {
    id = (id + 1) % 65_536;
    const own = id;
    return {
      ...{ name, timeoutMs, bytes: envelope.wrap(own, 1, pdu.bytes) },
      read(frame) {
        const answer = envelope.unwrap(frame, own, 1);
        const value = answer === undefined ? undefined : pdu.read(answer);
        return value === undefined ? 'other' : { answer: value };
      },
    };
  };
  const input = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [index, index]));
  const twin = new ModbusTwin({
    memory: { coil: {}, discrete: {}, holding: {}, input },
    ...{ latencyMs: 0, time: new TestTime(), unit: 1, isRtu },
  });
  const echo = async (exchange: Exchange): Promise<void> =>
    void (await exchange(request('echo', echoRequest(id))));
  return {
    acts,
    options: {
      framer: () => envelope.framer(),
      recovery: isRtu ? 'drained' : 'matched',
      ...(isRtu ? { settleMs, greet: echo, sync: echo } : {}),
    },
    wire: {
      carriesOver: isRtu,
      reorders: !isRtu,
      framer: () => (isRtu ? rtuFrames(requestLength) : tcpEnvelope.framer()),
      answer(frame) {
        const own = isRtu ? 0 : frame.readUInt16BE(0);
        const pdu = envelope.unwrap(frame, own, 1);
        if (pdu === undefined) return null;
        if (pdu[0] === 6) count(acts, pdu.readUInt16BE(3));
        return envelope.wrap(own, 1, twin.answerTo(pdu));
      },
    },
    ask(number) {
      const { read, ...rest } = request(`read ${number}`, readRequest('input', number, 1));
      return {
        ...rest,
        read(frame) {
          const reading = read?.(frame);
          if (typeof reading !== 'object') return 'other';
          return 'answer' in reading ? { answer: reading.answer[0] ?? -1 } : reading;
        },
      };
    },
    act: (number) => request(`write ${number}`, writeRequest('holding', 0, [number], false)),
  };
}

interface Faults {
  /** Longest delay of an answer in milliseconds. */
  delay: number;
  twice: boolean;
  /** Longest pause between the pieces of an answer. */
  gap: number;
  garbled: boolean;
}

const faultOf = ({ delay, garbled, gap, twice }: Faults): fc.Arbitrary<Fault> =>
  fc.record({
    requestLost: fc.oneof(
      { weight: 9, arbitrary: fc.constant(false) },
      { weight: 1, arbitrary: fc.constant(true) },
    ),
    answerLost: fc.oneof(
      { weight: 9, arbitrary: fc.constant(false) },
      { weight: 1, arbitrary: fc.constant(true) },
    ),
    delay: fc.oneof(
      { weight: 2, arbitrary: fc.nat({ max: 50 }) },
      { weight: 1, arbitrary: fc.nat({ max: delay }) },
    ),
    cuts: fc.array(fc.nat({ max: 20 }), { maxLength: 3 }),
    gap: fc.nat({ max: gap }),
    twice: twice ? fc.boolean() : fc.constant(false),
    garbled: garbled ? fc.oneof(fc.constant(-1), fc.nat({ max: 10_000 })) : fc.constant(-1),
    dropped: fc.boolean(),
    breaks: fc.oneof(
      { weight: 8, arbitrary: fc.constant('never' as const) },
      { weight: 1, arbitrary: fc.constant('before' as const) },
      { weight: 1, arbitrary: fc.constant('after' as const) },
    ),
  });

const step: fc.Arbitrary<Step> = fc.record({
  do: fc.constantFrom('ask' as const, 'act' as const),
  pause: fc.oneof(fc.constant(0), fc.nat({ max: 3_000 })),
});

/**
 * On a serial port, the late answer to a first question for the identity comes as that to the second, whose own one comes after the line
 * was cut, as that to the third. The answer to what was asked before is then still to come.
 */
const lateIdentities: [Fault[], Step[]] = [
  [
    noFault,
    { ...noFault, delay: 3_331 },
    { ...noFault, answerLost: true },
    noFault,
    { ...noFault, delay: 117 },
    { ...noFault, delay: 117, breaks: 'after' },
  ],
  [
    { do: 'ask', pause: 2_116 },
    { do: 'ask', pause: 0 },
  ],
];

async function run(bench: Bench, faults: readonly Fault[], steps: readonly Step[]): Promise<void> {
  const time = new TestTime();
  const silent = { info: () => undefined, warn: () => undefined };
  const link = new Link({
    ...bench.options,
    transport: new FaultyWire({ ...bench.wire, time, faults }),
    ...{ time, log: silent, firstPauseMs: 10, longestPauseMs: 1_000 },
  });
  const started = await time.until(
    link.start().then(
      () => true,
      () => false,
    ),
  );
  if (!started) return;
  const pending: Promise<void>[] = [];
  const begun = new Set<number>();
  let number = 0;
  for (const { do: kind, pause } of steps) {
    number += 1;
    const own = number % 100;
    if (kind === 'ask')
      pending.push(
        link.exchange(bench.ask(own)).then(
          (answer) => expect(answer, `the answer to ${own}`).toBe(own),
          () => undefined,
        ),
      );
    else {
      const act = number;
      pending.push(
        link.exchange(bench.act(act)).then(
          () => expect(bench.acts.get(act), `effects of ${act}, which has an answer`).toBe(1),
          (error: unknown) => {
            if (error instanceof NotBegun) begun.add(act);
          },
        ),
      );
    }
    if (pause > 0) await time.pass(pause);
  }
  await time.until(Promise.all(pending));
  // The faults are over now, but for bytes under way, and the instrument can be used again.
  let answer: number | undefined;
  for (let tries = 0; answer === undefined && tries < 40; tries += 1)
    answer = await time.until(link.exchange(bench.ask(99)).catch(() => undefined));
  expect(answer, 'the answer after the faults').toBe(99);
  for (const [act, times] of bench.acts) expect(times, `effects of ${act}`).toBe(1);
  for (const act of begun)
    expect(bench.acts.get(act), `effects of ${act}, which did not begin`).toBeUndefined();
  await time.until(link.close());
}

describe('the link', () => {
  it.each<[string, () => Bench, Faults]>([
    ['text over TCP', () => text(false), { delay: 8_000, gap: 400, twice: false, garbled: false }],
    ['text over a serial port', () => text(true), { delay: 8_000, gap: 4, twice: true, garbled: false }],
    ['Modbus TCP', () => modbus(false), { delay: 8_000, gap: 0, twice: true, garbled: false }],
    ['Modbus RTU', () => modbus(true), { delay: 8_000, gap: 4, twice: true, garbled: true }],
  ])(
    'takes no wrong answer and repeats no effect, whatever happens to the bytes: %s',
    async (_, bench, faults) => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(faultOf(faults), { maxLength: 12 }),
          fc.array(step, { minLength: 1, maxLength: 8 }),
          (happening, steps) => run(bench(), happening, steps),
        ),
        { numRuns: repetitions(25_000), examples: [lateIdentities] },
      );
    },
    600_000,
  );
});

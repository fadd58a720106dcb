import { repetitions } from '@lab/testkit/scale';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  delimited,
  FramingError,
  lengthPrefixed,
  scpiMessages,
  slip,
  slipEncoded,
  type Framer,
} from '../src/kit.js';
import { crc16, rtuEnvelope } from '../src/modbus/envelope.js';

/** Gives the bytes to the framer in pieces. */
function framesOf(framer: Framer, bytes: Buffer, cuts: readonly number[]): string[] {
  const places = cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b);
  const frames: Buffer[] = [];
  let from = 0;
  for (const to of [...places, bytes.length]) {
    frames.push(...framer.take(bytes.subarray(from, to)));
    from = to;
  }
  return frames.map((frame) => frame.toString('hex'));
}

const hex = (bytes: Buffer | string): string => Buffer.from(bytes).toString('hex');
const contents = (bytes: fc.Arbitrary<Buffer>) => fc.array(bytes, { maxLength: 6 });
const some = (options: fc.IntArrayConstraints): fc.Arbitrary<Buffer> =>
  fc.uint8Array(options).map((bytes) => Buffer.from(bytes));
const line = fc.string({ unit: fc.constantFrom(...'ab#1"'), minLength: 1, maxLength: 20 });
const withoutBlock = line.filter((text) => !text.startsWith('#'));

const protocols: [string, () => Framer, fc.Arbitrary<Buffer>, (content: Buffer) => Buffer][] = [
  [
    'lines',
    () => delimited('\r\n'),
    line.map((text) => Buffer.from(text)),
    (text) => Buffer.concat([text, Buffer.from('\r\n')]),
  ],
  [
    'answers of SCPI with blocks of any bytes',
    () => scpiMessages('\n'),
    fc.oneof(
      withoutBlock.map((text) => Buffer.from(text)),
      some({ maxLength: 30 }).map((data) =>
        Buffer.concat([Buffer.from(`#2${String(data.length).padStart(2, '0')}`), data]),
      ),
    ),
    (message) => Buffer.concat([message, Buffer.from('\r\n')]),
  ],
  [
    'frames with their length',
    () => lengthPrefixed({ at: 1, bytes: 2, more: 3 }),
    some({ maxLength: 300 }).map((data) =>
      Buffer.concat([Buffer.from([7, data.length >> 8, data.length & 0xff]), data]),
    ),
    (frame) => frame,
  ],
  ['frames of SLIP', () => slip(), some({ minLength: 1, maxLength: 50 }), slipEncoded],
  [
    'frames of Modbus RTU',
    () => rtuEnvelope.framer(),
    some({ minLength: 2, maxLength: 20 }).map((data) =>
      rtuEnvelope.wrap(0, 17, Buffer.concat([Buffer.from([3, data.length]), data])),
    ),
    (frame) => frame,
  ],
];

describe('a framer', () => {
  it.each(protocols)('finds the same frames however the bytes are cut: %s', (_, framer, content, encoded) => {
    fc.assert(
      fc.property(contents(content), fc.array(fc.nat(), { maxLength: 12 }), (frames, cuts) => {
        const bytes = Buffer.concat(frames.map(encoded));
        const cutter = framer();
        expect(framesOf(cutter, bytes, cuts)).toEqual(frames.map(hex));
        expect(cutter.pending).toBe(0);
      }),
      { numRuns: repetitions(2_000) },
    );
  });

  it('takes the rest of another line end for no frame', () => {
    const framer = delimited('\r');
    expect(framesOf(framer, Buffer.from('1\r\n2\r\n'), [])).toEqual(['1', '2'].map(hex));
    expect(framer.pending).toBe(0);
  });

  it.each<[string, Framer, Buffer]>([
    ['a block whose length is no number', scpiMessages(), Buffer.from('#2x1abc\n')],
    ['a block without a terminator', scpiMessages(), Buffer.from(`#11a${'b'.repeat(30)}\n`)],
    ['a frame that is too long', lengthPrefixed({ at: 0, bytes: 2, longest: 9 }), Buffer.from([0, 10, 1])],
    ['a frame that is shorter than its head', lengthPrefixed({ at: 0, bytes: 2 }), Buffer.from([0, 1])],
    ['an escape of SLIP before another byte', slip(), Buffer.from([0xdb, 1, 0xc0])],
    ['a wrong checksum', rtuEnvelope.framer(), Buffer.from([1, 6, 0, 0, 0, 1, 0, 0])],
    ['an unknown function of Modbus', rtuEnvelope.framer(), Buffer.from([1, 99])],
  ])('refuses %s, and forgets it', (_, framer, bytes) => {
    expect(() => framer.take(bytes)).toThrow(FramingError);
    expect(framer.pending).toBe(0);
  });

  it('computes the checksum of Modbus as its specification does', () => {
    // "MODBUS over Serial Line V1.02", appendix B: the bytes 02 07 have the checksum 1241 hexadecimal.
    expect(crc16(Buffer.from([0x02, 0x07])).toString(16)).toBe('1241');
  });
});

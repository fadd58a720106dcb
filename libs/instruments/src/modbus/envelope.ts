import { framerOf, FramingError, lengthPrefixed, type Framer } from '../framing/index.js';

/** The two envelopes of Modbus. */
export interface Envelope {
  framer(): Framer;
  /** Puts a request into its envelope. @param id of the exchange, from 0 to 65 535 */
  wrap(id: number, unit: number, pdu: Buffer): Buffer;
  /** The request or answer in a frame. @returns undefined: it belongs to another exchange or unit */
  unwrap(frame: Buffer, id: number, unit: number): Buffer | undefined;
}

/** The header of Modbus TCP: an id, the protocol 0, a length, and the unit ("MODBUS Messaging on TCP/IP V1.0b", 3.1.3). */
export const tcpEnvelope: Envelope = {
  framer: () =>
    lengthPrefixed({
      ...{ at: 4, bytes: 2, more: 6, longest: 260 },
      check(head) {
        if (head.readUInt16BE(2) !== 0) throw new FramingError('the protocol of the header is not Modbus');
      },
    }),
  wrap(id, unit, pdu) {
    const head = Buffer.alloc(7);
    head.writeUInt16BE(id, 0);
    head.writeUInt16BE(pdu.length + 1, 4);
    head[6] = unit;
    return Buffer.concat([head, pdu]);
  },
  unwrap: (frame, id, unit) =>
    frame.readUInt16BE(0) === id && frame[6] === unit ? frame.subarray(7) : undefined,
};

/** Milliseconds of silence between frames: 3.5 characters of 11 bits, at least 1.75 ("MODBUS over Serial Line V1.02", 2.5.1.1). */
export const rtuSilenceMs = (baudRate: number): number => Math.max(1.75, (3.5 * 11 * 1_000) / baudRate);

/** The unit, the request or answer, and a checksum. */
export const rtuEnvelope: Envelope = {
  framer: () => rtuFrames(answerLength),
  wrap(_id, unit, pdu) {
    const body = Buffer.concat([Buffer.from([unit]), pdu]);
    const sum = Buffer.alloc(2);
    sum.writeUInt16LE(crc16(body));
    return Buffer.concat([body, sum]);
  },
  unwrap: (frame, _id, unit) => (frame[0] === unit ? frame.subarray(1, -2) : undefined),
};

/** Bytes of a frame whose begin is known; a number of bytes that are needed to say. */
type LengthOf = (bytes: Buffer) => { length: number } | { needs: number };

/** Frames of RTU by their length, as silence cannot be measured behind an operating system. A wrong checksum is an error. */
export function rtuFrames(lengthOf: LengthOf): Framer {
  return framerOf((bytes) => {
    const known = lengthOf(bytes);
    if ('needs' in known) return known;
    const { length } = known;
    if (bytes.length < length) return { needs: length };
    const frame = bytes.subarray(0, length);
    if (frame.readUInt16LE(length - 2) !== crc16(frame.subarray(0, -2)))
      throw new FramingError(`the checksum of ${frame.toString('hex')} is wrong`);
    return { length, content: frame };
  }, 256);
}

/** The length of an answer by its function, with unit and checksum. */
const answerLength: LengthOf = (bytes) => {
  const code = bytes[1];
  if (code === undefined) return { needs: 2 };
  if (code >= 0x80) return { length: 5 };
  if (code >= 1 && code <= 4) return bytes.length < 3 ? { needs: 3 } : { length: 5 + (bytes[2] ?? 0) };
  if ([5, 6, 8, 15, 16].includes(code)) return { length: 8 };
  throw new FramingError(`no answer begins with ${bytes.subarray(0, 2).toString('hex')}`);
};

/** The length of a request by its function, with unit and checksum. For twins. */
export const requestLength: LengthOf = (bytes) => {
  const code = bytes[1];
  if (code === undefined) return { needs: 2 };
  if (code === 15 || code === 16) return bytes.length < 7 ? { needs: 7 } : { length: 9 + (bytes[6] ?? 0) };
  return { length: 8 };
};

const crcTable = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) crc = (crc & 1) === 1 ? (crc >> 1) ^ 0xa001 : crc >> 1;
  return crc;
});

/** CRC-16 of Modbus ("MODBUS over Serial Line V1.02", 6.2.2): polynomial 0xA001, begin 0xFFFF. */
export function crc16(bytes: Buffer): number {
  let crc = 0xffff;
  for (const byte of bytes) crc = (crc >> 8) ^ (crcTable[(crc ^ byte) & 0xff] ?? 0);
  return crc;
}

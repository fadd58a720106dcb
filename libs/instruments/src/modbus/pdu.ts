/**
 * Requests and answers of Modbus without their envelopes, after "MODBUS Application Protocol Specification V1.1b3", section 6.
 */

export const tables = ['coil', 'discrete', 'holding', 'input'] as const;
export type Table = (typeof tables)[number];

/** Whether the entries of a table are bits. */
export const isOfBits = (table: Table): boolean => table === 'coil' || table === 'discrete';

const readCodes: Record<Table, number> = { coil: 1, discrete: 2, holding: 3, input: 4 };
const writeOneCode = { coil: 5, holding: 6 };
const writeManyCode = { coil: 15, holding: 16 };
const echoCode = 8;
const exceptionBit = 0x80;

/** Most entries of one request, 6.1 to 6.12. */
export const mostRead = { bits: 2_000, registers: 125 };
export const mostWritten = { bits: 1_968, registers: 123 };

const exceptions: Record<number, string> = {
  1: 'it does not know this function',
  2: 'it has no such address',
  3: 'it does not accept this value',
  4: 'it has failed while it carried the request out',
  5: 'it has accepted the request and needs longer',
  6: 'it is busy',
  8: 'its memory is faulty',
  10: 'the gateway has no path to it',
  11: 'it does not answer the gateway',
};

/** The instrument has answered that it refuses a request. */
export class ModbusException extends Error {
  override readonly name = 'ModbusException';

  constructor(readonly code: number) {
    super(`the instrument refuses: ${exceptions[code] ?? 'it gives an unknown reason'} (exception ${code})`);
  }
}

/** A request, and what its answer has to be. */
export interface Pdu<Value> {
  bytes: Buffer;
  /** @throws ModbusException; @returns undefined for the answer to another request */
  read(answer: Buffer): Value | undefined;
}

/** Reads entries of a table: bits as 0 and 1, registers as unsigned numbers of 16 bits. */
export function readRequest(table: Table, address: number, count: number): Pdu<number[]> {
  const code = readCodes[table];
  const bytes = Buffer.from([code, address >> 8, address & 0xff, count >> 8, count & 0xff]);
  const size = isOfBits(table) ? Math.ceil(count / 8) : 2 * count;
  return {
    bytes,
    read: (answer) => {
      if (!isAnswer(answer, code)) return undefined;
      if (answer.length !== 2 + size || answer[1] !== size) return undefined;
      return Array.from({ length: count }, (_, index) =>
        isOfBits(table)
          ? ((answer[2 + (index >> 3)] ?? 0) >> (index & 7)) & 1
          : answer.readUInt16BE(2 + 2 * index),
      );
    },
  };
}

/** Writes entries of a table. One value takes the functions 5 and 6, several take 15 and 16, unless `many` asks for these. */
export function writeRequest(
  table: 'coil' | 'holding',
  address: number,
  values: readonly number[],
  many: boolean,
): Pdu<true> {
  const [value = 0] = values;
  if (values.length === 1 && !many) {
    const code = writeOneCode[table];
    const word = table === 'coil' ? (value === 0 ? 0 : 0xff00) : value & 0xffff;
    const bytes = Buffer.from([code, address >> 8, address & 0xff, word >> 8, word & 0xff]);
    // The answer repeats the request.
    return { bytes, read: (answer) => (isAnswer(answer, code) && answer.equals(bytes) ? true : undefined) };
  }
  const code = writeManyCode[table];
  const data = table === 'coil' ? packed(values) : words(values);
  const count = values.length;
  const head = Buffer.from([code, address >> 8, address & 0xff, count >> 8, count & 0xff]);
  return {
    bytes: Buffer.concat([head, Buffer.from([data.length]), data]),
    read: (answer) => (isAnswer(answer, code) && answer.equals(head) ? true : undefined),
  };
}

/**
 * Asks for an echo of a number (function 8, sub-function 0). An instrument that does not know the function answers with an exception,
 * which no other request gets, so both show where old answers end.
 */
export function echoRequest(token: number): Pdu<true> {
  const bytes = Buffer.from([echoCode, 0, 0, token >> 8, token & 0xff]);
  return {
    bytes,
    read: (answer) => (answer[0] === (echoCode | exceptionBit) || answer.equals(bytes) ? true : undefined),
  };
}

/** @throws ModbusException when the answer is an exception to this function */
function isAnswer(answer: Buffer, code: number): boolean {
  if (answer[0] === (code | exceptionBit) && answer.length === 2) throw new ModbusException(answer[1] ?? 0);
  return answer[0] === code;
}

function packed(bits: readonly number[]): Buffer {
  const bytes = Buffer.alloc(Math.ceil(bits.length / 8));
  for (const [index, bit] of bits.entries())
    if (bit !== 0) bytes[index >> 3] = (bytes[index >> 3] ?? 0) | (1 << (index & 7));
  return bytes;
}

function words(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(2 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt16BE(value & 0xffff, 2 * index);
  return bytes;
}

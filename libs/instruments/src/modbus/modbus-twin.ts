import { FramingError, lengthPrefixed, type Framer } from '../framing/index.js';
import type { Time, Twin } from '../transport/index.js';
import { requestLength, rtuEnvelope, rtuFrames, tcpEnvelope } from './envelope.js';
import { tables, type Table } from './pdu.js';

export interface ModbusTwinOptions {
  /** What the entries hold at first, by table and address; all others hold 0. */
  memory: Readonly<Record<Table, Readonly<Record<string, number | boolean>>>>;
  latencyMs: number;
  time: Time;
  unit: number;
  isRtu: boolean;
}

const noSuchFunction = 1;
const wrongValue = 3;

/** The twin of an instrument with Modbus: four tables of memory. */
export class ModbusTwin implements Twin {
  readonly memory: Record<Table, Map<number, number>>;

  constructor(private readonly options: ModbusTwinOptions) {
    const of = (table: Table): Map<number, number> =>
      new Map(
        Object.entries(options.memory[table]).map(([address, value]) => [Number(address), Number(value)]),
      );
    this.memory = Object.fromEntries(tables.map((table) => [table, of(table)])) as Record<
      Table,
      Map<number, number>
    >;
  }

  connect(send: (bytes: Buffer) => void): { receive(bytes: Buffer): void } {
    const { isRtu, latencyMs, time, unit } = this.options;
    const envelope = isRtu ? rtuEnvelope : tcpEnvelope;
    const framer = isRtu
      ? rtuFrames(requestLength)
      : lengthPrefixed({ at: 4, bytes: 2, more: 6, longest: 260 });
    return {
      receive: (bytes) => {
        for (const frame of framesIn(framer, bytes)) {
          const id = isRtu ? 0 : frame.readUInt16BE(0);
          const request = envelope.unwrap(frame, id, unit);
          if (request === undefined) continue;
          const answer = envelope.wrap(id, unit, this.answerTo(request));
          if (latencyMs > 0) time.after(latencyMs, () => send(answer));
          else send(answer);
        }
      },
    };
  }

  /** The answer to a request, both without their envelope. */
  answerTo(request: Buffer): Buffer {
    const code = request[0] ?? 0;
    const refused = (why: number): Buffer => Buffer.from([code | 0x80, why]);
    const address = request.length >= 5 ? request.readUInt16BE(1) : 0;
    const word = request.length >= 5 ? request.readUInt16BE(3) : 0;
    const { coil, discrete, holding, input } = this.memory;
    switch (code) {
      case 1:
      case 2:
        return word < 1 || word > 2_000
          ? refused(wrongValue)
          : bitsOf(code, code === 1 ? coil : discrete, address, word);
      case 3:
      case 4:
        return word < 1 || word > 125
          ? refused(wrongValue)
          : registersOf(code, code === 3 ? holding : input, address, word);
      case 5:
        coil.set(address, word === 0 ? 0 : 1);
        return request;
      case 6:
        holding.set(address, word);
        return request;
      case 8:
        return address === 0 ? request : refused(noSuchFunction);
      case 15:
        for (let index = 0; index < word; index += 1)
          coil.set(address + index, ((request[6 + (index >> 3)] ?? 0) >> (index & 7)) & 1);
        return request.subarray(0, 5);
      case 16:
        for (let index = 0; index < word; index += 1)
          holding.set(address + index, request.readUInt16BE(6 + 2 * index));
        return request.subarray(0, 5);
      default:
        return refused(noSuchFunction);
    }
  }
}

/** An instrument does not answer what it cannot read. */
function framesIn(framer: Framer, bytes: Buffer): Buffer[] {
  try {
    return framer.take(bytes);
  } catch (error) {
    if (error instanceof FramingError) return [];
    throw error;
  }
}

function bitsOf(code: number, memory: Map<number, number>, address: number, count: number): Buffer {
  const bytes = Buffer.alloc(2 + Math.ceil(count / 8));
  bytes[0] = code;
  bytes[1] = bytes.length - 2;
  for (let index = 0; index < count; index += 1)
    if ((memory.get(address + index) ?? 0) !== 0)
      bytes[2 + (index >> 3)] = (bytes[2 + (index >> 3)] ?? 0) | (1 << (index & 7));
  return bytes;
}

function registersOf(code: number, memory: Map<number, number>, address: number, count: number): Buffer {
  const bytes = Buffer.alloc(2 + 2 * count);
  bytes[0] = code;
  bytes[1] = 2 * count;
  for (let index = 0; index < count; index += 1)
    bytes.writeUInt16BE((memory.get(address + index) ?? 0) & 0xffff, 2 + 2 * index);
  return bytes;
}

import type { JsonValue } from '@lab/sdk';
import { z } from 'zod';
import { isOfBits, mostRead, mostWritten, tables } from './pdu.js';

/** Types of values in registers, with the registers that one value takes. */
const widths = {
  int16: 1,
  uint16: 1,
  int32: 2,
  uint32: 2,
  float32: 2,
  float64: 4,
  int64: 4,
  uint64: 4,
  bool: 1,
} as const;
type ValueType = keyof typeof widths;

const address = z.int().min(0).max(65_535);

const point = {
  table: z.enum(tables),
  /** From 0. An address in a manual such as 40001 is the holding register 0. */
  address,
  type: z.enum(Object.keys(widths) as [ValueType, ...ValueType[]]).optional(),
  /** Whether the first register of a value is the least significant one. */
  low_word_first: z.boolean().default(false),
  /** What a number in the registers is multiplied by. */
  scale: z
    .number()
    .refine((value) => value !== 0, 'must not be 0')
    .default(1),
};

/** Where a value is read. */
export const readPoint = z
  .strictObject({ ...point, count: z.int().min(1).max(2_000).default(1) })
  .superRefine((given, context) => {
    const most = isOfBits(given.table) ? mostRead.bits : mostRead.registers;
    if (sizeOf(given) > most)
      context.addIssue({ code: 'custom', message: `reads ${sizeOf(given)} entries: at most ${most} fit` });
    refuseType(given, context);
  });
export type ReadPoint = z.output<typeof readPoint>;

/** Where a value is written. */
export const writePoint = z
  .strictObject({
    ...point,
    table: z.enum(['coil', 'holding']),
    /** A constant, or the name of a parameter. */
    value: z.union([z.number(), z.boolean(), z.string(), z.array(z.union([z.number(), z.boolean()])).min(1)]),
    /** Whether one value is written with the function for many (15, 16). */
    many: z.boolean().default(false),
  })
  .superRefine(refuseType);
export type WritePoint = z.output<typeof writePoint>;

function refuseType(
  { table, type }: { table: ReadPoint['table']; type?: ValueType | undefined },
  context: z.RefinementCtx,
): void {
  if (isOfBits(table) && type !== undefined && type !== 'bool')
    context.addIssue({ code: 'custom', path: ['type'], message: `a ${table} is a bit: leave the type out` });
}

const typeOf = ({ table, type }: { table: ReadPoint['table']; type?: ValueType | undefined }): ValueType =>
  type ?? (isOfBits(table) ? 'bool' : 'uint16');

/** Entries of the table that a point takes. */
export const sizeOf = (given: Pick<ReadPoint, 'table' | 'type' | 'count'>): number =>
  given.count * (isOfBits(given.table) ? 1 : widths[typeOf(given)]);

/** The value of a point: one, or a list if `count` is more than 1. @throws RangeError when JSON cannot hold a number exactly */
export function valueIn(given: ReadPoint, entries: readonly number[]): JsonValue {
  const type = typeOf(given);
  const width = isOfBits(given.table) ? 1 : widths[type];
  const values = Array.from({ length: given.count }, (_, index) =>
    one(type, given, entries.slice(index * width, (index + 1) * width)),
  );
  return given.count === 1 ? (values[0] ?? null) : values;
}

function one(
  type: ValueType,
  { low_word_first: low, scale }: ReadPoint,
  entries: readonly number[],
): number | boolean {
  if (type === 'bool') return entries[0] !== 0;
  const bytes = Buffer.alloc(2 * entries.length);
  for (const [index, word] of (low ? [...entries].reverse() : entries).entries())
    bytes.writeUInt16BE(word, 2 * index);
  const raw = rawOf(type, bytes);
  if (!Number.isFinite(raw))
    throw new RangeError(`the registers ${bytes.toString('hex')} hold ${raw}, which is no number`);
  return scale === 1 ? raw : raw * scale;
}

function rawOf(type: Exclude<ValueType, 'bool'>, bytes: Buffer): number {
  switch (type) {
    case 'int16':
      return bytes.readInt16BE();
    case 'uint16':
      return bytes.readUInt16BE();
    case 'int32':
      return bytes.readInt32BE();
    case 'uint32':
      return bytes.readUInt32BE();
    case 'float32':
      return bytes.readFloatBE();
    case 'float64':
      return bytes.readDoubleBE();
    case 'int64':
      return exact(bytes.readBigInt64BE());
    case 'uint64':
      return exact(bytes.readBigUInt64BE());
  }
}

function exact(value: bigint): number {
  if (!Number.isSafeInteger(Number(value)))
    throw new RangeError(`${value} is too large for a number of JSON`);
  return Number(value);
}

/**
 * The entries that a value becomes.
 *
 * @throws RangeError when it does not fit the type, or is no number
 */
export function entriesOf(given: WritePoint, value: JsonValue): number[] {
  const list = Array.isArray(value) ? value : [value];
  const type = typeOf(given);
  const entries = list.flatMap((each) => {
    if (isOfBits(given.table) || type === 'bool') {
      if (typeof each !== 'boolean' && each !== 0 && each !== 1)
        throw new RangeError(`${JSON.stringify(each)} is no bit: give true, false, 1 or 0`);
      return [Number(each)];
    }
    if (typeof each !== 'number') throw new RangeError(`${JSON.stringify(each)} is no number`);
    return registersOf(type, given, each);
  });
  const most = isOfBits(given.table) ? mostWritten.bits : mostWritten.registers;
  if (entries.length > most)
    throw new RangeError(`${entries.length} entries are too many: at most ${most} fit`);
  return entries;
}

function registersOf(
  type: Exclude<ValueType, 'bool'>,
  { low_word_first: low, scale }: WritePoint,
  value: number,
): number[] {
  const isFloat = type === 'float32' || type === 'float64';
  const raw = isFloat ? value / scale : Math.round(value / scale);
  const bytes = Buffer.alloc(2 * widths[type]);
  try {
    write(type, bytes, raw);
  } catch (error) {
    throw new RangeError(`${value} does not fit ${type}${scale === 1 ? '' : ` with the scale ${scale}`}`, {
      cause: error,
    });
  }
  const entries = Array.from({ length: widths[type] }, (_, index) => bytes.readUInt16BE(2 * index));
  return low ? entries.reverse() : entries;
}

function write(type: Exclude<ValueType, 'bool'>, bytes: Buffer, raw: number): void {
  switch (type) {
    case 'int16':
      bytes.writeInt16BE(raw);
      return;
    case 'uint16':
      bytes.writeUInt16BE(raw);
      return;
    case 'int32':
      bytes.writeInt32BE(raw);
      return;
    case 'uint32':
      bytes.writeUInt32BE(raw);
      return;
    case 'float32':
      bytes.writeFloatBE(raw);
      if (!Number.isFinite(bytes.readFloatBE())) throw new RangeError('too large');
      return;
    case 'float64':
      bytes.writeDoubleBE(raw);
      return;
    case 'int64':
      bytes.writeBigInt64BE(BigInt(raw));
      return;
    case 'uint64':
      bytes.writeBigUInt64BE(BigInt(raw));
  }
}

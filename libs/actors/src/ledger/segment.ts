import { crc32c } from './crc32c.js';

/**
 * The format of a segment: consecutive records, each aligned to 8 bytes.
 *
 * | offset | size | holds (little endian)                                                             |
 * | ------ | ---- | --------------------------------------------------------------------------------- |
 * | 0      | 4    | CRC-32C of everything after it, up to the end of the text                          |
 * | 4      | 4    | length of the text in bytes, at least 1                                            |
 * | 8      | 4    | generation: rises with every checkpoint, so that records of an earlier use are stale |
 * | 12     | 4    | index: from 1, rises within the generation, and is never reused, not even after a failure |
 * | 16     | 4    | durable: the highest index that was on the disk when this record was written        |
 * | 20     | n    | text: JSON in UTF-8                                                                |
 *
 * The first record is the checkpoint, which gives the number of records after it that belong to it. A zero header ends the
 * segment.
 */
export const headerBytes = 20;
const alignment = 8;

/** The end mark of a segment, written after every group of records. */
export const terminator = new Uint8Array(24);

export interface Frame {
  generation: number;
  index: number;
  durable: number;
}

/** Size of the record with a text of this size, in bytes. */
export function frameBytes(textBytes: number): number {
  return Math.ceil((headerBytes + textBytes) / alignment) * alignment;
}

/** Encodes records and the terminator behind them. @param frame of the first record; the index rises by one per record */
export function encodeRecords(
  texts: readonly Uint8Array[],
  { generation, index: firstIndex, durable }: Frame,
): Uint8Array {
  const bytes = new Uint8Array(
    texts.reduce((sum, { length }) => sum + frameBytes(length), terminator.length),
  );
  const view = new DataView(bytes.buffer);
  let at = 0;
  texts.forEach((text, n) => {
    const end = at + headerBytes + text.length;
    bytes.set(text, at + headerBytes);
    view.setUint32(at + 4, text.length, true);
    view.setUint32(at + 8, generation, true);
    view.setUint32(at + 12, firstIndex + n, true);
    view.setUint32(at + 16, durable, true);
    view.setUint32(at, crc32c(bytes, at + 4, end), true);
    at += frameBytes(text.length);
  });
  return bytes;
}

export interface Segment {
  /** Generation of its first record; 0: it has no record. */
  generation: number;
  texts: string[];
  /** Offset behind the last record. */
  end: number;
  /** Index of the last record; 0: there is none. */
  lastIndex: number;
  /**
   * The bytes behind the last record. `clean`: the terminator. `torn`: parts of a write that never became durable. `damaged`:
   * records that were durable, behind bytes that have changed since.
   */
  tail: 'clean' | 'torn' | 'damaged';
}

/**
 * What was ever written to a segment: everything before the zeros at its end, which are most of it. The text of a record does
 * not end with a zero, so every record stays whole.
 */
export function withoutZeros(bytes: Uint8Array): Uint8Array {
  const view = viewOf(bytes);
  let end = bytes.length;
  while (end >= 4 && view.getUint32(end - 4) === 0) end -= 4;
  return bytes.subarray(0, end);
}

/** Reads records up to the first that is incomplete, of another generation, or not later than the record before it. */
export function parseSegment(bytes: Uint8Array): Segment {
  const view = viewOf(bytes);
  const decoder = new TextDecoder();
  const first = frameAt(bytes, view, 0);
  const segment: Segment = {
    generation: first?.generation ?? 0,
    texts: [],
    end: 0,
    lastIndex: 0,
    tail: 'clean',
  };
  for (;;) {
    const frame = frameAt(bytes, view, segment.end);
    if (frame === undefined || frame.generation !== segment.generation || frame.index <= segment.lastIndex) {
      break;
    }
    segment.texts.push(decoder.decode(bytes.subarray(segment.end + headerBytes, frame.textEnd)));
    segment.end += frameBytes(frame.textEnd - segment.end - headerBytes);
    segment.lastIndex = frame.index;
  }
  const later = laterFrame(bytes, view, segment);
  if (later !== undefined && later.durable > segment.lastIndex) segment.tail = 'damaged';
  else if (!isZero(bytes.subarray(segment.end, segment.end + headerBytes))) segment.tail = 'torn';
  return segment;
}

/** The highest generation of all complete records, including those behind the end of the segment; 0: there are none. */
export function highestGeneration(bytes: Uint8Array, { generation, end }: Segment): number {
  const view = viewOf(bytes);
  let highest = generation;
  for (let at = end; at + headerBytes < bytes.length;) {
    const frame = frameAt(bytes, view, at);
    highest = Math.max(highest, frame?.generation ?? 0);
    at += frame === undefined ? alignment : frameBytes(frame.textEnd - at - headerBytes);
  }
  return highest;
}

/** The last complete record of the segment's generation behind its end. */
function laterFrame(
  bytes: Uint8Array,
  view: DataView,
  { generation, end, lastIndex }: Segment,
): Frame | undefined {
  if (generation === 0) return undefined;
  let last: Frame | undefined;
  for (let at = end; at + headerBytes < bytes.length; at += alignment) {
    if (view.getUint32(at + 8, true) !== generation || view.getUint32(at + 12, true) <= lastIndex) continue;
    const frame = frameAt(bytes, view, at);
    if (frame !== undefined && frame.index > (last?.index ?? lastIndex)) last = frame;
  }
  return last;
}

function frameAt(bytes: Uint8Array, view: DataView, at: number): (Frame & { textEnd: number }) | undefined {
  if (at + headerBytes >= bytes.length) return undefined;
  const length = view.getUint32(at + 4, true);
  const textEnd = at + headerBytes + length;
  if (length === 0 || textEnd > bytes.length) return undefined;
  if (crc32c(bytes, at + 4, textEnd) !== view.getUint32(at, true)) return undefined;
  const [generation, index, durable] = [8, 12, 16].map((offset) => view.getUint32(at + offset, true));
  if (generation === undefined || generation === 0 || index === undefined || durable === undefined) {
    return undefined;
  }
  return { generation, index, durable, textEnd };
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function isZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0);
}

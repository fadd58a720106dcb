import { framerOf, FramingError, type Framer, type Look } from './framer.js';

/** Longest line of text in bytes. */
const longestLine = 1024 * 1024;

/**
 * Frames that end with a delimiter, such as lines. The delimiter is no part of a frame, and empty frames are passed over.
 *
 * @param delimiter at least one byte
 */
export function delimited(delimiter: Buffer | string): Framer {
  const end = Buffer.from(delimiter);
  if (end.length === 0) throw new TypeError('a delimiter has at least one byte');
  return framerOf((bytes) => lookForLine(bytes, end, 0));
}

/**
 * Answers of SCPI: lines of text, or blocks of IEEE 488.2, section 8.7.9 (`#`, a digit with the number of digits, the
 * length, the data) that may contain the terminator. A block of unknown length (`#0`) ends with the terminator. The frame of a
 * block begins with its `#`.
 *
 * @param terminator what ends a message; a carriage return before it is passed over
 */
export function scpiMessages(terminator: Buffer | string = '\n'): Framer {
  const end = Buffer.from(terminator);
  return framerOf((bytes) => {
    if (bytes[0] !== hash) return lookForLine(bytes, end, carriageReturn);
    if (bytes.length < 2) return { needs: 2 };
    const digits = (bytes[1] ?? 0) - zero;
    if (digits <= 0 || digits > 9) return lookForLine(bytes, end, carriageReturn);
    if (bytes.length < 2 + digits) return { needs: 2 + digits };
    const length = bytes.toString('latin1', 2, 2 + digits);
    if (!/^\d+$/.test(length)) throw new FramingError(`a block with the length "${length}"`);
    const block = 2 + digits + Number(length);
    if (bytes.length <= block) return { needs: block + 1 };
    // What follows the data up to the terminator, such as a carriage return, is no part of the block.
    const at = bytes.indexOf(end, block);
    if ((at < 0 ? bytes.length : at) - block > longestTail)
      throw new FramingError('a block without its terminator');
    if (at < 0) return { needs: bytes.length + 1 };
    return { length: at + end.length, content: bytes.subarray(0, block) };
  });
}

const hash = 0x23;
const zero = 0x30;
const carriageReturn = 0x0d;
const lineFeed = 0x0a;
/** Bytes that may stand between a block and the terminator. */
const longestTail = 16;

const nothing = Buffer.alloc(0);

/** Whether the bytes may go on to the delimiter. */
const isBegin = (bytes: Buffer, end: Buffer): boolean => end.subarray(0, bytes.length).equals(bytes);

/** Finds the first delimiter. @param trailing byte that is passed over before it; 0: none */
function lookForLine(bytes: Buffer, end: Buffer, trailing: number): Look {
  const at = bytes.indexOf(end);
  if (at < 0) {
    if (bytes.length <= 2 && lineStart(bytes, bytes.length) === bytes.length && !isBegin(bytes, end))
      return { length: bytes.length, content: nothing };
    if (bytes.length > longestLine) throw new FramingError(`no delimiter in ${longestLine} bytes`);
    return { needs: bytes.length + 1 };
  }
  const stop = trailing !== 0 && at > 0 && bytes[at - 1] === trailing ? at - 1 : at;
  return { length: at + end.length, content: bytes.subarray(lineStart(bytes, stop), stop) };
}

/** Where a line begins behind the rest of another line end, as an instrument leaves it that sends more than its delimiter. */
function lineStart(bytes: Buffer, stop: number): number {
  let start = 0;
  while (start < stop && (bytes[start] === carriageReturn || bytes[start] === lineFeed)) start += 1;
  return start;
}

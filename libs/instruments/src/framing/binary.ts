import { framerOf, FramingError, longestFrame, type Framer } from './framer.js';

export interface LengthOptions {
  /** Place of the field with the length, in bytes from the begin of a frame. */
  at: number;
  /** Bytes of the field. */
  bytes: 1 | 2 | 4;
  littleEndian?: boolean;
  /** Bytes of a frame that the field does not count. */
  more?: number;
  /** Longest frame in bytes. */
  longest?: number;
  /** Looks at the bytes up to the field. @throws FramingError if no frame begins like this */
  check?: (head: Buffer) => void;
}

/** Frames that contain their length. */
export function lengthPrefixed({
  at,
  bytes: size,
  littleEndian = false,
  more = 0,
  longest = longestFrame,
  check,
}: LengthOptions): Framer {
  const head = at + size;
  return framerOf((bytes) => {
    if (bytes.length < head) return { needs: head };
    check?.(bytes.subarray(0, head));
    const counted = littleEndian ? bytes.readUIntLE(at, size) : bytes.readUIntBE(at, size);
    const length = counted + more;
    if (length < head || length > longest) throw new FramingError(`a frame of ${length} bytes`);
    if (bytes.length < length) return { needs: length };
    return { length, content: bytes.subarray(0, length) };
  }, longest);
}

const slipEnd = 0xc0;
const slipEscape = 0xdb;
const slipEscapedEnd = 0xdc;
const slipEscapedEscape = 0xdd;

/** Frames of SLIP, RFC 1055, decoded. Empty frames, which separate others, are passed over. @param longest bytes of a frame */
export function slip(longest = 65_536): Framer {
  return framerOf((bytes) => {
    const end = bytes.indexOf(slipEnd);
    if (end < 0) {
      if (bytes.length > 2 * longest) throw new FramingError(`no end in ${bytes.length} bytes`);
      return { needs: bytes.length + 1 };
    }
    return { length: end + 1, content: slipDecoded(bytes.subarray(0, end)) };
  });
}

function slipDecoded(bytes: Buffer): Buffer {
  if (!bytes.includes(slipEscape)) return bytes;
  const decoded: number[] = [];
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] ?? 0;
    if (byte !== slipEscape) {
      decoded.push(byte);
      continue;
    }
    index += 1;
    const escaped = bytes[index];
    if (escaped === slipEscapedEnd) decoded.push(slipEnd);
    else if (escaped === slipEscapedEscape) decoded.push(slipEscape);
    else throw new FramingError('an escape of SLIP before a byte that is not escaped');
  }
  return Buffer.from(decoded);
}

/** A frame of SLIP, with an end before and after it. */
export function slipEncoded(content: Buffer): Buffer {
  const encoded = [slipEnd];
  for (const byte of content) {
    if (byte === slipEnd) encoded.push(slipEscape, slipEscapedEnd);
    else if (byte === slipEscape) encoded.push(slipEscape, slipEscapedEscape);
    else encoded.push(byte);
  }
  return Buffer.from([...encoded, slipEnd]);
}

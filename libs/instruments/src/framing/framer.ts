/** Cuts a stream of bytes into the frames of a protocol. It keeps at most one unfinished frame. */
export interface Framer {
  /**
   * Takes the next bytes of the line.
   *
   * @returns the frames that end in them, in order, without what only separates them
   * @throws FramingError if the bytes cannot belong to the protocol; the framer has forgotten everything then
   */
  take(bytes: Buffer): Buffer[];
  /** Bytes of the unfinished frame. */
  readonly pending: number;
  /** Forgets the unfinished frame. */
  reset(): void;
}

/** The bytes of a line are not those of its protocol. */
export class FramingError extends Error {
  override readonly name = 'FramingError';
}

/** Longest frame in bytes, unless a protocol has a limit of its own. */
export const longestFrame = 64 * 1024 * 1024;

/** What a framer finds at the begin of the bytes that it has. */
export interface Found {
  /** The frame ends here: bytes to take from the begin. */
  length: number;
  /** The part of them that is the content. If it is empty, they are no frame, and are passed over. */
  content: Buffer;
}

/** A frame, or the number of bytes that must be there before it is worth looking again. */
export type Look = Found | { needs: number };

/**
 * A framer that looks at the begin of the bytes it has.
 *
 * @param look gets at least one byte
 * @param longest bytes of the longest frame
 */
export function framerOf(look: (bytes: Buffer) => Look, longest = longestFrame): Framer {
  let pieces: Buffer[] = [];
  let size = 0;
  let needs = 1;
  const reset = (): void => {
    pieces = [];
    size = 0;
    needs = 1;
  };
  return {
    take(bytes) {
      const frames: Buffer[] = [];
      if (bytes.length === 0) return frames;
      pieces.push(bytes);
      size += bytes.length;
      // A long frame in many pieces is put together only when it may be complete.
      if (size < needs) return frames;
      let rest = pieces.length === 1 ? bytes : Buffer.concat(pieces);
      reset();
      try {
        while (rest.length > 0) {
          const found = look(rest);
          if ('needs' in found) {
            if (found.needs > longest) throw new FramingError(`a frame of more than ${longest} bytes`);
            pieces = [rest];
            size = rest.length;
            needs = found.needs;
            break;
          }
          if (found.content.length > 0) frames.push(found.content);
          if (found.length === rest.length) break;
          rest = rest.subarray(found.length);
        }
      } catch (error) {
        reset();
        throw error;
      }
      return frames;
    },
    get pending() {
      return size;
    },
    reset,
  };
}

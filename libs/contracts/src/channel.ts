/**
 * The channel between an agent, or an optimizer worker, and a process that it starts: JSON messages in UTF-8, one per line, over
 * two pipes. The messages are in `messages/ipc.ts`. This file loads without their schemas.
 */

/** The file descriptors of the two pipes in the started process. */
export const channelDescriptors = {
  /** The process reads its orders here. The end of this stream means that its parent is gone. */
  toHost: 3,
  /** The process writes its messages here. */
  fromHost: 4,
} as const;

/** Longest line in characters, without its end. It is longer than any message of a host, and small enough to hold. */
export const longestLine = 8 * 1024 * 1024;

/** Puts the pieces of a stream together to lines. It holds no more than one unfinished line. */
export class LineJoiner {
  /** Pieces of the unfinished line. */
  #pieces: string[] = [];
  #length = 0;

  /**
   * Takes the next piece of the stream.
   *
   * @returns the lines that end in it, in order, without their ends
   * @throws Error when the unfinished line is longer than {@link longestLine}; the stream is of no use then
   */
  take(piece: string): string[] {
    const lines = piece.split('\n');
    const rest = lines.pop() ?? '';
    if (lines.length > 0 && this.#length > 0) {
      lines[0] = this.#pieces.join('') + lines[0];
      this.#pieces = [];
      this.#length = 0;
    }
    if (rest !== '') {
      this.#pieces.push(rest);
      this.#length += rest.length;
      if (this.#length > longestLine) throw new Error(`a line of more than ${longestLine} characters`);
    }
    return lines;
  }
}

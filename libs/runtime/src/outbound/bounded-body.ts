/** An answer exceeds its bound. */
export class AnswerTooLongError extends Error {
  override readonly name = 'AnswerTooLongError';
}

/**
 * Reads the whole body of an answer of `fetch` up to a bound, whatever length the answer claims. Closes the connection
 * of a longer one.
 *
 * @param mostBytes the bound
 * @throws AnswerTooLongError; the error of the connection when it fails in the middle
 */
export async function bodyWithin({ body }: Response, mostBytes: number): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop closes the connection.
  for await (const piece of body ?? []) {
    bytes += piece.length;
    if (bytes > mostBytes) throw new AnswerTooLongError(`the answer has more than ${mostBytes} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

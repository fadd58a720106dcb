/** An answer that is longer than it can be. */
export class AnswerTooLongError extends Error {
  override readonly name = 'AnswerTooLongError';
}

/**
 * The body of an answer of `fetch` when all of it is there, read up to a bound whatever the answer says of its length. The
 * connection of one that is longer ends.
 *
 * @param mostBytes the bound
 * @throws AnswerTooLongError; the error of the connection when it fails in the middle
 */
export async function bodyWithin({ body }: Response, mostBytes: number): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop ends the connection.
  for await (const piece of body ?? []) {
    bytes += piece.length;
    if (bytes > mostBytes) throw new AnswerTooLongError(`the answer has more than ${mostBytes} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

import { pipeline, Readable, Transform } from 'node:stream';
import type { S3Client } from '@aws-sdk/client-s3';

/** Largest answer that is no object, in bytes: a page of 1,000 keys has some hundred thousand. */
const largestAnswer = 8 * 1024 * 1024;

/** Objects are read as they come; everything else is held as a whole, and is refused when it is longer than it can be. */
export function boundAnswers(client: S3Client): void {
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const answer = await next(args);
        const response = answer.response as { statusCode?: number; body?: unknown };
        const isObject = commandName === 'GetObjectCommand' && (response.statusCode ?? 500) < 300;
        if (!isObject && response.body instanceof Readable) response.body = bounded(response.body);
        return answer;
      },
    // Behind what reads the answer, so that it is met first.
    { step: 'deserialize', priority: 'low', name: 'boundAnswers' },
  );
}

function bounded(body: Readable): Readable {
  let bytes = 0;
  const bound = new Transform({
    transform(piece: Buffer, _encoding, done) {
      bytes += piece.length;
      if (bytes > largestAnswer) done(new Error(`the answer has more than ${largestAnswer} bytes`));
      else done(null, piece);
    },
  });
  // Whoever reads is told by the stream itself.
  return pipeline(body, bound, () => undefined);
}

/**
 * Where the next page of a list begins.
 *
 * @param before where the one that was read began
 * @throws Error when that is the same place: the pages would never end
 */
export function onward<T>(before: T, next: T): T {
  if (JSON.stringify(before) === JSON.stringify(next))
    throw new Error('the server gives the same page again and again');
  return next;
}

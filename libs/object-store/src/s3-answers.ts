import { pipeline, Readable, Transform } from 'node:stream';
import type { S3Client } from '@aws-sdk/client-s3';

/** Largest answer that is not an object, in bytes. A page of 1,000 keys has some hundred thousand. */
const largestAnswer = 8 * 1024 * 1024;

/** Objects are streamed. Every other answer is held in memory, and refused when it exceeds its bound. */
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
    // After the step that reads the answer, so that this one sees it first.
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
  // The stream itself reports the error to its reader.
  return pipeline(body, bound, () => undefined);
}

/**
 * The begin of the next page of a list.
 *
 * @param before the begin of the page that was read
 * @throws Error when both are equal, because the pages would never end
 */
export function onward<T>(before: T, next: T): T {
  if (JSON.stringify(before) === JSON.stringify(next))
    throw new Error('the server gives the same page again and again');
  return next;
}

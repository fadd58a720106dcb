import { AnswerTooLongError, bodyWithin } from '@lab/runtime';

/** Largest answer of a provider that is read, in bytes: one with suggestions has some thousand. */
const largestAnswer = 4 * 1024 * 1024;

/**
 * As `fetch`, for answers of a bounded size only, and to the address that is configured only: what is sent holds a key,
 * and a redirection would take it elsewhere. Gives the answer when all of it is there.
 *
 * @throws Error for an answer that is too long, or sends elsewhere; TypeError, as `fetch` does, when the connection fails,
 *   also in the middle of the answer
 */
export const boundedFetch: typeof fetch = async (address, options) => {
  const response = await fetch(address, { ...options, redirect: 'manual' });
  if (response.status >= 300 && response.status < 400) {
    await response.body?.cancel();
    throw new Error(`the server sends elsewhere (HTTP ${response.status}), which is not followed`);
  }
  const { status, statusText, headers } = response;
  return new Response(await bodyOf(response, options?.signal), { status, statusText, headers });
};

async function bodyOf(response: Response, signal: AbortSignal | null | undefined): Promise<Buffer | null> {
  if (response.body === null) return null;
  try {
    return await bodyWithin(response, largestAnswer);
  } catch (error) {
    if (signal?.aborted === true || error instanceof AnswerTooLongError) throw error;
    throw new TypeError('fetch failed', { cause: error });
  }
}

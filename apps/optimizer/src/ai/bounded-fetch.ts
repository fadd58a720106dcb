import { AnswerTooLongError, bodyWithin } from '@lab/runtime';

/** Largest response of a provider, in bytes. A response with suggestions has some thousand bytes. */
const largestAnswer = 4 * 1024 * 1024;

/**
 * Like `fetch`, but limits the size of the response and follows no redirect, which would send the key to another
 * server. Resolves when the whole response has arrived.
 *
 * @throws Error for a response that is too long or a redirect; TypeError, like `fetch`, when the connection fails,
 *   also in the middle of the response
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

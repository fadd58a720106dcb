/**
 * Asks the gateway, which may be dead, stopped or cut off.
 *
 * @returns status 0: no answer. Never rejects.
 */
export async function ask(url, method, path, body) {
  try {
    const response = await fetch(`${url}${path}`, {
      method,
      signal: AbortSignal.timeout(15_000),
      ...(body === undefined
        ? {}
        : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
  } catch {
    return { status: 0, body: undefined };
  }
}

/** Nobody knows what became of the request: there was no answer, or one that passes on somebody else's silence. */
export const isUnanswered = (status) => status === 0 || status >= 500;

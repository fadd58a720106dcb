import { rootCertificates } from 'node:tls';

/**
 * What sends requests to the service.
 *
 * @param authority PEM certificates that are trusted beside those that Node knows; undefined: none
 * @returns undefined: `fetch` of this process does
 */
export async function fetchFor(
  url: string,
  authority: string | undefined,
): Promise<typeof fetch | undefined> {
  if (authority === undefined || !url.startsWith('https:')) return undefined;
  // Loaded only here: it takes longer than a command.
  const { Agent, fetch: send } = await import('undici');
  const dispatcher = new Agent({ connect: { ca: [...rootCertificates, authority] } });
  return ((address: string, options: object) => send(address, { ...options, dispatcher })) as typeof fetch;
}

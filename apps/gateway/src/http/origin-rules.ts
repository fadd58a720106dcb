import { ServiceError } from '@lab/contracts';
import type { CrossOrigin } from './cross-origin.js';
import { hostCheck, type HostNames } from './host-names.js';

interface RequestHead {
  method: string;
  headers: Record<string, string | string[] | undefined>;
}

/**
 * Makes the check of every request. It keeps web pages of other sites from moving a robot arm, with authentication on or
 * off: the server answers only under its own names, and a request that acts must not come from a page of another origin,
 * unless the configuration lists that origin.
 *
 * @returns a function that throws ServiceError `misdirected` or `forbidden`
 */
export function accessCheck(
  names: HostNames,
  crossOrigin: Pick<CrossOrigin, 'allows'>,
): (request: RequestHead) => void {
  const { origin: publicOrigin } = new URL(names.publicUrl);
  const checkHost = hostCheck(names);

  return (request) => {
    const host = request.headers['host']?.toString();
    checkHost(host);
    if (request.method === 'GET' || request.method === 'HEAD') return;
    const origin = request.headers['origin']?.toString();
    if (crossOrigin.allows(origin)) return;
    const foreign = origin !== undefined && origin !== publicOrigin && hostOfOrigin(origin) !== host;
    if (foreign || request.headers['sec-fetch-site'] === 'cross-site') {
      throw new ServiceError('forbidden', 'Pages of other sites may not act through this service.');
    }
  };
}

function hostOfOrigin(origin: string): string | undefined {
  try {
    return new URL(origin).host;
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

import { isIP } from 'node:net';
import { ServiceError } from '@lab/contracts';
import type { CrossOrigin } from './cross-origin.js';

/**
 * Keeps web pages of other sites from moving a robot arm, with authentication on or off. A server that listens on loopback
 * accepts only host names of this machine: a foreign name that resolves to it is DNS rebinding. A request that acts must not
 * come from a page of another origin, unless the configuration lists that origin.
 */
export interface AccessRules {
  /** Address that the server listens on. */
  host: string;
  /** Address that users are given, for example `http://127.0.0.1:8070`. */
  publicUrl: string;
}

interface RequestHead {
  method: string;
  headers: Record<string, string | string[] | undefined>;
}

/**
 * Makes the check of every request.
 *
 * @returns a function that throws ServiceError `forbidden`
 */
export function accessCheck(
  rules: AccessRules,
  crossOrigin: Pick<CrossOrigin, 'allows'>,
): (request: RequestHead) => void {
  const publicAddress = new URL(rules.publicUrl);
  const names = new Set(['127.0.0.1', 'localhost', '[::1]', publicAddress.hostname, bracketed(rules.host)]);
  const guardsHost = isLoopback(rules.host);

  return (request) => {
    const host = request.headers.host ?? '';
    if (guardsHost && typeof host === 'string' && !names.has(hostnameOf(host))) {
      throw new ServiceError(
        'forbidden',
        `This service is reached as ${publicAddress.host}, not by the name in the Host header.`,
      );
    }
    if (request.method === 'GET' || request.method === 'HEAD') return;
    const origin = request.headers['origin']?.toString();
    if (crossOrigin.allows(origin)) return;
    const foreign = origin !== undefined && origin !== publicAddress.origin && hostOfOrigin(origin) !== host;
    if (foreign || request.headers['sec-fetch-site'] === 'cross-site') {
      throw new ServiceError('forbidden', 'Pages of other sites may not act through this service.');
    }
  };
}

/** True for addresses that only this machine can reach. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

function bracketed(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host.toLowerCase();
}

/** Name or address of a Host header, without its port. */
function hostnameOf(host: string): string {
  return host.replace(/:\d*$/, '').toLowerCase();
}

function hostOfOrigin(origin: string): string | undefined {
  try {
    return new URL(origin).host;
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

import type { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { ServiceError } from '@lab/contracts';

/** The names by which clients reach a server. */
export interface HostNames {
  /** Address or name that the server listens on. */
  host: string;
  /** Address that users are given, for example `http://127.0.0.1:8070`. */
  publicUrl: string;
  /** Name of this computer, alone or with its domain. */
  computer: string;
  /** Other names of it, as they are configured. */
  allowed: readonly string[];
  /** The certificate of the server at present; undefined: it has none. */
  certificate(): Pick<X509Certificate, 'checkHost'> | undefined;
}

/** Longest part of a header that an error repeats, in characters. */
const longestShown = 100;

/**
 * Makes the check against DNS rebinding: a page of a stranger gives its own name the address of this server, so that its
 * scripts have the same origin as the server, and then read what everybody may read who reaches it. Such a request has the
 * name of the stranger in the header `Host`, which no page can change. An address in place of a name is always accepted: nobody
 * can make it lead elsewhere.
 *
 * @returns a function that takes the header `Host` and throws ServiceError `misdirected`
 */
export function hostCheck({
  host,
  publicUrl,
  computer,
  allowed,
  certificate,
}: HostNames): (header: string | undefined) => void {
  const short = computer.replace(/\..*$/, '');
  const known = new Set(
    ['localhost', host, new URL(publicUrl).hostname, computer, short, ...allowed].map(plainName),
  );
  return (header) => {
    const name = plainName(nameIn(header ?? ''));
    if (isAddress(name) || (name !== '' && known.has(name))) return;
    if (isHostName(name) && certificate()?.checkHost(name) !== undefined) return;
    throw new ServiceError('misdirected', sentence(header));
  };
}

function sentence(header: string | undefined): string {
  if (header === undefined || header === '')
    return 'The request has no header "Host" with the name of this service. Send the name or address at which you reach it.';
  return (
    `This service is not known as ${JSON.stringify(nameIn(header).slice(0, longestShown))}. If clients shall reach it by this name, ` +
    'list the name under http.allowed_hosts in config.yml, or in SVC_ALLOWED_HOSTS, or set SVC_PUBLIC_URL.'
  );
}

/** The name or address in a header `Host`, without the port. */
function nameIn(header: string): string {
  return header.replace(/:\d*$/, '');
}

/** One form for one name: lower case, and without the dot of the root at the end. */
function plainName(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}

function isAddress(name: string): boolean {
  return isIP(name) === 4 || (name.startsWith('[') && name.endsWith(']') && isIP(name.slice(1, -1)) === 6);
}

/** Only such a text is compared with a certificate. */
function isHostName(name: string): boolean {
  return name.length <= 253 && /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(name);
}

import { accessSync, constants } from 'node:fs';

/** Parameters of an address by which the connection would be less than it seems, or other than `sslmode` says. */
const misleading = ['ssl', 'uselibpqcompat', 'sslnegotiation'];

/**
 * What is wrong with an address of a PostgreSQL database; undefined: nothing. Others on the way to another computer could
 * read and change everything, so a connection without encryption must be asked for by name. Encryption without a check of
 * the certificate is refused: whoever is on the way can take the place of the server. The text contains no password.
 */
export function faultOfDatabaseAddress(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^postgres(ql)?:$/.test(url.protocol))
    return 'must look like postgresql://user@127.0.0.1:5432/lab';
  const parameters = url.searchParams;
  const odd = misleading.find((name) => parameters.has(name));
  if (odd !== undefined)
    return `must not have the parameter ${odd}: use sslmode=verify-full or sslmode=disable`;
  const modes = parameters.getAll('sslmode');
  const [mode] = modes;
  if (modes.length > 1 || (mode !== undefined && mode !== 'verify-full' && mode !== 'disable'))
    return 'must have sslmode=verify-full, with sslrootcert=<file> unless a public authority signed the certificate, or sslmode=disable';
  const authority = parameters.get('sslrootcert');
  if (authority !== null && mode !== 'verify-full') return 'has sslrootcert: also give sslmode=verify-full';
  if (authority !== null && !isReadable(authority))
    return `has sslrootcert=${authority}, which is no file that this process can read`;
  const host = parameters.getAll('host').at(-1) ?? url.hostname.replace(/^\[|\]$/g, '');
  if (mode !== undefined || isHere(host)) return undefined;
  return (
    'names another computer, and the connection would not be encrypted: add ?sslmode=verify-full&sslrootcert=<file with the ' +
    'certificate of the authority>, or ?sslmode=disable in a network where nobody else can listen'
  );
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

/** Loopback, or a socket file. */
function isHere(host: string): boolean {
  return (
    host === '' ||
    /^(\/|%2f)/i.test(host) ||
    host === 'localhost' ||
    host === '::1' ||
    /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host)
  );
}

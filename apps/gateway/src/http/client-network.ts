import { isIP } from 'node:net';

/**
 * The network that counts as one client: the address itself for IPv4. For IPv6 the first 64 bits, because whoever has one
 * address there usually has all of that network. A text that is no address, which a proxy may pass on, counts as it is.
 *
 * @param address undefined: the client left before its request was looked at, and then the socket has no address any more
 */
export function networkOf(address: string | undefined): string {
  if (address === undefined) return 'gone';
  if (!address.includes(':')) return address;
  const plain = address.replace(/%.*$/, '');
  if (isIP(plain) !== 6) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = '', tail] = plain.toLowerCase().split('::');
  const front = groupsOf(head);
  const back = groupsOf(tail ?? '');
  const gap = tail === undefined ? 0 : 8 - front.length - back.length;
  const groups = [...front, ...Array<string>(gap).fill('0'), ...back];
  return `${groups.slice(0, 4).join(':')}::/64`;
}

/** The groups of 16 bits, without leading zeros. The last 32 bits may be written like an IPv4 address. */
function groupsOf(text: string): string[] {
  if (text === '') return [];
  return text
    .split(':')
    .flatMap((group) => (group.includes('.') ? ['0', '0'] : [group.replace(/^0+(?=.)/, '')]));
}

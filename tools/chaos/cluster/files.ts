import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../shared/paths.js';

/** The files of `deploy`, with the addresses and folders of a run in the place of those that an operator changes. */

/** Addresses in the files of `deploy`, by the name of the computer. */
const shipped = {
  db1: '10.0.0.11',
  db2: '10.0.0.12',
  db3: '10.0.0.13',
  gateway1: '10.0.0.21',
  gateway2: '10.0.0.22',
} as const;

export type ShippedName = keyof typeof shipped;
export type Addresses = Readonly<Record<ShippedName, string>>;

/** @throws Error when a text to replace is not in the file, because then the file says something else */
function replaced(text: string, changes: Readonly<Record<string, string>>): string {
  for (const [from, to] of Object.entries(changes)) {
    if (!text.includes(from)) throw new Error(`a file of deploy does not contain ${from}`);
    text = text.replaceAll(from, to);
  }
  return text;
}

const read = (path: string): string => readFileSync(join(root, 'deploy', path), 'utf8');

function withAddresses(text: string, addresses: Addresses): string {
  for (const [name, address] of Object.entries(shipped) as [ShippedName, string][])
    text = text.replaceAll(new RegExp(`\\b${address.replaceAll('.', '\\.')}\\b`, 'g'), addresses[name]);
  return text;
}

/** The lines with the own addresses of a node. */
const own = /^\s*(listen|connect_address|(listen|advertise|initial-advertise)-(client|peer)-urls): /;

/** The file of another node than the first one. */
const forNode = (text: string, node: ShippedName): string =>
  replaced(text, { 'name: db1': `name: ${node}` })
    .split('\n')
    .map((line) => (own.test(line) ? line.replaceAll(shipped.db1, shipped[node]) : line))
    .join('\n');

interface DatabaseNode {
  node: ShippedName;
  addresses: Addresses;
  /** Folder of this node. */
  folder: string;
}

export function etcdFile({ node, addresses, folder }: DatabaseNode): string {
  const text = replaced(forNode(read('postgres/etcd.yml'), node), {
    '/var/lib/etcd/lab': join(folder, 'etcd'),
    '/etc/svc/database': join(folder, 'certificates'),
  });
  return withAddresses(text, addresses);
}

/** @param programs folder of the programs of PostgreSQL */
export function patroniFile({ node, addresses, folder }: DatabaseNode, programs: string): string {
  const text = replaced(forNode(read('postgres/patroni.yml'), node), {
    '/var/lib/postgresql/15/lab': join(folder, 'data'),
    '/var/lib/postgresql/15/pgpass': join(folder, 'pgpass'),
    '/var/run/postgresql': folder,
    '/usr/lib/postgresql/15/bin': programs,
    '/etc/svc/database': join(folder, 'certificates'),
    '10.0.0.0/24': `${addresses.db1.split('.').slice(0, 3).join('.')}.0/24`,
  });
  return withAddresses(text, addresses);
}

/** @param authority path of the certificate of the authority */
export const databaseProxyFile = (addresses: Addresses, authority: string): string =>
  withAddresses(replaced(read('postgres/haproxy.cfg'), { '/etc/svc/database/ca.pem': authority }), addresses);

export const gatewayProxyFile = (addresses: Addresses): string =>
  withAddresses(read('haproxy/gateways.cfg'), addresses);

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../shared/paths.js';

/** The servers of a cluster, as `tools/cluster.mjs` unpacks them from the packages of Debian. */

const unpacked = join(root, '.cache', 'cluster');
const libraries = join(unpacked, 'usr', 'lib');

/** Folder of the programs of PostgreSQL. */
export const postgresPrograms = join(libraries, 'postgresql', '15', 'bin');
export const etcd = join(unpacked, 'usr', 'bin', 'etcd');
export const haproxy = join(unpacked, 'usr', 'sbin', 'haproxy');
export const natsServer = (): string =>
  [join(root, '.cache', 'bin', 'nats-server'), '/usr/sbin/nats-server', '/usr/bin/nats-server'].find((path) =>
    existsSync(path),
  ) ?? 'nats-server';

/** A machine without Python has it among the unpacked files. */
const python = (): string =>
  [join(unpacked, 'usr', 'bin', 'python3'), '/usr/bin/python3'].find((path) => existsSync(path)) ?? 'python3';

/** PostgreSQL refuses to run as root. In this namespace, the files of root belong to an ordinary user. */
export const notAsRoot = ['unshare', '--user', '--map-user=1000', '--map-group=1000', '--'];

export const patroni = (config: string): string[] => [
  ...notAsRoot,
  python(),
  join(unpacked, 'usr', 'bin', 'patroni'),
  config,
];

/** OpenStack Swift, which speaks S3. */
export const swift = (folder: string, key: string, secret: string): string[] => [
  python(),
  join(root, 'libs', 'object-store', 'test', 's3-server.py'),
  ...[folder, key, secret],
];

/** What the programs need to find their libraries. */
export const librariesEnv = (): Record<string, string> => {
  const swiftLibraries = join(root, '.cache', 'swift', 'usr', 'lib');
  const native = [libraries, swiftLibraries].flatMap((folder) =>
    existsSync(folder)
      ? readdirSync(folder)
          .filter((name) => name.includes('-linux-'))
          .map((name) => join(folder, name))
      : [],
  );
  return {
    PYTHONPATH: [libraries, swiftLibraries]
      .map((folder) => join(folder, 'python3', 'dist-packages'))
      .join(':'),
    LD_LIBRARY_PATH: native.join(':'),
  };
};

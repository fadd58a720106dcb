import { spawn, spawnSync, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { chownSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** User of the images, see deploy/images/Dockerfile. */
export const imageUser = 10_001;

/** Whether this process may make a root file system of its own, and become another user there. */
export const isRoot =
  process.platform === 'linux' &&
  process.getuid?.() === 0 &&
  spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0;

if (!isRoot)
  console.log('This is not root: the images run as this user, and see the files of this computer as well.');

/** Folders of this computer at the places where a container has them. */
export interface Mounts {
  /** `/var/lib/svc`, the only one that is written. */
  data: string;
  /** `/run/secrets`. */
  secrets?: string;
  /** `/srv/lab-packages`. */
  packages?: string;
}

/** Files of the system that Node needs, beside the libraries that `ldd` names. */
const system = ['/dev/null', '/dev/urandom', '/etc/hosts', '/etc/resolv.conf'];

/**
 * Runs a program of an image as its container would: the root file system has the folder of the image and Node, and nothing
 * of it can be written; the user is {@link imageUser}. Without root it runs from the same folder, as this user.
 *
 * @param layout folder of the image, see tools/image
 * @param args of Node; a path below `/opt/svc` names the program
 * @param env the whole environment; paths in it are those of the container
 */
export function runImage(
  layout: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  { data, secrets, packages }: Mounts,
  options: Pick<SpawnOptions, 'stdio' | 'serialization'> = { stdio: ['ignore', 'pipe', 'pipe'] },
): ChildProcess {
  mkdirSync(data, { recursive: true });
  const places = { '/opt': join(layout, 'opt'), '/run/secrets': secrets, '/srv/lab-packages': packages };
  if (!isRoot) {
    const outside = (text: string): string =>
      Object.entries({ ...places, '/var/lib/svc': data }).reduce(
        (said, [place, folder]) => (folder === undefined ? said : said.replace(place, folder)),
        text,
      );
    const all = Object.entries(env).map(([name, value]) => [name, outside(value)]);
    return spawn(process.execPath, args.map(outside), {
      ...{ cwd: data, env: Object.fromEntries(all) as Record<string, string>, ...options },
    });
  }
  own(data);
  const files = [process.execPath, ...librariesOf(process.execPath), ...system];
  const folders = Object.entries(places).filter((each): each is [string, string] => each[1] !== undefined);
  const script = [
    'set -e',
    // All mounts are private to this namespace, and end with the program.
    'root=/mnt',
    'mount -t tmpfs -o mode=755 tmpfs $root',
    'bind() { mount --bind "$1" "$root$2"; test "$3" = rw || mount -o remount,bind,ro "$root$2"; }',
    'file() { mkdir -p "$root$(dirname "$2")"; touch "$root$2"; mount --bind "$1" "$root$2"; }',
    ...files.map((path) => `file '${path}' '${path === process.execPath ? '/usr/local/bin/node' : path}'`),
    'mkdir -p $root/proc $root/tmp $root/var/lib/svc',
    'mount --rbind /proc $root/proc',
    'mount -t tmpfs -o mode=1777 tmpfs $root/tmp',
    ...folders.map(([place, folder]) => `mkdir -p $root${place}; bind '${folder}' ${place} ro`),
    `bind '${data}' /var/lib/svc rw`,
    'mount -o remount,ro $root',
    `exec chroot --userspec=${imageUser}:${imageUser} $root /usr/local/bin/node "$@"`,
  ].join('\n');
  return spawn('unshare', ['--mount', 'sh', '-c', script, 'sh', ...args], {
    env: { PATH: '/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', ...env },
    ...options,
  });
}

/** Gives a folder and what is in it to the user of the images. */
export function own(folder: string): void {
  if (!isRoot) return;
  chownSync(folder, imageUser, imageUser);
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    chownSync(join(folder, path), imageUser, imageUser);
}

function librariesOf(program: string): string[] {
  const { stdout } = spawnSync('ldd', [program], { encoding: 'utf8' });
  return [...stdout.matchAll(/(\/\S+) \(0x/g)].flatMap(([, path]) => path ?? []);
}

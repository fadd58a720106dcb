import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { extract } from 'tar-stream';
import { inTools, root } from '../shared/paths.js';

/** Programs of Node that are part of packages, each the content of an npm package. */
interface Runtimes {
  version: string;
  platforms: Record<string, Content>;
  /** For tests of the package for Windows: Wine does not run newer ones. */
  forWine: Content & { version: string };
}

interface Content {
  package: string;
  /** SHA-512 of the archive in npm, in base 64. */
  integrity: string;
}

/** A Node for one platform. */
export interface NodeRuntime {
  /** For people. */
  version: string;
  program: Buffer;
  licence: Buffer;
}

const pins = JSON.parse(readFileSync(inTools('package/runtimes.json'), 'utf8')) as Runtimes;
const cache = join(root, '.cache', 'node-packages');
const run = promisify(execFile);

/** The platforms for which there is a Node. */
export const platforms = Object.keys(pins.platforms);

/** The platform of this computer, in the words of the packages. */
export const ownPlatform = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;

/**
 * Fetches Node for a platform with npm, or takes it from the cache, and verifies it.
 *
 * @throws Error when npm cannot fetch it, or its content is not the pinned one
 */
export async function fetchedNode(platform: string): Promise<NodeRuntime> {
  const pin = pins.platforms[platform];
  if (pin === undefined) throw new Error(`there is no Node for ${platform}: ${platforms.join(', ')}`);
  return nodeIn(pin, pins.version);
}

/** A Node for Windows that runs in Wine. @throws Error as {@link fetchedNode} */
export function nodeForWine(): Promise<NodeRuntime> {
  return nodeIn(pins.forWine, pins.forWine.version);
}

/** The Node that runs this program, for a quick package that serves on computers like this one. */
export function ownNode(): NodeRuntime {
  const { version } = process;
  return {
    version: version.slice(1),
    program: readFileSync(process.execPath),
    licence: Buffer.from(
      `Node.js ${version} of the computer that made this package. See https://nodejs.org\n`,
    ),
  };
}

async function nodeIn(content: Content, version: string): Promise<NodeRuntime> {
  const files = await filesOf(content, version);
  const program = files.get('package/bin/node') ?? files.get('package/bin/node.exe');
  // The npm package for Windows has no licence. That of Node is the same on every platform.
  const linux = pins.platforms['linux-x64'] ?? content;
  const licence = files.get('package/LICENSE') ?? (await filesOf(linux, pins.version)).get('package/LICENSE');
  if (program === undefined || licence === undefined) {
    throw new Error(`the npm package ${content.package}@${version} lacks its program or its licence`);
  }
  return { version, program, licence };
}

async function filesOf(content: Content, version: string): Promise<Map<string, Buffer>> {
  return unpacked(await archiveOf(`${content.package}@${version}`, content.integrity));
}

async function archiveOf(name: string, integrity: string): Promise<Buffer> {
  const path = join(cache, `${name}.tgz`);
  const isRight = (bytes: Buffer): boolean =>
    `sha512-${createHash('sha512').update(bytes).digest('base64')}` === integrity;
  if (existsSync(path)) {
    const kept = readFileSync(path);
    if (isRight(kept)) return kept;
  }
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'fetch-'));
  try {
    const npm = process.env['npm_execpath'];
    const args = ['pack', name, '--ignore-scripts', '--pack-destination', folder, '--loglevel=error'];
    // On Windows npm is a batch file, which only the command interpreter runs.
    if (npm?.endsWith('.js') === true) await run(process.execPath, [npm, ...args]);
    else if (process.platform === 'win32') await run('cmd.exe', ['/d', '/c', 'npm', ...args]);
    else await run('npm', args);
    const [file = ''] = readdirSync(folder);
    const fetched = readFileSync(join(folder, file));
    if (!isRight(fetched)) {
      throw new Error(
        `the npm package ${name} is not the one that tools/package/runtimes.json names (SHA-512)`,
      );
    }
    renameSync(join(folder, file), path);
    return fetched;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function unpacked(archive: Buffer): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  const reader = extract();
  reader.on('entry', ({ name, type }, stream, next) => {
    const pieces: Buffer[] = [];
    const isWanted = type === 'file' && /^package\/(bin\/node(\.exe)?|LICENSE)$/.test(name);
    stream.on('data', (piece: Buffer) => void (isWanted && pieces.push(piece)));
    stream.on('end', () => {
      if (isWanted) files.set(name, Buffer.concat(pieces));
      next();
    });
  });
  const finished = new Promise<void>((resolve, reject) => {
    reader.once('finish', resolve).once('error', reject);
  });
  reader.end(gunzipSync(archive));
  await finished;
  return files;
}

// Makes the packages of the agent for instrument PCs, each an archive with its own Node: npx nx run agent:package.
// --platform linux-x64,win-x64 makes some of them. For tests, --own-node makes the one of this computer with the Node that runs
// this, --for-wine the one for Windows with a Node that runs in Wine, and --version the same agent under another version. --key FILE
// signs the provenance with a code key, and --builder names whoever builds.
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readFlags, refuse, someOf, text, toggle } from '../shared/flags.js';
import { root } from '../shared/paths.js';
import { tarGz, zip } from './archive.js';
import { ownVersion, packageFiles } from './contents.js';
import { provenanceFlags, writeProvenance } from './provenance.js';
import { fetchedNode, nodeForWine, ownNode, ownPlatform, platforms } from './runtime.js';

const mebibyte = 1024 * 1024;
/** Largest archive, in bytes: it is copied to instrument PCs over slow lines and on sticks. */
const largest = 60 * mebibyte;

const flags = readFlags({
  ...{ platform: someOf(platforms), 'own-node': toggle, 'for-wine': toggle, out: text, version: text },
  ...provenanceFlags,
});
const { 'own-node': own, 'for-wine': forWine, version = ownVersion } = flags;
const wanted = own ? [ownPlatform] : forWine ? ['win-x64'] : flags.platform;
const folder = flags.out ?? join(root, 'apps', 'agent', 'dist', 'packages');
if (own && process.platform === 'win32') refuse('--own-node is for Linux and macOS');

const made: { platform: string; path: string; bytes: number; sha256: string }[] = [];
mkdirSync(folder, { recursive: true });
for (const platform of wanted) {
  const name = `svc-agent-${version}-${platform}`;
  const files = packageFiles(
    platform,
    await (own ? ownNode() : forWine ? nodeForWine() : fetchedNode(platform)),
    version,
  );
  const entries = files.map((entry) => ({ ...entry, path: `${name}/${entry.path}` }));
  const isWindows = platform.startsWith('win-');
  const archive = await (isWindows ? zip : tarGz)(entries, own || forWine ? 1 : 9);
  const path = join(folder, `${name}.${isWindows ? 'zip' : 'tar.gz'}`);
  writeFileSync(path, archive);
  const sha256 = createHash('sha256').update(archive).digest('hex');
  made.push({ platform, path, bytes: archive.length, sha256 });
  console.log(`${path}: ${(archive.length / mebibyte).toFixed(1)} MiB, SHA-256 ${sha256}`);
  if (archive.length > largest && !own && !forWine) {
    console.error(
      `${name} is larger than ${largest / mebibyte} MiB; see what has grown in its manifest.json`,
    );
    process.exitCode = 1;
  }
}
const { key, builder } = flags;
const provenance = writeProvenance({ target: 'agent:package', folder, files: made, key, builder });
console.log(JSON.stringify({ packages: made, provenance }));

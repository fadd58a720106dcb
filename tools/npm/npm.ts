// Packs the npm packages of a release: npm run package:npm. Each becomes a tarball in dist/npm, which npm installs by its path or
// address. --of svc,sdk packs some of them, and --out names another folder. --key FILE signs the provenance with a code key, and
// --builder names whoever builds.
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readFlags, someOf, text } from '../shared/flags.js';
import { provenanceFlags, writeProvenance } from '../package/provenance.js';
import { root } from '../shared/paths.js';
import { npmPackages } from './contents.js';
import { fileOf, tarballOf } from './tarball.js';

const short = (name: string): string => name.slice('@lab/'.length);
const names = Object.keys(npmPackages);
const flags = readFlags({ of: someOf(names.map(short)), out: text, ...provenanceFlags });
const folder = flags.out ?? join(root, 'dist', 'npm');

const made: { name: string; path: string; bytes: number; sha256: string }[] = [];
mkdirSync(folder, { recursive: true });
for (const name of names.filter((each) => flags.of.includes(short(each)))) {
  const archive = await tarballOf(name);
  const path = join(folder, fileOf(name));
  writeFileSync(path, archive);
  const sha256 = createHash('sha256').update(archive).digest('hex');
  made.push({ name, path, bytes: archive.length, sha256 });
  console.log(`${path}: ${(archive.length / 1024 ** 2).toFixed(2)} MiB, SHA-256 ${sha256}`);
}
const { key, builder } = flags;
const provenance = writeProvenance({ target: 'package:npm', folder, files: made, key, builder });
console.log(JSON.stringify({ packages: made, provenance }));

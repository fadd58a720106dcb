// Builds the wheels of a release: npm run package:python. pip installs each by its path or address. They are in dist/python, or in the
// folder that --out names. --key FILE signs the provenance with a code key, and --builder names whoever builds.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { provenanceFlags, writeProvenance } from '../package/provenance.js';
import { readFlags, text } from '../shared/flags.js';
import { root } from '../shared/paths.js';
import { buildWheel, pythonPackages, type Wheel } from './wheel.js';

const flags = readFlags({ out: text, ...provenanceFlags });
const folder = flags.out ?? join(root, 'dist', 'python');
mkdirSync(folder, { recursive: true });
const files: Wheel[] = [];
for (const name of pythonPackages) {
  const wheel = await buildWheel(name, folder);
  files.push(wheel);
  console.log(`${wheel.path}: SHA-256 ${wheel.sha256}`);
}
const { key, builder } = flags;
const provenance = writeProvenance({ target: 'package:python', folder, files, key, builder });
console.log(JSON.stringify({ wheels: files, provenance }));

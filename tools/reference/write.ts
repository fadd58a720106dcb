// Writes what is generated from the product: the pages of docs/reference and the types of the client.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../shared/paths.js';
import { referenceFiles } from './files.js';

for (const [path, text] of Object.entries(await referenceFiles())) writeFileSync(join(root, path), text);

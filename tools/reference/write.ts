// Writes what is generated from the product: the pages of docs/reference, the types of the client, and the
// permissions of processes on the broker.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../shared/paths.js';
import { referenceFiles } from './files.js';

for (const [path, text] of Object.entries(await referenceFiles())) writeFileSync(join(root, path), text);

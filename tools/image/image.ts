// Lays out the files of container images: npx nx run gateway:image, or all: npx nx run-many -t image. Each becomes the folder
// deploy/images/dist/<name>, from which deploy/images/Dockerfile copies. --out names another folder for one image.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readFlags, refuse, someOf, text } from '../shared/flags.js';
import { root } from '../shared/paths.js';
import { images } from './contents.js';
import { layOut } from './layout.js';

const { of: names, out } = readFlags({ of: someOf(Object.keys(images)), out: text });
if (out !== undefined && names.length > 1) refuse('--out is for one image: name it with --of');

const made = names.map((name) => {
  const folder = out ?? join(root, 'deploy', 'images', 'dist', name);
  layOut(name, folder);
  const mebibytes = Math.round(sizeOf(folder) / 1024 ** 2);
  console.log(`${folder}: ${mebibytes} MiB`);
  return { name, folder, mebibytes };
});
console.log(JSON.stringify({ images: made }));

function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => join(folder, path))
    .filter((path) => existsSync(path))
    .reduce((sum, path) => sum + (statSync(path).isFile() ? statSync(path).size : 0), 0);
}

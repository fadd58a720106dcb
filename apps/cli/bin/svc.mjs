#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const root = fileURLToPath(new URL('../../../', import.meta.url));
if (existsSync(main)) {
  const { quickest } = await import('../dist/stack/quickest.js');
  await import(pathToFileURL(quickest(main, root)).href);
} else {
  console.error(`svc is not built yet: run \`npm start\` or \`npm run build\` in ${root}`);
  process.exitCode = 1;
}

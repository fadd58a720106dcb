#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const main = new URL('../dist/main.js', import.meta.url);
if (existsSync(main)) {
  await import(main.href);
} else {
  const clone = fileURLToPath(new URL('../../../', import.meta.url));
  console.error(`svc is not built yet: run \`npm start\` or \`npm run build\` in ${clone}`);
  process.exitCode = 1;
}

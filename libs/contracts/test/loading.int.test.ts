import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

/** Imports a module, and prints the address of each module that was loaded for it. */
async function loadedBy(specifier: string): Promise<string[]> {
  const printsModules = `
    import { writeSync } from 'node:fs';
    export async function load(url, context, next) { writeSync(2, url + '\\n'); return next(url, context); }`;
  const { stderr } = await promisify(execFile)(process.execPath, [
    '--input-type=module',
    '--eval',
    `import { register } from 'node:module';
     register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(printsModules)}));
     await import(${JSON.stringify(specifier)});`,
  ]);
  return stderr.split('\n');
}

const dist = (file: string): string => new URL(`../dist/${file}`, import.meta.url).href;

it('loads the library of the rules of bodies only for those who check bodies', async () => {
  const validator = /\/class-(validator|transformer)\//;
  const messages = await loadedBy(dist('index.js'));
  expect(messages).toContain(dist('index.js'));
  expect(messages.filter((module) => validator.test(module))).toEqual([]);
  const bodies = await loadedBy(dist('bodies.js'));
  expect(bodies.filter((module) => validator.test(module))).not.toEqual([]);
});

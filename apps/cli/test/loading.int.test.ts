import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

/** Its bundle has the same imports in fewer files. */
const svc = fileURLToPath(new URL('../dist/main.js', import.meta.url));

/** Prints the address of each module that the process loads. */
const printsModules = `data:text/javascript,${encodeURIComponent(`
  import { register } from 'node:module';
  register('data:text/javascript,' + encodeURIComponent(
    "import { writeSync } from 'node:fs'; export function load(url, context, next) { writeSync(2, url + '\\\\n'); return next(url, context); }"
  ));
`)}`;

it('loads neither the shapes of REST nor the rules of packages before a command needs them', async () => {
  const { stderr } = await promisify(execFile)(process.execPath, [
    '--import',
    printsModules,
    svc,
    '--version',
  ]);
  const modules = stderr.split('\n');
  expect(modules.some((module) => module.endsWith('/contracts/dist/vocabulary.js'))).toBe(true);
  expect(
    modules.filter((module) =>
      /contracts\/dist\/index\.js|definitions\/dist\/index\.js|class-validator/.test(module),
    ),
  ).toEqual([]);
});

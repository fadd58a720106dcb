import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { areBundlesCurrent, bundlePrograms } from './bundle.mjs';
import { buildArguments, compiler, root, run, tail, tell } from './command.mjs';
import { buildPage, isPageThere } from './page.mjs';

const stampPath = join(root, '.cache', 'build-stamp');

/**
 * Compiles with `tsc -b`, bundles the services, and builds the web page, unless no source has changed since that last
 * succeeded. Asking the compiler takes seconds, asking the file system milliseconds.
 *
 * @throws Error with the output of the compiler or the bundler
 */
export async function build() {
  const { projects, stamp } = sourceState();
  const complete = projects.every((project) => existsSync(join(root, project, 'dist', '.tsbuildinfo')));
  const built = existsSync(stampPath) ? readFileSync(stampPath, 'utf8') : '';
  if (complete && built === stamp) {
    // Another build may have compiled the same sources again since then.
    if (!(await areBundlesCurrent())) await bundlePrograms();
    if (!isPageThere()) await buildPage();
    return;
  }
  tell('building (tsc -b), about 15 s');
  // The page is made of sources, so it need not wait for the compiler.
  await Promise.all([compile().then(bundlePrograms), buildPage()]);
  mkdirSync(join(root, '.cache'), { recursive: true });
  writeFileSync(stampPath, stamp);
}

async function compile() {
  const result = await run(process.execPath, [compiler, ...buildArguments]);
  if (!result.ok) throw new Error(`The build failed:\n${tail(result.output, 40)}`);
}

/** A digest over path, size and time of every file that a build reads from the workspace. */
function sourceState() {
  const projects = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8')).references.map(
    ({ path }) => path,
  );
  const digest = createHash('sha256').update(process.version);
  const add = (path) => {
    const { size, mtimeMs } = statSync(join(root, path));
    digest.update(`${path}\0${size}\0${mtimeMs}\n`);
  };
  for (const path of ['tsconfig.json', 'tsconfig.base.json', 'package-lock.json']) add(path);
  // The bundles have a copy of it.
  for (const path of sourcesIn(join('libs', 'python-host', 'src'))) add(path);
  // The compiler does not make the page, but the page is made anew when its sources change.
  for (const project of [...projects, join('apps', 'web')]) {
    add(join(project, 'tsconfig.json'));
    add(join(project, 'package.json'));
    for (const path of sourcesIn(join(project, 'src'))) add(path);
  }
  return { projects, stamp: digest.digest('hex') };
}

function sourcesIn(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return sourcesIn(path);
      return /\.(m?tsx?|css|html|json|py)$/.test(entry.name) && !entry.name.endsWith('.test.ts')
        ? [path]
        : [];
    });
}

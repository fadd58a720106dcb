import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { billOf, billPath } from '../package/bill.js';
import { librariesIn, manifestOf, termsOf } from '../package/licences.js';
import { root } from '../shared/paths.js';
import { images, isLeftOut, isUseless, type Contents } from './contents.js';
import { withDependencies } from './npm-packages.js';

/** Where the programs are in an image, and on a computer whose service manager starts it. */
export const home = 'opt/svc';

/**
 * Writes the files of an image.
 *
 * @param name of the image
 * @param out folder, which is emptied before; below it is `opt/svc`
 * @param without npm packages that are left out
 * @throws Error when there is no such image, or a part of it was not built
 */
export function layOut(name: string, out: string, without: readonly string[] = []): void {
  const contents = images[name];
  if (contents === undefined)
    throw new Error(`there is no image "${name}": ${Object.keys(images).join(', ')}`);
  const target = join(out, home);
  rmSync(out, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  const { project, files, alone, whole } = contents;
  const packages = [
    ...alone.map((each) => `node_modules/${each}`),
    ...withDependencies(
      whole.filter((each) => !without.includes(each)),
      (each) => isLeftOut(each) || without.includes(each),
    ).filter((folder) => folder !== project),
  ];
  for (const path of [...files, `${project}/package.json`]) copy(path, target);
  for (const folder of packages) {
    if (/^libs\/[^/]+$/.test(folder)) addWorkspace(folder, target);
    else copy(folder, target);
  }
  copy('LICENSE', target);
  const libraries = librariesOf(contents, packages);
  writeFileSync(
    join(target, 'THIRD-PARTY.txt'),
    termsOf('The image contains code of the following libraries, and Node.js.', libraries),
  );
  const { version } = manifestOf(join(root, project));
  writeFileSync(join(target, billPath), billOf({ name: `svc-${name}`, version }, libraries));
  if (existsSync(join(root, 'deploy', 'images', `${name}-health.mjs`)))
    cpSync(join(root, 'deploy', 'images', `${name}-health.mjs`), join(target, 'health.mjs'));
}

/** What Node needs of a library of this repository, and the link by which npm makes it known. */
function addWorkspace(folder: string, target: string): void {
  for (const part of ['package.json', 'dist']) copy(`${folder}/${part}`, target);
  const link = join(target, 'node_modules', '@lab', folder.slice('libs/'.length));
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(relative(dirname(link), join(target, folder)), link);
}

function copy(path: string, target: string): void {
  const from = join(root, path);
  if (!existsSync(from)) throw new Error(`${path} is missing: run node tools/bootstrap.mjs --dev`);
  cpSync(from, join(target, path), {
    recursive: true,
    // A package below another one is a package of its own in the list, if it is needed.
    filter: (source) =>
      !relative(from, source).split('/').includes('node_modules') && !isUseless(relative(root, source)),
  });
}

/** Folders of the libraries whose code is in the image. */
function librariesOf({ files }: Contents, packages: readonly string[]): string[] {
  const bundles = files.filter((path) => path.endsWith('/bundle'));
  return [
    ...bundles.flatMap((path) => librariesIn(join(root, path))),
    ...packages.filter((folder) => folder.includes('node_modules/')),
  ];
}

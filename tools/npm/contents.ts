import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { images, isUseless } from '../image/contents.js';
import type { Entry } from '../package/archive.js';
import { librariesIn, termsOf } from '../package/licences.js';
import { root } from '../shared/paths.js';
import { librariesOf, readManifest, type Libraries, type Manifest } from './libraries.js';

/** The npm packages of a release, by name. */
export const npmPackages: Readonly<Record<string, () => Entry[]>> = {
  '@lab/svc': serviceFiles,
  '@lab/sdk': () => libraryFiles('sdk'),
  '@lab/optimization': () => libraryFiles('optimization'),
  '@lab/instruments': () => libraryFiles('instruments'),
  '@lab/sila': () => libraryFiles('sila'),
  '@lab/api-client': () => libraryFiles('api-client'),
  '@lab/nx': pluginFiles,
};

/** Version of the release. */
export const { version } = readManifest('.');

/**
 * The command line with all services. Its folders are those of the repository, because programs find each other and their files
 * from their own place. Only the libraries are where Node looks for them, in `node_modules`: an npm package has no links.
 */
function serviceFiles(): Entry[] {
  const all = Object.values(images);
  const libraries = librariesOf([
    ...all.map(({ project, whole, alone }) => ({
      folder: project,
      // Other packages bring those that the program does not declare itself.
      names: [...whole, ...alone].filter((name) => declares(project, name)),
    })),
    // npm would choose the version of this peer of @nestjs/swagger.
    { folder: 'apps/gateway', names: ['@nestjs/core'] },
  ]);
  const manifest = {
    ...head('@lab/svc', 'Runs automated and self-driving laboratories: the service and its command line'),
    bin: { svc: 'apps/cli/bin/svc.mjs' },
    ...dependenciesOf(libraries),
  };
  const bundles = all.flatMap(({ files }) => files.filter((path) => path.endsWith('/bundle')));
  const third = termsOf(
    'The package contains code of the following libraries.',
    bundles.flatMap((path) => librariesIn(join(root, path))),
  );
  return [
    json('package.json', manifest),
    licence(),
    { path: 'THIRD-PARTY.txt', content: Buffer.from(third), isProgram: false },
    ...all.flatMap(({ project, files }) => [
      json(`${project}/package.json`, published(readManifest(project))),
      ...files.flatMap((path) =>
        filesAt(path)
          .filter((each) => !isUseless(each))
          .map(copied),
      ),
    ]),
    // The demo runs it.
    ...filesAt('lab-packages/color_lab').map(copied),
    ...bundled(libraries),
  ];
}

function declares(project: string, name: string): boolean {
  const { dependencies, optionalDependencies } = readManifest(project);
  return name.startsWith('@lab/') || name in { ...dependencies, ...optionalDependencies };
}

function libraryFiles(name: string): Entry[] {
  const folder = `libs/${name}`;
  const libraries = librariesOf([{ folder, names: Object.keys(readManifest(folder).dependencies ?? {}) }]);
  return [
    json('package.json', { ...published(readManifest(folder)), ...dependenciesOf(libraries) }),
    licence(),
    ...builtFiles(folder, ''),
    ...bundled(libraries),
  ];
}

function pluginFiles(): Entry[] {
  const folder = 'tools/nx-plugin';
  return [
    json('package.json', { ...readManifest(folder), engines }),
    licence(),
    { ...copied(`${folder}/plugin.mjs`), path: 'plugin.mjs' },
  ];
}

const { engines, license } = readManifest('.') as Manifest & { engines: object };

const head = (name: string, description: string): object => ({
  ...{ name, version, description, license, type: 'module', engines },
});

/** A manifest without what only this repository needs. */
function published({ name, type, sideEffects, exports }: Manifest): object {
  return {
    ...{ name, version, license, type, engines },
    ...(sideEffects === undefined ? {} : { sideEffects }),
    exports: withoutSources(exports),
  };
}

function withoutSources(exports: Manifest['exports']): Manifest['exports'] {
  if (exports === undefined || typeof exports === 'string') return exports;
  return Object.fromEntries(
    Object.entries(exports).map(([path, target]) => {
      if (typeof target === 'string') return [path, target];
      return [path, Object.fromEntries(Object.entries(target).filter(([name]) => name !== '@lab/source'))];
    }),
  );
}

/** The libraries of this repository are inside of the package: no registry has them. */
function dependenciesOf({ own, required, optional }: Libraries): object {
  const names = own.map((name) => `@lab/${name}`);
  return {
    dependencies: { ...Object.fromEntries(names.map((name) => [name, version])), ...required },
    ...(Object.keys(optional).length === 0 ? {} : { optionalDependencies: optional }),
    bundleDependencies: names,
  };
}

function bundled({ own }: Libraries): Entry[] {
  return own.flatMap((name) => {
    const folder = `libs/${name}`;
    const place = `node_modules/@lab/${name}/`;
    const { required, optional } = librariesOf([
      { folder, names: Object.keys(readManifest(folder).dependencies ?? {}) },
    ]);
    const manifest = { ...published(readManifest(folder)), dependencies: { ...required, ...optional } };
    return [json(`${place}package.json`, manifest), ...builtFiles(folder, place)];
  });
}

/** The compiled files of a library, with its types. */
function builtFiles(folder: string, place: string): Entry[] {
  return filesAt(`${folder}/dist`)
    .filter((path) => !/\.(map|tsbuildinfo)$/.test(path))
    .map((path) => ({ ...copied(path), path: `${place}${path.slice(folder.length + 1)}` }));
}

/** The paths of a file, or of all files of a folder, relative to the root. */
function filesAt(path: string): string[] {
  const place = join(root, path);
  if (!existsSync(place)) throw new Error(`${path} is missing: run node tools/bootstrap.mjs --dev`);
  if (statSync(place).isFile()) return [path];
  return readdirSync(place, { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules')
    .flatMap(({ name }) => filesAt(`${path}/${name}`));
}

const copied = (path: string): Entry => ({
  path,
  content: readFileSync(join(root, path)),
  isProgram: path === 'apps/cli/bin/svc.mjs',
});

const json = (path: string, value: object): Entry => ({
  path,
  content: Buffer.from(`${JSON.stringify(value, null, 2)}\n`),
  isProgram: false,
});

const licence = (): Entry => copied('LICENSE');

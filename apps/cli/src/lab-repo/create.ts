import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { checkName, write } from '../pkg/scaffold.js';
import { compilerOptions, jsonText, type Files } from '../pkg/templates.js';
import { labPackage, namesIn } from './lab.js';
import { otherLibraries, tarballsAt } from './libraries.js';
import { pipelineFiles } from './pipelines.js';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** Folder of the packages, where every command of `svc` looks for them. */
const packagesFolder = 'lab-packages';

/** The name of a type has at most 100 letters. */
const longestName = 80;

export interface LabRepositoryOptions {
  /** Name of the lab and of its package. */
  name: string;
  /** Folder or address of the tarballs of this release. */
  tarballs: string;
}

/**
 * Writes a repository with one lab that works, which Nx checks, tests, simulates and deploys. It needs npm, and no clone of the
 * product.
 *
 * @returns the written files, absolute
 * @throws Error when the name or the tarballs are not usable, or a file exists; nothing is written then
 */
export function createLabRepository(path: string, { name, tarballs }: LabRepositoryOptions): string[] {
  checkName(name, 'lab');
  if (name.length > longestName)
    throw new Error(
      `the name of the lab is longer than ${longestName} letters, and its types add theirs to it`,
    );
  const folder = resolve(path);
  const { specifiers, files } = tarballsAt(tarballs, version);
  const lab = Object.entries(labPackage(name)).map(([file, text]) => [
    `${packagesFolder}/${name}/${file}`,
    text,
  ]);
  return write(folder, {
    ...rootFiles(basename(folder), name, { ...specifiers, ...otherLibraries }),
    ...pipelineFiles,
    ...(Object.fromEntries(lab) as Files),
    ...files,
  });
}

function rootFiles(repository: string, lab: string, libraries: Record<string, string>): Files {
  const names = Object.keys(libraries).sort();
  const manifest = {
    name: npmName(repository),
    version: '0.1.0',
    private: true,
    type: 'module',
    engines: { node: '>=20.19' },
    scripts: {
      check: 'nx run-many -t check,test,simulate',
      deploy: 'nx run-many -t deploy --parallel=1',
      start: 'svc start',
    },
    devDependencies: Object.fromEntries(names.map((name) => [name, libraries[name]])),
  };
  const nx = {
    $schema: './node_modules/nx/schemas/nx-schema.json',
    defaultBase: 'main',
    analytics: false,
    neverConnectToCloud: true,
    // The view of Nx in a terminal stays for seconds after the last task.
    tui: { enabled: false },
    plugins: ['@lab/nx'],
  };
  return {
    'package.json': jsonText(manifest),
    'nx.json': jsonText(nx),
    'tsconfig.json': jsonText({ compilerOptions, include: ['*.ts', `${packagesFolder}/**/*.ts`] }),
    'vitest.config.ts': vitestConfig,
    '.env': nxEnvironment,
    '.gitignore': ['node_modules/', 'dist/', '.nx/', '.svc/', '*.log', ''].join('\n'),
    'README.md': readme(repository, lab),
  };
}

const nxEnvironment = `# For Nx, and no place for secrets: Git has this file. The plugins run in the process of Nx itself, which starts in a third of the time.
NX_ISOLATE_PLUGINS=false
`;

const vitestConfig = `import { transform } from 'esbuild';
import { defineConfig } from 'vitest/config';

/** Vitest alone does not know decorators. The service compiles packages with esbuild, too. */
const decorators = {
  name: 'decorators',
  enforce: 'pre' as const,
  async transform(code: string, id: string) {
    if (!id.endsWith('.ts') || id.includes('/node_modules/')) return undefined;
    return transform(code, { loader: 'ts', target: 'es2022', sourcefile: id, sourcemap: true });
  },
};

export default defineConfig({ plugins: [decorators] });
`;

/** A name that npm accepts. */
function npmName(text: string): string {
  const name = text
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+|-+$/g, '');
  return name === '' ? 'labs' : name;
}

function readme(repository: string, lab: string): string {
  const { device, task, protocol } = namesIn(lab);
  return `# ${repository}

Each folder in \`${packagesFolder}\` is a package: the definitions of a lab, and their code. \`${lab}\` has a simulated device
(\`${device}\`), a task with a test (\`${task}\`), a protocol (\`${protocol}\`), and a scenario to simulate (\`scenario.yml\`).

\`\`\`sh
npm install                                   # once; commit package-lock.json, which the pipelines need
npx nx run-many -t check,test,simulate        # what a pull request must pass; again in a moment, from the cache
npx svc pkg add task ${lab} my_task           # more definitions: lab, device, task, protocol, optimizer
npx svc start                                 # the whole service on this computer; it needs the program nats-server
\`\`\`

A service that runs has an address and tokens. Deploy to it:

\`\`\`sh
export SVC_URL=https://lab-server:8070 SVC_TOKEN_FILE=token
npx nx run ${lab}:dry-run                     # what would change
npx nx run ${lab}:deploy                      # check, test, simulate, upload, activate; back by itself if a device does not start
npx nx run ${lab}:rollback                    # the version before
\`\`\`

## Pipelines

\`.github/workflows/lab.yml\` and \`.gitlab-ci.yml\` do the same; remove the one that you do not use. A pull request is checked, and
gets the list of what its deployment would change. The main branch is deployed after somebody approves. The first lines of both
files say which settings they need. No secret is kept: each job gets a token for minutes, by the rules in the configuration of the service.
`;
}

/**
 * An Nx plugin that gives each lab package its targets. A lab package is a folder with a `package.json` and at least one folder
 * of definitions. The plugin is plain JavaScript, because Nx loads it before anything is built.
 *
 * Options of the plugin in `nx.json`:
 * - `svc`: the command line of the service, run in the root of the workspace; default `svc`
 * - `inputs`: further inputs of the cached targets, such as the sources of the service
 * - `test`: runs the tests of a package, with `{projectRoot}` for its folder; default `npx vitest run {projectRoot}`
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

export const name = '@lab/nx';

const definitionFolders = ['laboratories', 'labs', 'devices', 'tasks', 'experiments', 'protocols'];
const scenario = 'scenario.yml';
/** The lock has the versions of everything that runs. To ask each program for its version would take longer than the cache saves. */
const versions = ['{workspaceRoot}/package-lock.json', '{workspaceRoot}/tsconfig.json'];
const skipped = new Set(['node_modules', 'dist']);

export const createNodesV2 = [
  '**/package.json',
  (files, options, { workspaceRoot }) =>
    files.flatMap((file) => {
      const node = nodeOf(file, options ?? {}, workspaceRoot);
      return node === undefined ? [] : [[file, node]];
    }),
];

/** @param file path of a `package.json`, relative to the root of the workspace */
function nodeOf(file, { svc = 'svc', test = 'npx vitest run {projectRoot}', inputs = [] }, workspaceRoot) {
  const root = dirname(file);
  const folder = join(workspaceRoot, root);
  // The root of a workspace is no package, although a package may be at the root of a folder of packages.
  if (root === '.' || file.split('/').some((part) => skipped.has(part)) || !isLabPackage(folder))
    return undefined;
  const packageName = basename(root);
  const projectName = JSON.parse(readFileSync(join(workspaceRoot, file), 'utf8')).name ?? packageName;
  const parent = dirname(root);
  // A package is checked together with its siblings, whose types it may use.
  const sources = [
    `{workspaceRoot}/${parent === '.' ? '' : `${parent}/`}**/*`,
    '!{workspaceRoot}/**/node_modules/**',
    '!{workspaceRoot}/**/dist/**',
    { env: 'SVC_CODE_KEY' },
    ...versions,
    ...inputs,
  ];
  const own = ['{projectRoot}/**/*', '!{projectRoot}/node_modules/**', '!{projectRoot}/dist/**'];
  const packed = `dist/labs/${packageName}.tar.gz`;
  const run = (command, more) => ({ command, options: { cwd: '{workspaceRoot}' }, ...more });
  const targets = {
    check: run(`${svc} pkg check ${root}`, { cache: true, inputs: sources, outputs: [] }),
    pack: run(`${svc} pkg pack ${root} --out ${packed}`, {
      cache: true,
      inputs: [...own, ...versions, { runtime: 'node --version' }],
      outputs: [`{workspaceRoot}/${packed}`],
    }),
    rollback: run(`${svc} pkg rollback ${packageName}`, { cache: false }),
  };
  if (hasTests(folder))
    targets.test = run(test.replaceAll('{projectRoot}', root), {
      cache: true,
      inputs: [...sources, '{workspaceRoot}/vitest.config.*', { runtime: 'node --version' }],
      outputs: [],
    });
  if (existsSync(join(folder, scenario)))
    targets.simulate = run(`${svc} sim ${root}/${scenario} --user-dir ${parent}`, {
      cache: true,
      inputs: sources,
      outputs: [],
    });
  const before = ['check', 'test', 'simulate'].filter((target) => target in targets);
  targets['dry-run'] = run(`${svc} pkg deploy ${root} --dry-run`, { cache: false });
  targets.deploy = run(`${svc} pkg deploy ${root}`, { cache: false, dependsOn: before });
  return { projects: { [root]: { name: projectName, root, targets } } };
}

function isLabPackage(folder) {
  return readdirSync(folder, { withFileTypes: true }).some(
    (entry) => entry.isDirectory() && definitionFolders.includes(entry.name),
  );
}

/** Whether a folder has a file with tests, at any depth. */
function hasTests(folder) {
  return readdirSync(folder, { withFileTypes: true }).some((entry) =>
    entry.isDirectory()
      ? !skipped.has(entry.name) && !entry.name.startsWith('.') && hasTests(join(folder, entry.name))
      : /\.test\.[cm]?[jt]s$/.test(entry.name),
  );
}

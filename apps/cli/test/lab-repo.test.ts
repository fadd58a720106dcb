import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as yaml from 'js-yaml';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLabRepository } from '../src/lab-repo/create.js';
import { otherLibraries } from '../src/lab-repo/libraries.js';
import { checkPackages } from '../src/pkg/check.js';

const root = join(import.meta.dirname, '../../..');
const { version } = readJson(join(root, 'package.json')) as { version: string };
let folder: string;
let tarballs: string;
let repository: string;

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'));
}
const read = (path: string): string => readFileSync(join(repository, path), 'utf8');
const filesIn = (path: string): string[] =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name).slice(path.length + 1))
    .sort();
const create = (options: Partial<Parameters<typeof createLabRepository>[1]> = {}): string[] =>
  createLabRepository(repository, { name: 'wet_lab', tarballs, ...options });

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-lab-repo-'));
  tarballs = folder;
  repository = join(folder, 'Our Labs');
  for (const name of ['instruments', 'nx', 'optimization', 'sdk', 'sila', 'svc'])
    writeFileSync(join(tarballs, `lab-${name}-${version}.tgz`), name);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a new lab repository', () => {
  it('has a lab without errors, and tells the files that it wrote', async () => {
    const written = create();
    expect(written.map((path) => path.slice(repository.length + 1)).sort()).toEqual(filesIn(repository));
    const found = await checkPackages({ userDir: join(repository, 'lab-packages'), packageDir: null });
    // Only its tests need vitest, which is not installed there yet.
    const errors = found.errors.filter(({ message }) => !message.includes("'vitest'"));
    expect([errors, found.warnings, found.definitions]).toEqual([[], [], 4]);
  });

  it('contains the tarballs, and names exact versions of everything else', () => {
    create();
    const { name, devDependencies } = JSON.parse(read('package.json')) as {
      name: string;
      devDependencies: Record<string, string>;
    };
    expect(name).toBe('our-labs');
    expect(devDependencies).toEqual({
      ...otherLibraries,
      ...Object.fromEntries(
        ['instruments', 'nx', 'optimization', 'sdk', 'sila', 'svc'].map((each) => [
          `@lab/${each}`,
          `file:tarballs/lab-${each}-${version}.tgz`,
        ]),
      ),
    });
    expect(read(`tarballs/lab-sdk-${version}.tgz`)).toBe('sdk');
  });

  it('takes tarballs from an address', () => {
    create({ tarballs: 'https://files.example.org/release' });
    expect(read('package.json')).toContain(
      `"@lab/svc": "https://files.example.org/release/lab-svc-${version}.tgz"`,
    );
    expect(filesIn(repository).filter((path) => path.startsWith('tarballs'))).toEqual([]);
  });

  it('has the versions with which this repository is tested', () => {
    const { dependencies, devDependencies } = readJson(join(root, 'package.json')) as Record<
      'dependencies' | 'devDependencies',
      Record<string, string>
    >;
    expect({ ...dependencies, ...devDependencies }).toMatchObject(otherLibraries);
  });
});

describe('nothing is written', () => {
  const state = (): string[] => filesIn(folder);

  it.each(['package.json', '.github/workflows/lab.yml', 'lab-packages/wet_lab/scenario.yml'])(
    'over an existing %s',
    (path) => {
      create();
      for (const other of filesIn(repository)) if (other !== path) rmSync(join(repository, other));
      writeFileSync(join(repository, path), 'mine');
      const before = state();
      expect(() => create()).toThrow(
        `${join(repository, path)} exists already: it is left as it is, and nothing is written`,
      );
      expect([state(), read(path)]).toEqual([before, 'mine']);
    },
  );

  it.each([
    [{ name: 'a lab' }, '"a lab" cannot be the name of a lab: use letters, digits and underscores'],
    [{ name: 'a'.repeat(81) }, 'longer than 80 letters'],
    [{ tarballs: '/no/such/folder' }, '--tarballs: there is no folder /no/such/folder; name the one with'],
    [
      { tarballs: root },
      `lacks lab-instruments-${version}.tgz, lab-nx-${version}.tgz, lab-optimization-${version}.tgz, lab-sdk-`,
    ],
    [{ tarballs: 'ftp://example.org/' }, 'is no folder and no address that begins with https:// or http://'],
    [{ tarballs: 'https://me:secret@example.org/' }, 'leave them out, and put them into .npmrc'],
    [{ tarballs: 'https://example.org/?key=1' }, 'must be that of a folder, without ?key=1'],
  ])('with %o', (options, message) => {
    const before = state();
    expect(() => create(options)).toThrow(message);
    expect(() => create(options)).not.toThrow('secret');
    expect(state()).toEqual(before);
  });
});

interface GitHubJob {
  environment?: string;
  permissions?: Record<string, string>;
  steps: { uses?: string; run?: string; env?: Record<string, string> }[];
}
interface GitLabJob {
  environment?: { name: string };
  rules: { if: string; when?: string }[];
  script: string[];
  id_tokens?: Record<string, { aud: string }>;
}

describe('the pipelines', () => {
  const github = () => yaml.load(read('.github/workflows/lab.yml')) as { jobs: Record<string, GitHubJob> };
  const gitlab = () => yaml.load(read('.gitlab-ci.yml')) as Record<string, GitLabJob>;
  const jobs = ['check', 'dry-run', 'deploy'];
  const commandsOf = (job: string): string[][] => [
    (github().jobs[job]?.steps ?? []).flatMap(({ run }) => run ?? []),
    gitlab()[job]?.script ?? [],
  ];
  beforeEach(() => void create());

  /** Targets that the Nx plugin gives the lab. */
  async function targets(): Promise<string[]> {
    const plugin = (await import(pathToFileURL(join(root, 'tools/nx-plugin/plugin.mjs')).href)) as {
      createNodesV2: [
        string,
        (files: string[], options: object, context: object) => [string, { projects: object }][],
      ];
    };
    const file = 'lab-packages/wet_lab/package.json';
    const [[, { projects }] = ['', { projects: {} }]] = plugin.createNodesV2[1](
      [file],
      {},
      {
        workspaceRoot: repository,
      },
    );
    const [project] = Object.values(projects) as { targets: Record<string, object> }[];
    return Object.keys(project?.targets ?? {});
  }

  it('run only commands of Nx that exist, on targets that the lab has', async () => {
    const known = await targets();
    const { bin } = createRequire(import.meta.url)('nx/package.json') as { bin: Record<string, string> };
    expect(Object.keys(bin)).toContain('nx');
    for (const job of jobs)
      for (const commands of commandsOf(job)) {
        const nx = commands.filter((command) => command.includes('npx nx'));
        expect(nx).toHaveLength(1);
        const [, command, wanted = ''] = /^npx nx (\S+) -t (\S+)/.exec(nx[0] ?? '') ?? [];
        expect(['affected', 'run-many']).toContain(command);
        expect(known).toEqual(expect.arrayContaining(wanted.split(',')));
      }
  });

  it('check what a pull request changes, and show what its deployment would change', () => {
    for (const commands of commandsOf('check'))
      expect(commands.join('\n')).toContain('npx nx affected -t check,test,simulate --base=');
    for (const commands of commandsOf('dry-run'))
      expect(commands.join('\n')).toMatch(/npx nx affected -t dry-run .* \| tee dry-run\.txt/);
    expect(commandsOf('dry-run')[0]?.join('\n')).toContain('gh pr comment');
    expect(github().jobs['dry-run']?.permissions).toEqual({
      ...{ contents: 'read', 'id-token': 'write', 'pull-requests': 'write' },
    });
  });

  it('deploy only the main branch, after a person has approved', () => {
    expect(read('.github/workflows/lab.yml')).toContain("github.ref == 'refs/heads/main'");
    expect(github().jobs['deploy']?.environment).toBe('lab');
    expect(gitlab()['deploy']).toMatchObject({
      environment: { name: 'lab' },
      rules: [{ if: '$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH && $SVC_URL', when: 'manual' }],
    });
  });

  it('exchange a signed token of the job, only where the service is asked, and keep no secret', () => {
    const { jobs: found } = github();
    const withSignature = Object.entries(found).filter(
      ([, job]) => job.permissions?.['id-token'] === 'write',
    );
    expect(withSignature.map(([name]) => name)).toEqual(['dry-run', 'deploy']);
    for (const [, { steps }] of withSignature) {
      const exchange = steps.findIndex(({ run }) => run?.startsWith('npx svc token exchange --out') === true);
      expect(steps[exchange]?.run).toContain('"$RUNNER_TEMP/svc-token"');
      expect(steps[exchange + 1]?.env).toEqual({ SVC_TOKEN_FILE: '${{ runner.temp }}/svc-token' });
      expect(steps[exchange + 1]?.run).toMatch(/^npx nx (affected|run-many) -t (dry-run|deploy) /);
    }
    for (const job of ['dry-run', 'deploy']) {
      expect(gitlab()[job]?.id_tokens).toEqual({ SVC_ID_TOKEN: { aud: '$SVC_URL' } });
      const script = gitlab()[job]?.script ?? [];
      expect(script.slice(-3)).toEqual([
        'npx svc token exchange --out /tmp/svc-token',
        'export SVC_TOKEN_FILE=/tmp/svc-token',
        expect.stringMatching(/^npx nx /),
      ]);
    }
    expect(gitlab()['check']?.id_tokens).toBeUndefined();
    for (const file of filesIn(repository)) expect(read(file)).not.toMatch(/svc_pat_|secrets\./);
  });
});

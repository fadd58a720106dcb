import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inTools, root } from '../../shared/paths.js';
import { inBatches } from '../../shared/pool.js';

const execute = promisify(execFile);

/** Folder of what is installed. Git ignores it. */
const cache = join(root, '.cache', 'peers');

/** Versions of Python for which all locked packages exist, the best first. */
const versions = ['3.12', '3.11'];

/** Where EOS comes from unless another place is given. */
export const eosRepository = 'https://github.com/UNC-Robotics/eos';
/** Version 0.26.0. */
export const eosCommit = 'afd1cbaec534852258b793ff936f34cd163d4dc6';

export interface Options {
  /** Program of Python; undefined: the best one found. */
  python: string | undefined;
  /** Git repository of EOS: a path or an address. */
  eosSource: string;
}

/** What an installation consists of. */
interface Installation {
  name: string;
  /** Changes when something else is to be installed. */
  key: string;
  /** Fills the folder. */
  fill(folder: string, python: string): Promise<void>;
}

/** @returns folder with `venv` and `source` */
export const installEos = ({ python, eosSource }: Options): Promise<string> =>
  install(python, {
    name: 'eos',
    key: eosCommit,
    async fill(folder, program) {
      const source = join(folder, 'source');
      await said(`fetching EOS from ${eosSource}`, async () => {
        await rm(source, { recursive: true, force: true });
        await execute('git', ['clone', '--quiet', '--no-checkout', eosSource, source]);
        await execute('git', ['-C', source, 'checkout', '--quiet', eosCommit]);
      }).catch((error: Error) => {
        throw new Error(
          `EOS ${eosCommit} cannot be had from ${eosSource}; name a git repository that has it with --eos-source.\n${error.message}`,
          { cause: error },
        );
      });
      await makeEnvironment('eos', folder, program);
      await said('installing EOS', () => pip(folder, '--no-deps', '--no-build-isolation', source));
    },
  });

/** @returns folder with `venv` */
export const installMadsci = ({ python }: Options): Promise<string> =>
  install(python, {
    name: 'madsci',
    key: '',
    fill: (folder, program) => makeEnvironment('madsci', folder, program),
  });

/** Has the builds of PyTorch that know no graphics processor. */
const torchIndex = 'https://download.pytorch.org/whl/cpu';

/**
 * The optimizers of others. PyTorch comes from its own index, or if that cannot be reached from the usual one, with the libraries
 * of CUDA.
 *
 * @returns folder with `venv`
 */
export const installOptimizers = ({ python }: Pick<Options, 'python'>): Promise<string> =>
  install(python, {
    name: 'optimizers',
    key: cudaLock(),
    async fill(folder, program) {
      const lock = readFileSync(lockOf('optimizers'), 'utf8');
      const [torch] = /^torch==.*$/m.exec(lock) ?? [];
      if (torch === undefined) throw new Error('the lock of the optimizers has no version of torch');
      await execute(program, ['-m', 'venv', join(folder, 'venv')]);
      const own = ['--index-url', torchIndex, '--retries', '0', '--timeout', '15'];
      const isSmall = await said(`installing PyTorch from ${torchIndex}`, () =>
        pip(folder, '--no-deps', ...own, torch).then(
          () => true,
          () => false,
        ),
      );
      const size = isSmall ? '2 GB' : '5 GB, because this index cannot be reached';
      await said(`installing the packages of optimizers, ${size}; this takes minutes`, async () => {
        // Each part that is installed stays when a later one fails.
        for (const part of inBatches(packagesOf(isSmall ? lock : lock + cudaLock()), 10))
          await pip(folder, '--no-deps', ...part);
      });
    },
  });

const cudaLock = (): string => readFileSync(inTools('bench/peers/optimizers/cuda.txt'), 'utf8');
const packagesOf = (lock: string): string[] =>
  lock.split('\n').filter((line) => line !== '' && !line.startsWith('#'));

/** The folder of the optimizers of others, with `venv`; undefined: they are not installed. */
export function installedOptimizers(): string | undefined {
  const { folder, done, wanted } = placesOf('optimizers', cudaLock());
  return holds(done, wanted) ? folder : undefined;
}

function placesOf(name: string, key: string) {
  const folder = join(cache, name);
  const wanted = createHash('sha256')
    .update(key)
    .update(readFileSync(lockOf(name)))
    .digest('hex');
  return { folder, begun: join(folder, 'begun'), done: join(folder, 'installed'), wanted };
}

const holds = (path: string, wanted: string): boolean =>
  existsSync(path) && readFileSync(path, 'utf8') === wanted;

/** Does nothing when the same is installed already, and continues where an installation of the same was stopped. */
async function install(python: string | undefined, { name, key, fill }: Installation): Promise<string> {
  const { folder, begun, done, wanted } = placesOf(name, key);
  if (holds(done, wanted)) return folder;
  const program = python ?? (await findPython());
  if (!holds(begun, wanted)) await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await writeFile(begun, wanted);
  await fill(folder, program);
  await writeFile(`${done}.new`, wanted);
  await rename(`${done}.new`, done);
  return folder;
}

const lockOf = (name: string): string => inTools(`bench/peers/${name}/requirements.txt`);

/** Makes `venv` with exactly the locked packages. */
async function makeEnvironment(name: string, folder: string, python: string): Promise<void> {
  await execute(python, ['-m', 'venv', join(folder, 'venv')]);
  await said(`installing the packages of ${name}; this takes minutes`, () =>
    pip(folder, '--no-deps', '-r', lockOf(name)),
  );
}

/** @throws Error in one sentence, with the last complaint of pip */
async function pip(folder: string, ...args: string[]): Promise<void> {
  const common = ['install', '--quiet', '--disable-pip-version-check'];
  try {
    await execute(join(folder, 'venv', 'bin', 'python'), ['-m', 'pip', ...common, ...args], {
      maxBuffer: 2 ** 26,
    });
  } catch (error) {
    const { stderr = '', message } = error as Error & { stderr?: string };
    const complaint = stderr.split('\n').findLast((line) => line.startsWith('ERROR: '));
    throw new Error(
      `pip cannot install the packages in ${folder}: ${complaint?.slice('ERROR: '.length) ?? message}; the next call continues`,
      { cause: error },
    );
  }
}

async function said<T>(what: string, work: () => Promise<T>): Promise<T> {
  console.error(`peers: ${what}`);
  return work();
}

/** Looks on the PATH, and among the versions of pyenv. @throws Error in one sentence */
async function findPython(): Promise<string> {
  const pyenv = join(process.env['PYENV_ROOT'] ?? join(homedir(), '.pyenv'), 'versions');
  const kept = existsSync(pyenv) ? readdirSync(pyenv) : [];
  for (const version of versions) {
    const programs = [
      `python${version}`,
      ...kept
        .filter((each) => each.startsWith(`${version}.`))
        .map((each) => join(pyenv, each, 'bin', 'python')),
      'python3',
    ];
    for (const program of programs) if (await isPython(program, version)) return program;
  }
  throw new Error(
    `The peers need Python ${versions.join(' or ')} with its modules venv and ensurepip, and there is none; install one, or name one with --python.`,
  );
}

/** Whether the program is this version and can make environments. */
async function isPython(program: string, version: string): Promise<boolean> {
  const check = 'import ensurepip, sys, venv; print("%d.%d" % sys.version_info[:2])';
  try {
    return (await execute(program, ['-c', check])).stdout.trim() === version;
  } catch {
    return false;
  }
}

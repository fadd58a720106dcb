import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inTools, root } from '../../shared/paths.js';

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

/** The optimizers of others. @returns folder with `venv` */
export const installOptimizers = ({ python }: Pick<Options, 'python'>): Promise<string> =>
  install(python, {
    name: 'optimizers',
    key: '',
    fill: (folder, program) => makeEnvironment('optimizers', folder, program),
  });

/** Does nothing when the same is installed already. */
async function install(python: string | undefined, { name, key, fill }: Installation): Promise<string> {
  const folder = join(cache, name);
  const done = join(folder, 'installed');
  const wanted = createHash('sha256')
    .update(key)
    .update(readFileSync(lockOf(name)))
    .digest('hex');
  if (existsSync(done) && readFileSync(done, 'utf8') === wanted) return folder;
  const program = python ?? (await findPython());
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
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

async function pip(folder: string, ...args: string[]): Promise<void> {
  const common = ['install', '--quiet', '--disable-pip-version-check'];
  await execute(join(folder, 'venv', 'bin', 'python'), ['-m', 'pip', ...common, ...args], {
    maxBuffer: 2 ** 26,
  });
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

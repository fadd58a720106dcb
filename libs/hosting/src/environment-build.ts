import { mkdir, writeFile } from 'node:fs/promises';
import { devNull } from 'node:os';
import { join } from 'node:path';
import type { NeededLibrary } from '@lab/definitions/environments';
import type { CodeUser, Launch } from './code-user.js';
import { authorEnvironment } from './forked-process.js';
import { runProgram, type ProgramEnd } from './program-run.js';
import type { PythonTools } from './python-kind.js';

/** The first pip that can install into the environment of another interpreter. */
const firstPip = [22, 3] as const;

/** What an environment is built from. */
export interface BuildPlan {
  /** Absolute path of the interpreter that the environment is for. */
  python: string;
  kind: PythonTools;
  /** Absolute. Made by the build, and never renamed: programs in it name its path. */
  folder: string;
  /** Absolute folder with the wheels. */
  wheels: string;
  libraries: readonly NeededLibrary[];
}

export interface BuildLimits {
  timeoutMs: number;
  signal: AbortSignal;
  /** Whose code must be able to read the environment; undefined: the user of this process. */
  user?: CodeUser | undefined;
}

/** The interpreter of an environment. @param folder absolute */
export function interpreterIn(folder: string): string {
  return process.platform === 'win32' ? join(folder, 'Scripts', 'python.exe') : join(folder, 'bin', 'python');
}

/** The lines that name the libraries with their hashes, for pip and uv. */
export function requirementLines(libraries: readonly NeededLibrary[]): string {
  return libraries
    .map(({ name, version, wheels }) =>
      [`${name}==${version}`, ...wheels.map(({ sha256 }) => `--hash=sha256:${sha256}`)].join(' '),
    )
    .map((line) => `${line}\n`)
    .join('');
}

/** A command of a build. */
export interface BuildCommand {
  /** What people call the program. */
  name: string;
  program: string;
  args: readonly string[];
}

/**
 * The commands that build an environment, in order. Nothing is taken from elsewhere than the folder of wheels, each wheel has one
 * of the hashes in the requirements, and no native code is compiled.
 *
 * @param uv whether this computer has uv
 * @throws Error in one sentence: there is neither uv nor a pip
 */
export function buildCommands(
  { python, kind, folder, wheels, libraries }: BuildPlan,
  requirements: string,
  uv: boolean,
): BuildCommand[] {
  const interpreter = interpreterIn(folder);
  const wheelsAlone = [
    '--require-hashes',
    '--no-deps',
    '--no-index',
    '--find-links',
    wheels,
    '-r',
    requirements,
  ];
  const venv = (...options: string[]): BuildCommand => ({
    ...{ name: 'python -m venv', program: python },
    args: ['-I', '-m', 'venv', ...options, folder],
  });
  const pip = (program: string, ...target: string[]): BuildCommand => ({
    ...{ name: 'pip', program },
    args: [
      ...['-I', '-m', 'pip', ...target, 'install', '--only-binary=:all:', ...wheelsAlone],
      ...['--no-cache-dir', '--no-input', '--disable-pip-version-check', '--no-warn-script-location'],
    ],
  });
  // A lock may have nothing for this platform.
  if (libraries.length === 0) return [venv('--without-pip')];
  if (uv) {
    const offline = ['--offline', '--no-config', '--no-cache', '--link-mode', 'copy', '--compile-bytecode'];
    const args = [
      'pip',
      'install',
      '--python',
      interpreter,
      ...offline,
      '--only-binary',
      ':all:',
      ...wheelsAlone,
    ];
    return [venv('--without-pip'), { name: 'uv', program: 'uv', args }];
  }
  if (hasRecentPip(kind)) return [venv('--without-pip'), pip(python, '--python', interpreter)];
  // An earlier pip cannot install elsewhere, so the environment gets one of its own, which takes seconds.
  if (kind.hasEnsurepip) return [venv(), pip(interpreter)];
  throw new Error(
    `${python} has no pip, and there is no uv: install one of them, for example with "apt install python3-pip"`,
  );
}

/** Whether a Python has a pip that can install for another interpreter, and take wheels for several platforms. */
export function hasRecentPip({ pip }: Pick<PythonTools, 'pip'>): boolean {
  const [major, minor] = firstPip;
  const [own = 0, ownMinor = 0] = (pip ?? '0').split('.').map((part) => Number.parseInt(part, 10));
  return own > major || (own === major && ownMinor >= minor);
}

/** @returns the program that has filled the environment @throws Error in one sentence: what failed, and why */
export async function buildEnvironment(plan: BuildPlan, limits: BuildLimits): Promise<string> {
  const { user } = limits;
  user?.share(plan.folder, 'read');
  await mkdir(plan.folder, { recursive: true });
  const requirements = join(plan.wheels, 'requirements.txt');
  await writeFile(requirements, requirementLines(plan.libraries));
  const commands = buildCommands(plan, requirements, await hasUv(plan.wheels, limits));
  for (const command of commands) await run(command, plan, limits);
  const asAuthor: BuildCommand = {
    name: 'its interpreter',
    program: interpreterIn(plan.folder),
    args: ['-I', '-c', ''],
  };
  await run(asAuthor, plan, limits, user?.launch.bind(user));
  return commands.at(-1)?.name ?? '';
}

async function hasUv(cwd: string, { signal }: BuildLimits): Promise<boolean> {
  const launch = { program: 'uv', args: ['--version'], env: toolEnvironment() };
  return (await runProgram(launch, { name: 'uv', cwd, timeoutMs: 30_000, signal })).ok;
}

async function run(
  { name, program, args }: BuildCommand,
  { wheels }: BuildPlan,
  { timeoutMs, signal, user }: BuildLimits,
  as: (own: Launch) => Launch = user === undefined ? (own) => own : readableByGroup,
): Promise<void> {
  const launch = as({ program, args, env: toolEnvironment() });
  const end = await runProgram(launch, { name, cwd: wheels, timeoutMs, signal });
  if (!end.ok) throw new Error(`${name} failed: ${toolReason(end)}`);
}

/** This process may close its files to all others; the code of the user reads the environment. */
const readableByGroup = ({ program, args, env }: Launch): Launch => ({
  ...{ program: '/bin/sh', args: ['-c', 'umask 027 && exec "$@"', 'sh', program, ...args] },
  env,
});

/** Without what pip and uv are configured with on this computer: they install what the lock names, and nothing else. */
function toolEnvironment(): NodeJS.ProcessEnv {
  const own = Object.entries(authorEnvironment()).filter(
    ([name]) => !/^(PIP_|UV_|PYTHON|VIRTUAL_ENV)/i.test(name),
  );
  return { ...Object.fromEntries(own), PIP_CONFIG_FILE: devNull };
}

/** Why pip, uv or venv failed, in one line. */
export function toolReason({ reason, output, how }: ProgramEnd & { ok: false }): string {
  const lines = output.split('\n').map((line) => line.trim());
  const said = lines
    .filter((line) => /^(ERROR|error|Error|×|╰─▶)/.test(line))
    .map((line) => line.slice(0, 500));
  return reason ?? said[0] ?? lines.filter((line) => line !== '').at(-1) ?? `it ended with ${how}`;
}

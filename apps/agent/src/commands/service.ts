import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname } from 'node:path';
import type { Command } from 'commander';
import { processEnvironment } from '@lab/runtime';
import { dataFolder } from '../installation/index.js';
import {
  agentUser,
  launchdAgent,
  scheduledTask,
  systemdSystemUnit,
  systemdUserUnit,
  type CodeAccount,
  type ServicePlan,
} from '../service/index.js';
import { dataOption, type AgentProgram } from './context.js';

interface Options {
  data?: string | undefined;
  system?: boolean;
  print?: boolean;
  codeUser?: string;
}

const systemOption = ['--system', 'for the whole computer (Linux, as root) and not for this user'] as const;

type Installed = Pick<AgentProgram, 'launcher' | 'platform'>;

export function addServiceCommands(program: Command, agent: AgentProgram): void {
  const service = program
    .command('service')
    .description('Lets the operating system start this agent and keep it running.');
  service
    .command('install')
    .description('Writes the service and starts it.')
    .option(...dataOption)
    .option(...systemOption)
    .option('--code-user <name>', 'run the code of devices and tasks as this user (with --system)')
    .option('--print', 'only print what would be written and run')
    .action((options: Options) => installService(options, agent));
  service
    .command('uninstall')
    .description('Stops the service and removes it. The data folder stays.')
    .option(...dataOption)
    .option(...systemOption)
    .action((options: Options) => {
      const plan = planOf(options, agent);
      for (const command of plan.uninstall) run(command);
      rmSync(plan.path, { force: true });
      console.log(`removed ${plan.path}`);
    });
  service
    .command('status')
    .description('Prints what the operating system knows about the service, and ends with its exit code.')
    .option(...dataOption)
    .option(...systemOption)
    .action((options: Options) => {
      process.exitCode = start(planOf(options, agent).status);
    });
}

/** Writes the service and starts it. @throws Error in one sentence */
export function installService(options: Options, agent: Installed): void {
  install(planOf(options, agent), options.print === true);
}

/** @throws Error when the system has no such service, or the launcher cannot be used for it */
function planOf({ data, system = false, codeUser }: Options, { launcher, platform }: Installed): ServicePlan {
  if (launcher === undefined) {
    throw new Error('a service needs the launcher svc-agent of the package; start this command with it');
  }
  const env = processEnvironment();
  const installation = { launcher, data: dataFolder(data), home: homedir() };
  if (system && platform !== 'linux') {
    throw new Error(`--system is for Linux, and this is ${platform}; leave it out to install for this user`);
  }
  if (codeUser !== undefined && !system)
    throw new Error(
      '--code-user goes with --system: only a service of the computer may run code as another user',
    );
  switch (platform) {
    case 'linux':
      if (!system) return systemdUserUnit(installation, env['XDG_CONFIG_HOME'] || undefined);
      if (data !== undefined) {
        throw new Error('--data does not go with --system: systemd makes the folder /var/lib/svc-agent');
      }
      if (/^\/(home|root|run\/user|tmp|var\/tmp)\//.test(launcher)) {
        throw new Error(
          `the service may not read ${launcher}; unpack the agent outside of home and temporary folders, for example below /opt`,
        );
      }
      return systemdSystemUnit(installation, codeUser === undefined ? undefined : codeAccount(codeUser));
    case 'darwin':
      return launchdAgent(installation, process.getuid?.() ?? 0);
    case 'win32':
      return scheduledTask(installation, `${env['USERDOMAIN'] ?? '.'}\\${env['USERNAME'] ?? ''}`);
    default:
      throw new Error(
        `there is no service for ${platform}; start "svc-agent run" with the tools of this system`,
      );
  }
}

/** @throws Error when an account is missing, which only an administrator makes */
function codeAccount(user: string): CodeAccount {
  for (const name of [agentUser, user])
    if (groupOf(name) === undefined)
      throw new Error(
        `this computer has no user ${name}; make it first: useradd --system --user-group --shell /usr/sbin/nologin ${name}`,
      );
  return { user, group: groupOf(user) ?? user };
}

/** Primary group of a user; undefined: there is no such user. */
function groupOf(user: string): string | undefined {
  const { status, stdout } = spawnSync('id', ['-gn', '--', user], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

function install({ path, text, encoding, install: commands, notes }: ServicePlan, onlyPrint: boolean): void {
  if (onlyPrint) {
    console.log(`# ${path}\n${text}\n${commands.map((command) => command.join(' ')).join('\n')}`);
    return;
  }
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, encoding === 'utf8' ? text : `\uFEFF${text}`, { encoding });
  console.log(`wrote ${path}`);
  for (const command of commands) run(command);
  for (const note of notes) console.log(note);
}

/** @throws Error when the program cannot be run or does not end with 0 */
function run(command: readonly string[]): void {
  const code = start(command);
  if (code !== 0) throw new Error(`"${command.join(' ')}" ended with ${code}; its output above says why`);
}

/** Runs a program with the output of this process. @returns its exit code @throws Error when it cannot be run */
function start(command: readonly string[]): number {
  const [program = '', ...args] = command;
  // On Windows only the command interpreter starts batch files, such as the launcher.
  const isBatch = program.endsWith('.cmd');
  const { status, error } = isBatch
    ? spawnSync(
        `"${program}"`,
        args.map((arg) => `"${arg}"`),
        { stdio: 'inherit', shell: true },
      )
    : spawnSync(program, args, { stdio: 'inherit' });
  if (error !== undefined) throw new Error(`"${program}" cannot be run: ${error.message}`, { cause: error });
  return status ?? 1;
}

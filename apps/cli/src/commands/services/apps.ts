import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ServiceName } from '@lab/contracts';
import { defineConfig, optional, overrideEnvironment, processEnvironment, settings } from '@lab/runtime';
import type { Command } from 'commander';
import { BrokerAccess, takesCredentials } from '../../stack/broker-access.js';
import { modulePath } from '../../stack/services.js';
import { userError } from '../user-error.js';

const descriptions: Record<ServiceName, string> = {
  gateway: 'run the HTTP gateway alone',
  orchestrator: 'run the orchestrator alone',
  agent: 'run the agent of one lab computer',
  optimizer: 'run the optimizer worker alone',
};

/** The service reads the option itself. */
export const debugHostOption: [string, string, (name: string, earlier?: string[]) => string[]] = [
  '--debug-host <name>',
  'let a debugger attach to the process of this device (LAB.DEVICE), task type or protocol with an optimizer; may be repeated; for development alone: every user of this computer can then execute code',
  (name, earlier = []) => [...earlier, name],
];

/**
 * One command for each service. The service runs in this process, under its own name and rules.
 *
 * @returns the command of the agent
 */
export function addAppCommands(program: Command): Command {
  for (const name of ['gateway', 'orchestrator'] as const) {
    program
      .command(name)
      .description(descriptions[name])
      .action(() => runApp(name, {}));
  }
  program
    .command('optimizer')
    .description(descriptions.optimizer)
    .option(
      '--ip <address...>',
      'address that campaigns name it by in optimizer_ip (SVC_OPTIMIZER_IP, default: all of this computer)',
    )
    .option(...debugHostOption)
    .action((flags: { ip?: string[] }) =>
      runApp('optimizer', flags.ip === undefined ? {} : { SVC_OPTIMIZER_IP: flags.ip.join(',') }),
    );
  return program
    .command('agent')
    .description(descriptions.agent)
    .option('--computer <name>', 'name of the computer in lab.yml (SVC_COMPUTER, default svc_computer)')
    .option(...debugHostOption)
    .action((flags: { computer?: string }) =>
      runApp('agent', flags.computer === undefined ? {} : { SVC_COMPUTER: flags.computer }),
    );
}

async function runApp(name: ServiceName, variables: Record<string, string>): Promise<void> {
  try {
    overrideEnvironment({ ...addressesOfStack(name), ...variables });
    overrideEnvironment(await credentialsBy(name));
    await import(pathToFileURL(modulePath(name)).href);
  } catch (error) {
    process.stderr.write(`${name} cannot start: ${userError(error)}\n`);
    process.exitCode = 1;
  }
}

/**
 * Credentials for the broker, made with the keys in the data folder. A computer without these keys, such as that of an
 * instrument, must be given its credentials.
 */
async function credentialsBy(role: ServiceName): Promise<Record<string, string>> {
  const env = processEnvironment();
  if (env['SVC_NATS_CREDENTIALS'] || env['SVC_NATS_CREDENTIALS_FILE']) return {};
  const { dataDir, natsUrl, computer } = defineConfig({
    dataDir: settings.dataDir,
    natsUrl: optional(settings.natsUrl),
    computer: settings.computer,
  }).load();
  const access = takesCredentials(natsUrl) ? BrokerAccess.present(dataDir) : undefined;
  if (access === undefined) return {};
  const path = await access.credentials(role, role === 'agent' ? computer : role);
  const given = (variable: string): boolean => Boolean(env[variable] || env[`${variable}_FILE`]);
  return {
    SVC_NATS_CREDENTIALS_FILE: path,
    ...(role === 'orchestrator' && !given('SVC_AUTHORITY_KEY')
      ? { SVC_AUTHORITY_KEY_FILE: access.authorityKey() }
      : {}),
    ...(role === 'orchestrator' && !given('SVC_BROKER_KEYS')
      ? { SVC_BROKER_KEYS_FILE: access.keysPath }
      : {}),
    ...(role === 'gateway' && !given('SVC_AGENT_ISSUER')
      ? { SVC_AGENT_ISSUER_FILE: await access.agentIssuer() }
      : {}),
  };
}

/** The addresses of a stack that runs on the same data folder, for the settings that are not configured. */
function addressesOfStack(role: ServiceName): Record<string, string> {
  const env = processEnvironment();
  const { dataDir } = defineConfig({ dataDir: settings.dataDir }).load();
  const files = {
    SVC_NATS_URL: 'nats-url',
    SVC_DATABASE_URL: `database-${role}-url`,
    SVC_UPLOAD_SECRET: 'upload-secret',
    SVC_SECRETS_KEY: 'secrets-key',
    // Only a gateway may act for people.
    ...(role === 'gateway' ? { SVC_ACT_KEY: 'act-key' } : {}),
    ...(role === 'orchestrator' ? { SVC_ACT_PUBLIC_KEY: 'act-public-key' } : {}),
  };
  return Object.fromEntries(
    Object.entries(files)
      .filter(([variable]) => !env[variable] && !env[`${variable}_FILE`])
      .map(([variable, file]) => [`${variable}_FILE`, join(dataDir, 'secrets', file)])
      .filter((entry): entry is [string, string] => entry[1] !== undefined && existsSync(entry[1])),
  );
}

import { hostname } from 'node:os';
import type { Command } from 'commander';
import { processEnvironment } from '@lab/runtime';
import { dataFolder, joinedFile, readJoined, requestStop } from '../installation/index.js';
import { join } from '../joining/index.js';
import { dataOption, type AgentProgram } from './context.js';
import { installService } from './service.js';
import { stopWithinMs } from './stop.js';

interface Options {
  data?: string;
  computer?: string;
  proxy?: string;
  codeKey?: string;
  service: boolean;
  again?: boolean;
}

export function addJoinCommand(program: Command, agent: AgentProgram): void {
  const { version } = agent;
  program
    .command('join')
    .description('Joins a laboratory service with the line of "svc agent invite", and starts the agent.')
    .argument('<address>', 'address of the service, for example https://lab-server:8443')
    .argument('<token>', 'the token of the invitation')
    .option(...dataOption)
    .option(
      '--computer <name>',
      'name of this computer, if the invitation leaves it open (default: its host name)',
    )
    .option('--proxy <address>', 'HTTP proxy to the service (default: HTTPS_PROXY)')
    .option('--code-key <key>', 'run only code that this key of the lab has signed, svc_code_...')
    .option('--no-service', 'do not install a service of the operating system; start with "svc-agent run"')
    .option('--again', 'join although this computer has joined before')
    .action(async (address: string, token: string, options: Options) => {
      const folder = dataFolder(options.data);
      const before = readJoined(folder);
      if (before !== undefined && options.again !== true)
        throw new Error(
          `this computer has joined as ${before.computer}: ${folder} has ${joinedFile}; to join another service or under another name, add --again`,
        );
      const isPattern = options.computer === undefined;
      const request = {
        ...{ url: address, token, dataDir: folder, version, proxy: options.proxy ?? proxyOf(address) },
        // A computer that joins again does not fall back to code that nobody has signed.
        codeKey: options.codeKey ?? before?.env['SVC_CODE_KEY'],
        onWaiting: () =>
          console.log('Waiting until an administrator approves this computer (svc agent approve) ...'),
      };
      const joined = await join({ ...request, computer: options.computer }).catch((error: unknown) => {
        // The service says that the invitation leaves the name open.
        if (!isPattern || !String(error).includes('--computer')) throw error;
        return join({ ...request, computer: hostname() });
      });
      console.log(
        `Joined as ${joined.computer}. Credentials until ${joined.validUntil}, renewed by the agent.`,
      );
      if (joined.codeKey !== undefined) console.log(`Runs only code that ${joined.codeKey} has signed.`);
      if (!options.service) return console.log('Start the agent with "svc-agent run".');
      try {
        // It goes on with its old credentials, and the system does not start a service that runs.
        const stopped = before === undefined ? undefined : await requestStop(folder, stopWithinMs);
        if (stopped !== undefined) console.log(`The agent that ran before, process ${stopped}, has stopped.`);
        installService({ data: options.data }, agent);
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        throw new Error(
          `This computer has joined, but no service was installed: ${why}. Start the agent with "svc-agent run", or try "svc-agent service install".`,
          { cause: error },
        );
      }
    });
}

/** The proxy that the system names for an address; undefined: none. */
export function proxyOf(address: string): string | undefined {
  const env = processEnvironment();
  const host = URL.canParse(address) ? new URL(address).hostname : '';
  const excepted = (env['NO_PROXY'] ?? env['no_proxy'] ?? '')
    .split(',')
    .map((each) => each.trim().replace(/^\./, ''));
  if (excepted.some((name) => name === '*' || (name !== '' && (host === name || host.endsWith(`.${name}`)))))
    return undefined;
  return env['HTTPS_PROXY'] || env['https_proxy'] || undefined;
}

import type { Command } from 'commander';
import { brokerOf, brokerSettings, defineConfig, processEnvironment, settings } from '@lab/runtime';
import { dataFolder, defaultsFor, readJoined } from '../installation/index.js';
import { examine, gatewayAddress, proxyAddress, type Examined } from '../joining/index.js';
import { makePass } from '@lab/trust/pass';
import { dataOption, type AgentProgram } from './context.js';
import { proxyOf } from './join.js';

export function addDoctorCommand(program: Command, { version }: AgentProgram): void {
  program
    .command('doctor')
    .description('Examines the way to the service, and names the layer that does not work.')
    .argument('[address]', 'address of the service (default: the one that this computer joined)')
    .option(...dataOption)
    .option(
      '--proxy <address>',
      'HTTP proxy to the service (default: the one with which it joined, or HTTPS_PROXY)',
    )
    .action(async (address: string | undefined, { data, proxy }: { data?: string; proxy?: string }) => {
      console.log(
        `svc-agent ${version} on Node ${process.versions.node}, ${process.platform}-${process.arch}`,
      );
      const joined = membership(dataFolder(data), version);
      if (address === undefined && joined === undefined)
        throw new Error(
          'this computer has not joined a service; give the address of one: svc-agent doctor https://lab-server:8443',
        );
      const gateway = address === undefined ? (joined?.gateway ?? '') : gatewayAddress(address);
      const isJoined = joined !== undefined && gateway === joined.gateway;
      const way = proxy ?? joined?.proxy ?? proxyOf(gateway);
      const examined = {
        gateway,
        proxy: way === undefined ? undefined : proxyAddress(way),
        ...(isJoined ? joined.own : {}),
      };
      for await (const { layer, ok, text } of examine(examined)) {
        console.log(`${ok ? 'ok  ' : 'FAIL'}  ${layer.padEnd(10)}  ${text}`);
        if (!ok) process.exitCode = 1;
      }
    });
}

/** What the computer got when it joined; undefined: it has not, or not by an invitation. */
export function membership(
  folder: string,
  version: string,
):
  | { gateway: string; proxy: string | undefined; own: Pick<Examined, 'authorities' | 'membership'> }
  | undefined {
  const joined = readJoined(folder);
  if (joined === undefined) return undefined;
  const env = processEnvironment();
  const config = defineConfig({
    ...brokerSettings,
    computer: settings.computer,
    gatewayUrl: settings.gatewayUrl,
  }).load({
    env: { ...env, ...defaultsFor(env, joined) },
  });
  const { credentials: read, ...broker } = brokerOf(config);
  if (config.gatewayUrl === undefined || read === undefined) return undefined;
  const credentials = read();
  const { authorities, proxy } = broker;
  const pass = (): string => makePass(credentials, 'broker', Date.now());
  return {
    ...{ gateway: config.gatewayUrl, proxy },
    own: {
      authorities,
      membership: { computer: config.computer, credentials, version, broker: { ...broker, pass } },
    },
  };
}

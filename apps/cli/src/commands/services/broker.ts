import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, settings } from '@lab/runtime';
import { Argument, type Command } from 'commander';
import { processRoles, type ProcessRole } from '@lab/contracts/broker';
import { BrokerAccess } from '../../stack/broker-access.js';
import { OwnAuthority } from '../../stack/own-authority.js';
import type { OwnServer } from '../../stack/own-server.js';
import { writePrivately } from '../../stack/private-files.js';
import { userError } from '../user-error.js';

/** Commands for a nats-server outside of `svc start`. They need the keys in the data folder of the service. */
export function addBrokerCommands(program: Command): void {
  const broker = program
    .command('broker')
    .description('settings of a nats-server of your own, and credentials of its clients');
  broker
    .command('config')
    .description('print a configuration with which nats-server accepts the processes of this service alone')
    .requiredOption(
      '--listen <address>',
      'address and port on which it listens, for example 192.168.0.2:4222',
    )
    .option(
      '--accounts <folder>',
      'absolute path of a folder that nats-server may write',
      '/var/lib/svc-nats',
    )
    .option(
      '--tls <folder>',
      'absolute path of a folder with certificate.pem and key.pem: every client must encrypt',
    )
    .option(
      '--cluster <name>',
      'make it a node of a cluster of this name; needs --node, --route, --routes and --tls',
    )
    .option('--node <name>', 'name of this node')
    .option(
      '--route <address>',
      'address and port at which this node listens to the others, such as 192.168.0.2:6222',
    )
    .option(
      '--routes <addresses>',
      'those of all nodes, with commas between them; the same text on every node',
    )
    .action((options: ConfigOptions) => print((access) => access.ownServer(serverOf(options))));
  broker
    .command('certificate')
    .description('certify a server of this service: write certificate.pem, key.pem and ca.pem into a folder')
    .argument('<name...>', 'host names and addresses at which clients reach it')
    .requiredOption('--out <folder>', 'folder for the three files')
    .option('--peer', 'also let it join the other nodes of a cluster; keep its key on that node only')
    .action(([first = '', ...others]: string[], { out, peer }: { out: string; peer?: true }) =>
      writeCertificate([first, ...others], out, peer === true ? 'peer' : 'server'),
    );
  broker
    .command('credentials')
    .description(
      'print new credentials of one process, a secret; name an agent as lab.yml names its computer',
    )
    .addArgument(new Argument('<role>', 'kind of the process').choices(processRoles))
    .argument('<name>', 'name of the process')
    .action((role: ProcessRole, name: string) => print((access) => access.issue(role, name)));
}

interface ConfigOptions {
  listen: string;
  accounts: string;
  tls?: string;
  cluster?: string;
  node?: string;
  route?: string;
  routes?: string;
}

/** @throws Error in one sentence when some of the options of a cluster are missing */
function serverOf({ listen, accounts, tls, cluster, node, route, routes }: ConfigOptions): OwnServer {
  const server = { listen, accounts, certificates: tls };
  const given = [cluster, node, route, routes].filter((each) => each !== undefined);
  if (given.length === 0) return server;
  if (cluster === undefined || node === undefined || route === undefined || routes === undefined)
    throw new Error('A node of a cluster needs all of --cluster, --node, --route and --routes.');
  const all = routes.split(',').map((each) => each.trim());
  return { ...server, cluster: { name: cluster, node, ownRoute: route, routes: all } };
}

async function writeCertificate(
  names: [string, ...string[]],
  folder: string,
  use: 'server' | 'peer',
): Promise<void> {
  try {
    const { dataDir } = defineConfig({ dataDir: settings.dataDir }).load();
    const authority = await OwnAuthority.kept(dataDir);
    const { certificate, key } = await authority.certify(names, use);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writePrivately(join(folder, 'key.pem'), key);
    writePrivately(join(folder, 'certificate.pem'), certificate);
    writePrivately(join(folder, 'ca.pem'), authority.trusted);
    process.stdout.write(`wrote certificate.pem, key.pem and ca.pem to ${folder}\n`);
  } catch (error) {
    process.stderr.write(`${userError(error)}\n`);
    process.exitCode = 1;
  }
}

async function print(text: (access: BrokerAccess) => Promise<string>): Promise<void> {
  try {
    const { dataDir } = defineConfig({ dataDir: settings.dataDir }).load();
    process.stdout.write(await text(await BrokerAccess.kept(dataDir)));
  } catch (error) {
    process.stderr.write(`${userError(error)}\n`);
    process.exitCode = 1;
  }
}

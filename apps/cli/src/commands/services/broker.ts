import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, settings } from '@lab/runtime';
import { Argument, type Command } from 'commander';
import { processRoles, type ProcessRole } from '@lab/contracts/broker';
import { BrokerAccess } from '../../stack/broker-access.js';
import { OwnAuthority } from '../../stack/own-authority.js';
import { writePrivately } from '../../stack/data-folder.js';
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
    .action(({ listen, accounts, tls }: { listen: string; accounts: string; tls?: string }) =>
      print((access) => access.ownServer(listen, accounts, tls)),
    );
  broker
    .command('certificate')
    .description('certify a server of this service: write certificate.pem, key.pem and ca.pem into a folder')
    .argument('<name...>', 'host names and addresses at which clients reach it')
    .requiredOption('--out <folder>', 'folder for the three files')
    .action(([first = '', ...others]: string[], { out }: { out: string }) =>
      writeCertificate([first, ...others], out),
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

async function writeCertificate(names: [string, ...string[]], folder: string): Promise<void> {
  try {
    const { dataDir } = defineConfig({ dataDir: settings.dataDir }).load();
    const authority = await OwnAuthority.kept(dataDir);
    const { certificate, key } = await authority.certify(names);
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

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { measuredEveryMs, serviceEvents } from '@lab/contracts';
import {
  Debuggers,
  demandDevelopment,
  ModuleCache,
  NpmPackages,
  Python,
  PythonEnvironments,
} from '@lab/hosting';
import { connectBus, ownerOf } from '@lab/messaging';
import {
  brokerOf,
  measureProcess,
  measureRefusals,
  Meter,
  runService,
  Sealing,
  systemClock,
  systemIds,
  systemTimers,
  tellMeasurements,
} from '@lab/runtime';
import { ownAddresses } from './addresses.js';
import { config } from './config.js';
import { OptimizerHosts } from './hosts.js';
import { lendHybrid } from './lent.js';
import { OptimizerWorker } from './worker.js';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

const { values: flags } = parseArgs({
  options: { 'debug-host': { type: 'string', multiple: true } },
  strict: false,
});
/** Only a flag lets debuggers in: a variable of the environment may be set without anybody's knowledge. */
const debugged = [flags['debug-host'] ?? []].flat().filter((name) => typeof name === 'string');

await runService('optimizer', config, async ({ config, log, shutdown }) => {
  demandDevelopment(debugged, { broker: brokerOf(config).url });
  const instance = systemIds.next();
  const credentials = config.natsCredentials?.reveal();
  const name = credentials === undefined ? 'optimizer' : ownerOf(credentials);
  const folder = join(config.dataDir, 'optimizer');
  const bus = await connectBus({
    ...brokerOf(config),
    role: 'optimizer',
    name: instance,
    log,
  });
  shutdown.add('bus', () => bus.close());
  const packages = new NpmPackages(join(folder, 'packages'), log);
  shutdown.add('packages', () => packages.close());
  const python = new Python(config.python);
  const environments = new PythonEnvironments(join(folder, 'environments'), python, log);
  // Two workers on one computer may have one folder.
  await environments.removeUnused(systemClock.now(), 3_600_000);
  shutdown.add('environments', () => environments.close());
  const { addresses, secretsKey, memoryMb } = config;
  const worker = new OptimizerWorker({
    bus,
    clock: systemClock,
    timers: systemTimers,
    log,
    modules: new ModuleCache(join(folder, 'modules'), packages, bus, log),
    sealing: secretsKey === undefined ? undefined : new Sealing(secretsKey),
    hosts: new OptimizerHosts({
      ...{ python, environments, memoryMb },
      debuggers: new Debuggers(debugged, config.userDir, environments, log),
    }),
    lend: lendHybrid,
    computingMs: config.callTimeoutS * 1_000,
    worker: name,
    instance,
    version,
    addresses: addresses === undefined ? ownAddresses : () => addresses,
  });
  const meter = new Meter();
  shutdown.add('event loop', measureProcess(meter));
  measureRefusals(meter, bus);
  shutdown.add(
    'measurements',
    tellMeasurements(meter, measuredEveryMs, (families) =>
      bus.publish(serviceEvents.measured, { service: 'optimizer', name }, { instance, families }),
    ),
  );
  await worker.start();
  shutdown.add('worker', () => worker.stop());
  return { instance };
});

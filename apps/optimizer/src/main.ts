import { readFileSync } from 'node:fs';
import { connectBus } from '@lab/messaging';
import { runService, systemClock, systemIds, systemTimers } from '@lab/runtime';
import { ownAddresses } from './addresses.js';
import { config } from './config.js';
import { OptimizerWorker } from './worker.js';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

await runService('optimizer', config, async ({ config, log, shutdown }) => {
  const instance = systemIds.next();
  const bus = await connectBus({ url: config.natsUrl.reveal(), role: 'optimizer', name: instance, log });
  shutdown.add('bus', () => bus.close());
  const worker = new OptimizerWorker({
    bus,
    clock: systemClock,
    timers: systemTimers,
    instance,
    version,
    addresses: ownAddresses,
  });
  await worker.start();
  shutdown.add('worker', () => worker.stop());
  return { instance };
});

import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { NestFactory } from '@nestjs/core';
import { serviceRequests, type ServiceHealth } from '@lab/contracts';
import { Engine } from '@lab/engine';
import { connectBus } from '@lab/messaging';
import { BusServer, nestLogger } from '@lab/messaging/nest';
import { openFileStore } from '@lab/object-store';
import { openStore } from '@lab/persistence';
import { runService, systemClock, systemIds, systemTimers } from '@lab/runtime';
import { GreedyPolicy } from '@lab/scheduling';
import { agentsOverBus } from './agents-over-bus.js';
import { AppModule } from './app.module.js';
import { config } from './config.js';
import { announceLeadership } from './leadership.js';
import { LoadedPackages } from './loaded-packages.js';

const service = 'orchestrator';
const version = '0.1.0';

await runService(service, config, async ({ config, log, shutdown }) => {
  const startedAt = systemClock.now();
  const instance = randomUUID().slice(0, 8);
  const [packages, store, bus, objectStore] = await Promise.all([
    LoadedPackages.read(config, (text) => log.error(`mistakes in the packages:\n${text}`)),
    openStore({
      url: config.databaseUrl.reveal(),
      onIdleError: (error) => log.warn('a database connection broke', { error }),
    }),
    connectBus({ url: config.natsUrl.reveal(), role: service, name: instance, log }),
    openFileStore({
      folder: join(config.dataDir, 'files'),
      publicUrl: config.publicUrl,
      secret: config.uploadSecret.reveal(),
    }),
  ]);
  shutdown.add('database', () => store.close());
  shutdown.add('bus', () => bus.close());

  let leading = true;
  const engine = new Engine(
    {
      clock: systemClock,
      timers: systemTimers,
      ids: systemIds,
      store,
      agents: agentsOverBus(bus),
      definitions: packages.catalog,
      policy: new GreedyPolicy(),
      log: log.child({ part: 'engine' }),
    },
    {
      maxQueued: config.limits.max_queued,
      onDeposed: () => {
        leading = false;
        log.error('another orchestrator leads now; this one decides nothing any more');
        process.kill(process.pid, 'SIGTERM');
      },
    },
  );
  shutdown.add('engine', () => engine.stop());
  await engine.start(instance);

  const app = await NestFactory.createMicroservice(AppModule.of({ engine, packages, objectStore }), {
    strategy: new BusServer(bus),
    logger: nestLogger(log),
    abortOnError: false,
  });
  await app.listen();
  shutdown.add('messages', () => app.close());

  const health = (): ServiceHealth => ({
    service,
    instance,
    version,
    status: leading ? 'ok' : 'degraded',
    ...(leading ? {} : { detail: 'another orchestrator leads' }),
    uptime_s: (systemClock.now() - startedAt) / 1000,
  });
  await bus.serve(serviceRequests.health, { service }, () => health());
  shutdown.add('leadership', announceLeadership(bus, engine, systemTimers, instance));
  return {
    epoch: engine.epoch,
    labs: packages.catalog.labNames(),
    protocols: packages.catalog.protocolTypes(),
  };
});

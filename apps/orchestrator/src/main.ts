import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { NestFactory } from '@nestjs/core';
import { serviceRequests, type ServiceHealth } from '@lab/contracts';
import { formatDiagnostics } from '@lab/definitions';
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
import { firstLoad } from './definitions/first-load.js';
import { LabLoading } from './definitions/lab-loading.js';
import { LoadedDefinitions } from './definitions/loaded-definitions.js';
import { LoadedFile } from './definitions/loaded-file.js';
import { Loading } from './definitions/loading.js';
import { PackageIndex } from './definitions/package-index.js';
import { ProtocolLoading } from './definitions/protocol-loading.js';
import { announceLeadership } from './leadership.js';

const service = 'orchestrator';
const version = '0.1.0';

await runService(service, config, async ({ config, log, shutdown }) => {
  const startedAt = systemClock.now();
  const instance = randomUUID().slice(0, 8);
  const file = new LoadedFile(join(config.dataDir, 'loaded.json'));
  const [index, remembered, store, bus, objectStore] = await Promise.all([
    PackageIndex.read(config),
    file.read(),
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

  if (index.catalog.diagnostics.length > 0)
    log.error(`mistakes in the packages:\n${formatDiagnostics(index.catalog.diagnostics)}`);
  const configured = { labs: config.labs ?? null, protocols: config.protocols ?? null };
  const definitions = new LoadedDefinitions(
    firstLoad(index.catalog, configured, remembered, config.userDir, (message, fields) =>
      log.error(message, fields),
    ),
  );

  let leading = true;
  const engine = new Engine(
    {
      clock: systemClock,
      timers: systemTimers,
      ids: systemIds,
      store,
      agents: agentsOverBus(bus),
      definitions,
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

  const loading = new Loading({
    engine,
    definitions,
    index,
    file,
    configured,
    timers: systemTimers,
    log: log.child({ part: 'loading' }),
  });
  const labs = new LabLoading(loading, { clock: systemClock, timers: systemTimers });
  const protocols = new ProtocolLoading(loading);
  labs.resume();

  const app = await NestFactory.createMicroservice(
    AppModule.of({ engine, index, definitions, labs, protocols, objectStore }),
    {
      strategy: new BusServer(bus),
      logger: nestLogger(log),
      abortOnError: false,
    },
  );
  await app.listen();
  shutdown.add('messages', () => app.close());
  // Before the messages: whoever waits for devices is answered, not waited for.
  shutdown.add('loading', () => labs.stop());

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
    labs: definitions.labNames(),
    protocols: definitions.protocolTypes(),
  };
});

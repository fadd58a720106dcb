import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  effectRequests,
  logRequests,
  orchestratorEvents,
  serviceEvents,
  serviceRequests,
  stopReport,
  type ServiceHealth,
} from '@lab/contracts';
import { brokerPlaces, brokerTrouble, connectBus, LeaderWatch } from '@lab/messaging';
import { BusClient } from '@lab/messaging/nest';
import { FileTickets, openFiles } from '@lab/object-store';
import { openEventLog, openGatewayStore, openRecords } from '@lab/persistence';
import {
  brokerOf,
  isLoopback,
  lackOfRoom,
  measureProcess,
  measureRefusals,
  Meter,
  Outbound,
  runService,
  Sealing,
  steadyClock,
  systemClock,
  systemTimers,
} from '@lab/runtime';
import { ActSigner } from '@lab/trust/acts';
import { acceptedTexts } from '@lab/trust/key-ring';
import { AuditRecorder } from './audit/index.js';
import { authenticationBy, isOpenToNetwork } from './access/index.js';
import { announcementsOver } from './ports/index.js';
import { config } from './config.js';
import { storeOf } from './file-store-options.js';
import { authoritiesFor, httpsFilesOf } from './https-options.js';
import { deleteOldLooseFiles, removeLooseFiles, sweepFiles } from './deletions/index.js';
import { TakenDevices } from './devices/index.js';
import { currentPerson, currentRequestId, limitsFrom } from './http/index.js';
import { feedsFrom } from './events/index.js';
import { serveDeviceFiles } from './files/index.js';
import { pruneLogs } from './logs/index.js';
import { Measurements } from './metrics/index.js';
import { DeviceRoster, StopReports } from './operating/index.js';
import { PageFiles } from './page/index.js';
import { PipelineIssuers } from './pipelines/index.js';
import { RefusalLog } from './refusals/index.js';
import { startServer } from './server.js';

const service = 'gateway';
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
/** Interval at which the readiness of every part is checked, in milliseconds. */
const lookEveryMs = 5_000;
/** Longest time for the broker to answer a check, in milliseconds. */
const brokerMs = 1_000;
/** Batches of log lines that are stored concurrently. Others wait, to leave database connections to requests. */
const batchesAtOnce = 2;

await runService(service, config, async ({ config, log, shutdown }) => {
  if (isOpenToNetwork(config.auth, config.httpHost, config.publicUrl))
    log.warn('authentication is off, and other computers reach this one', {
      host: config.httpHost,
      public_url: config.publicUrl,
    });
  const https = httpsFilesOf(config.https, config.dataDir);
  const startedAt = systemClock.now();
  const instance = randomUUID().slice(0, 8);
  const leaders = new LeaderWatch();
  const acts = new ActSigner(() => config.actKey.reveal(), systemClock.now);
  const [bus, files] = await Promise.all([
    connectBus({
      ...brokerOf(config),
      role: service,
      name: instance,
      requestId: currentRequestId,
      signAct: (act) => acts.sign({ ...act, by: currentPerson(), epoch: leaders.epoch }),
      log,
    }),
    openFiles(storeOf(config)),
  ]);
  shutdown.add('bus', () => bus.close());
  const records = openRecords({
    url: config.databaseUrl.reveal(),
    onIdleError: (error) => log.warn('a database connection broke', { error }),
  });
  shutdown.add('database', () => records.close());

  const store = openGatewayStore({
    url: config.databaseUrl.reveal(),
    undoHours: config.retention.undo_hours,
    onIdleError: (error) => log.warn('a database connection broke', { error }),
  });
  shutdown.add('store', () => store.close());
  const audit = new AuditRecorder(store.audit, log);
  shutdown.add('audit', () => audit.close());
  const access = authenticationBy(
    config.auth,
    store.tokens,
    {
      clientSecret: config.oidcClientSecret?.reveal(),
      secret: () =>
        acceptedTexts(() => config.uploadSecret.reveal(), 'secret for sign-ins (SVC_UPLOAD_SECRET)')()[0],
      publicUrl: config.publicUrl,
    },
    log,
  );
  shutdown.add('tokens', () => access.close());
  await bus.serve(
    logRequests.append,
    {},
    async ({ stream, wall_ms: wall, lines }, { tokens: { computer } }) => {
      const now = systemClock.now();
      await store.logs.append(computer, stream, lines, (wall ?? now) - now);
      return {};
    },
    { queue: service, maxInFlight: batchesAtOnce },
  );
  await bus.serve(
    effectRequests.append,
    {},
    async ({ wall_ms: wall, effects }, { tokens: { computer } }) => {
      await store.effects.append(computer, wall - systemClock.now(), effects);
      return {};
    },
    { queue: service, maxInFlight: batchesAtOnce },
  );
  await serveDeviceFiles({
    ...{ bus, records: store.deviceFiles, files, clock: systemClock, queue: service },
    tickets: new FileTickets(storeOf(config)),
  });
  shutdown.add(
    'old lines',
    pruneLogs(store.logs, config.logs, { clock: systemClock, timers: systemTimers, log }),
  );
  shutdown.add(
    'files of deleted work',
    sweepFiles(store.fileSweeps, store.deviceFiles, files, { timers: systemTimers, log }),
  );
  shutdown.add(
    'deleted loose files',
    removeLooseFiles(store.deviceFiles, files, { timers: systemTimers, log }),
  );
  const { delete_loose_files_after_days: looseDays } = config.retention;
  if (looseDays !== undefined)
    shutdown.add(
      'old loose files',
      deleteOldLooseFiles(store.deviceFiles, looseDays, { timers: systemTimers, log }),
    );
  const events = openEventLog({
    url: config.databaseUrl.reveal(),
    onIdleError: (error) => log.warn('a database connection for events broke', { error }),
  });
  shutdown.add('events', () => events.close());

  await bus.subscribe(orchestratorEvents.leading, {}, ({ epoch }) => leaders.hear(epoch));

  const taken = new TakenDevices();
  await bus.subscribe(orchestratorEvents.devicesTaken, {}, ({ devices }) => taken.hear(devices));
  shutdown.add(
    'taken devices',
    bus.onStatus(() => taken.miss()),
  );

  const requests = new BusClient(bus);
  const stopReports = new StopReports();
  await bus.subscribe(stopReport, {}, (report, { tokens }) => stopReports.hear(tokens.computer, report));
  const roster = new DeviceRoster(requests);
  shutdown.add('roster', roster.keepFresh(systemTimers));

  const meter = new Meter();
  shutdown.add('event loop', measureProcess(meter));
  measureRefusals(meter, bus);
  const measurements = new Measurements(
    () => ({ service, instance, families: meter.read() }),
    steadyClock.now,
  );
  await bus.subscribe(serviceEvents.measured, {}, (measured, { tokens }) =>
    measurements.hear({ ...measured, service: tokens.service }),
  );

  const countAttempt = meter.counter(
    'svc_webhook_attempts_total',
    'Attempts to send an event to a webhook, by how they ended.',
  );

  const countRefusal = meter.counter(
    'svc_security_refusals_total',
    'Requests that were refused with 401, 403, 421 or 429, and addresses that webhooks may not reach, by kind.',
  );
  const refusals = new RefusalLog(store.refusals, countRefusal, log);
  shutdown.add('refusals', () => refusals.close());

  const { agentIssuer } = config;
  const isLocal = isLoopback(config.httpHost) && config.auth.type === 'off';
  const server = await startServer(
    {
      requests,
      announcements: announcementsOver(bus),
      broker: { trouble: () => brokerTrouble(bus, config.natsUrl.reveal(), brokerMs) },
      records,
      keys: store.keys,
      authentication: access.authentication,
      tokens: store.tokens,
      packages: store.packages,
      enrolments: store.enrolments,
      enrolment: {
        issuer: agentIssuer === undefined ? undefined : () => agentIssuer.reveal(),
        authorities: authoritiesFor(config),
        publicUrl: config.publicUrl,
        brokers: config.agentBrokers?.reveal(),
        codeKey: config.codeKey,
      },
      agentPackages: config.agentPackages,
      page: PageFiles.in({ issuer: access.signIn?.name, address: config.publicUrl }),
      signIn: access.signIn,
      pipelines: new PipelineIssuers(config.auth.pipelines, log),
      sessions: {
        lifeMs: config.auth.session_hours * 3_600_000,
        idleMs: config.auth.session_idle_minutes * 60_000,
      },
      audit,
      refusals,
      events,
      lines: store.logs,
      feeds: feedsFrom(config.limits, isLocal),
      webhooks: store.webhooks,
      deliveries: store.deliveries,
      deliverer: {
        log,
        keptDays: config.limits.events_kept_days,
        count: (outcome) => countAttempt({ outcome }),
      },
      outbound: new Outbound(config.webhooks),
      files,
      deviceFiles: store.deviceFiles,
      leaders,
      taken,
      stopReports,
      roster,
      measurements,
      openMetrics: config.metrics.open,
      heldDevicesNeedReason: config.deviceCalls.while_held === 'reason',
      readiness: {
        lookEveryMs,
        log,
        diskTrouble: () => lackOfRoom(join(config.dataDir, 'postgres')),
      },
      ...(config.secretsKey === undefined ? {} : { sealing: new Sealing(config.secretsKey) }),
    },
    {
      host: config.httpHost,
      port: config.httpPort,
      publicUrl: config.publicUrl,
      ...(https === undefined ? {} : { https }),
      brokers: brokerPlaces(config.natsUrl.reveal()),
      log,
      meter,
      failoverMs: config.limits.failover_wait_s * 1_000,
      origins: config.cors.origins,
      limits: limitsFrom(config.limits, isLocal),
      trustedProxies: config.http.trusted_proxies,
      allowedHosts: [...config.http.allowed_hosts, ...namesIn(config.agentBrokers?.reveal())],
    },
  );
  shutdown.add('http', () => server.close(), { deadlineMs: 10_000 });

  const health = (): ServiceHealth => ({
    service,
    instance,
    version,
    status: 'ok',
    uptime_s: (systemClock.now() - startedAt) / 1_000,
  });
  await bus.serve(serviceRequests.health, { service }, health);
  return { url: server.url };
});

/** The names in addresses with commas between them. Agents may reach the broker through this gateway under such a name. */
function namesIn(addresses = ''): string[] {
  return addresses
    .split(',')
    .filter((each) => each.trim() !== '')
    .map((each) => new URL(each.trim()).hostname);
}

import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  measuredEveryMs,
  orchestratorEvents,
  serviceEvents,
  serviceRequests,
  type ServiceHealth,
} from '@lab/contracts';
import { formatDiagnostics } from '@lab/definitions';
import { Leadership, OptimizerDirectory } from '@lab/leader-wiring';
import { connectBus, demandClosedBroker, type Bus } from '@lab/messaging';
import { FileTickets } from '@lab/object-store';
import { openStore } from '@lab/persistence';
import {
  brokerOf,
  measureProcess,
  measureRefusals,
  Meter,
  runService,
  steadyClock,
  systemClock,
  systemTimers,
  tellMeasurements,
  type Log,
} from '@lab/runtime';
import { ActCheck } from '@lab/trust/acts';
import { Authority } from '@lab/trust/authority';
import { CodeSigner } from '@lab/trust/code-manifest';
import { acceptedTexts } from '@lab/trust/key-ring';
import { config, type Config } from './config.js';
import { DeployedPackages, PackageCache, PackageIndex, packageRecords } from './definitions/index.js';
import { engineMeasures } from './engine-metrics.js';
import { beginTerm, type BegunTerm } from './term.js';
import { Revocations } from './revocations.js';
import { CommitWatch } from './upkeep/index.js';

const service = 'orchestrator';
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

await runService(service, config, async ({ config, log, shutdown }) => {
  const startedAt = steadyClock.now();
  const instance = randomUUID().slice(0, 8);
  const commits = new CommitWatch({ clock: steadyClock, wall: systemClock, timers: systemTimers, log });
  const { authorityKey, actPublicKey, uploadSecret } = config;
  const signer = authorityKey === undefined ? undefined : Authority.from(() => authorityKey.reveal());
  const codeSigner = signer === undefined ? undefined : CodeSigner.ofService(signer);
  const [index, store, bus] = await Promise.all([
    PackageIndex.read(config, codeSigner, log),
    openStore({
      url: config.databaseUrl.reveal(),
      onIdleError: (error) => log.warn('a database connection broke', { error }),
      onCommit: (error) => commits.noted(error),
    }),
    connected(config, log, instance),
  ]);
  shutdown.add('database', () => store.close());
  shutdown.add('bus', () => bus.close());
  const cache = new PackageCache(join(config.dataDir, 'code', 'packages'), (sha256) =>
    store.packages.pieces(sha256),
  );
  index.follow(new DeployedPackages(store.packages, cache));
  const secret = acceptedTexts(
    () => uploadSecret.reveal(),
    'secret for tickets of files (SVC_UPLOAD_SECRET)',
  );
  const tickets = new FileTickets({ publicUrl: config.publicUrl, secret });
  if (authorityKey === undefined && config.natsCredentials !== undefined)
    log.warn(
      'this orchestrator cannot sign code (SVC_AUTHORITY_KEY), so agents refuse code that is new to them',
    );
  const acts = new ActCheck(() => actPublicKey.reveal(), systemClock.now);
  const optimizers = await OptimizerDirectory.listen(bus, { clock: steadyClock, timers: systemTimers });
  shutdown.add('optimizers', () => optimizers.close());
  const { diagnostics, warnings } = index.catalog;
  if (diagnostics.length > 0) log.error(`mistakes in the packages:\n${formatDiagnostics(diagnostics)}`);
  if (warnings.length > 0)
    log.warn(`warnings about the packages:\n${formatDiagnostics(warnings, { severity: 'warning' })}`);

  let loaded = {};
  let present: { epoch: number; term: BegunTerm } | undefined;
  const meter = new Meter();
  shutdown.add('event loop', measureProcess(meter));
  measureRefusals(meter, bus);
  const measures = engineMeasures(
    meter,
    () => (leadership.leading ? present?.term.counts() : undefined),
    () => present?.epoch ?? 0,
  );
  const { brokerKeys } = config;
  const keysOfBroker = brokerKeys === undefined ? undefined : () => brokerKeys.reveal();
  const revocations = new Revocations(store, brokerOf(config), keysOfBroker, log);
  const leadership = new Leadership(
    { store, clock: steadyClock, timers: systemTimers, log: log.child({ part: 'leadership' }) },
    instance,
    async (lease) => {
      const term = await beginTerm(
        {
          ...{ config, instance, index, cache, store, commits, bus, optimizers },
          ...{ signer, acts, tickets, log, measures },
        },
        lease,
      );
      present = { epoch: lease.epoch, term };
      void revocations.restore();
      loaded = { epoch: lease.epoch, labs: term.labs, protocols: term.protocols };
      return term;
    },
  );
  const health = (): ServiceHealth => ({
    service,
    instance,
    version,
    ...standing(leadership),
    uptime_s: (steadyClock.now() - startedAt) / 1_000,
  });
  await bus.serve(serviceRequests.health, { service }, () => health());
  await bus.serve(
    serviceRequests.leaderHealth,
    {},
    () => ({
      ...health(),
      ...(present === undefined ? {} : { leads: leadershipOf(present, index, commits) }),
    }),
    { when: () => leadership.leading },
  );
  await bus.serve(
    serviceRequests.applyRevocations,
    {},
    async () => ({ revoked: await revocations.apply() }),
    { when: () => leadership.leading },
  );
  shutdown.add(
    'keys of the broker',
    revocations.follow(systemTimers, () => leadership.leading),
  );
  // A broker that was started again with its own file has forgotten whom it must refuse.
  bus.onStatus((status) => {
    if (status === 'connected' && leadership.leading) void revocations.restore();
  });
  await bus.subscribe(orchestratorEvents.leading, {}, (leader) => leadership.hear(leader.instance));

  shutdown.add(
    'measurements',
    tellMeasurements(meter, measuredEveryMs, (families) =>
      bus.publish(serviceEvents.measured, { service, name: instance }, { instance, families }),
    ),
  );

  const running = leadership.run();
  // Leadership stops before the parts that it uses: the engine finishes what is under way, and the next
  // leader takes over at once.
  shutdown.add('leadership', () => leadership.stop(), { deadlineMs: 10_000 });
  await Promise.race([leadership.settled, running]);
  // A takeover that cannot succeed ends this process, so that another one can take over.
  running.catch((error: unknown) => {
    throw error;
  });
  return leadership.leading ? loaded : { standby: true, leader: leadership.leader };
});

/** @throws ServiceError `forbidden` when the broker accepts everybody; and as {@link connectBus} */
async function connected(config: Config, log: Log, instance: string): Promise<Bus> {
  const broker = brokerOf(config);
  const bus = await connectBus({ ...broker, role: service, name: instance, log });
  await demandClosedBroker(broker);
  return bus;
}

function leadershipOf(
  { epoch, term }: { epoch: number; term: BegunTerm },
  index: PackageIndex,
  commits: CommitWatch,
): NonNullable<ServiceHealth['leads']> {
  const packages = packageRecords(index.catalog);
  const faulty = packages.filter(({ errors }) => errors.length > 0).length;
  return {
    epoch,
    computers: term.counts().computers,
    commits: commits.health,
    packages: { read: packages.length, faulty },
  };
}

function standing({ leading, leader }: Leadership): Pick<ServiceHealth, 'status' | 'detail'> {
  if (leading) return { status: 'ok' };
  if (leader !== undefined) return { status: 'ok', detail: `standby; ${leader} leads` };
  return { status: 'degraded', detail: 'standby; nobody leads' };
}

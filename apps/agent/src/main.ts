import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Agent, DiskLedger } from '@lab/actors';
import { wireAgent } from '@lab/agent-wiring';
import { encodeToken, logRequests, measuredEveryMs, serviceEvents } from '@lab/contracts';
import {
  CodeUser,
  Debuggers,
  demandDevelopment,
  forgetUnused,
  ModuleCache,
  NpmPackages,
  Python,
  PythonEnvironments,
} from '@lab/hosting';
import { connectBus, demandClosedBroker, type Bus } from '@lab/messaging';
import {
  acquireLock,
  brokerOf,
  LockedError,
  measureProcess,
  measureRefusals,
  Meter,
  runService,
  steadyClock,
  systemClock,
  systemIds,
  systemTimers,
  tellMeasurements,
} from '@lab/runtime';
import { acceptedIn, AuthorityCheck, authorityKeysIn } from '@lab/trust/authority';
import { codeKeyIn, codeKeyOf } from '@lab/trust/code-manifest';
import { relaying } from './author-log.js';
import { checkArguments } from './check-arguments.js';
import { config } from './config.js';
import { AgentCredentials, ServiceTrust, type HttpWay } from './joining/index.js';
import { DeviceFilesOverBus } from './device-files-over-bus.js';
import { DeviceProcessList } from './device-process-list.js';
import { ForkedDeviceProcesses, ForkedTaskProcesses } from './hosts.js';
import { shareWith } from './shared-folders.js';
import { InputCache } from './input-cache.js';
import { FolderFiles } from './instruments/index.js';
import { FolderLedgerDisk } from './ledger-disk.js';
import { LogRelay } from './log-relay.js';
import { ArchivedPackages } from './packed-packages.js';
import { SignedCode } from './signed-code.js';
import { Spool } from './spool.js';
import { UpdatesFromService } from './updates/index.js';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** Longest stop of the agent: 16 s for tasks and results, then 35 s for `_cleanup` of the devices, with a margin. */
const agentStopMs = 52_000;
const busStopMs = 5_000;
/** How long the stop waits until the last output of tasks and devices is stored. */
const linesStopMs = 1_000;
/** Less than the 60 s after which a supervisor kills an agent. */
const stopTimeoutMs = 58_000;

/** Size of the cache of input files. */
const inputCacheBytes = 2 * 1024 ** 3;

/** How long the start waits for the devices. Devices that take longer continue to initialise. */
const devicesMs = 10_000;

/** How long the broker may be away before the agent doubts its credentials, in milliseconds. */
const doubtAfterMs = 10_000;

const { values: flags } = parseArgs({
  options: { computer: { type: 'string' }, 'debug-host': { type: 'string', multiple: true } },
  strict: false,
});
/** Only a flag lets debuggers in: a variable of the environment may be set without anybody's knowledge. */
const debugged = [flags['debug-host'] ?? []].flat().filter((name) => typeof name === 'string');
const override = typeof flags.computer === 'string' ? { SVC_COMPUTER: flags.computer } : {};

let tellServing: () => void = () => undefined;
/** Resolves when the agent is registered with the orchestrator. */
export const serving = new Promise<void>((resolve) => (tellServing = resolve));

await runService(
  'agent',
  config,
  async ({ config, log: serviceLog, shutdown, fail }) => {
    const { computer } = config;
    const log = serviceLog.child({ computer });
    const folder = join(config.dataDir, 'agents', encodeToken(computer));
    const lock = lockOf(folder, computer);
    shutdown.add('lock', () => lock.release());
    const codeUser = config.codeUser === undefined ? undefined : CodeUser.find(config.codeUser);
    if (codeUser !== undefined) {
      shareWith(codeUser, config.dataDir, folder);
      log.info('the code of devices and tasks runs as another user', { user: codeUser.name });
    }

    const broker = brokerOf(config);
    demandDevelopment(debugged, {
      ...{ broker: broker.url, gateway: config.gatewayUrl, codeUser: config.codeUser },
      codeKey: config.codeKey,
    });
    const credentials =
      broker.credentials === undefined ? undefined : new AgentCredentials(broker.credentials());
    const { gatewayUrl, natsCredentials } = config;
    const trust =
      gatewayUrl === undefined || credentials === undefined
        ? undefined
        : new ServiceTrust({
            ...{ dataDir: config.dataDir, gateway: gatewayUrl, proxy: broker.proxy, log },
            credentials: () => credentials.text,
            configured: broker.authorities,
          });
    const trusted = (): string | undefined => (trust ?? broker).authorities;
    const way: HttpWay = {
      proxy: broker.proxy,
      get authorities() {
        return trusted();
      },
      onDistrust: () => void trust?.doubt(),
    };
    const access = {
      ...broker,
      authorities: trusted,
      pass: credentials === undefined ? undefined : () => credentials.pass(systemClock.now()),
    };
    const renewal = {
      ...{ dataDir: config.dataDir, version, timers: systemTimers, log, trust },
    };
    if (gatewayUrl !== undefined) await credentials?.renewEnded(gatewayUrl, way, renewal);
    // An agent renews what it got by joining. Other credentials are a file, which "svc keys" may replace.
    const present = (): string =>
      gatewayUrl === undefined ? (natsCredentials?.reveal() ?? '') : (credentials?.text ?? '');
    const connect = (): Promise<Bus> =>
      connectBus({
        ...{ ...access, role: 'agent', name: computer, log },
        credentials: credentials === undefined ? undefined : present,
      });
    const bus = await connect().catch(async (error: unknown) => {
      if (credentials === undefined || gatewayUrl === undefined) throw error;
      // The service may have replaced the key that signed the credentials while this computer was off.
      await credentials.renew(gatewayUrl, way, renewal).catch(() => {
        throw error;
      });
      return connect();
    });
    shutdown.add('bus', () => bus.close(), { deadlineMs: busStopMs });
    await demandClosedBroker(access);
    if (credentials !== undefined && gatewayUrl !== undefined) {
      shutdown.add('credentials', credentials.keepFresh(gatewayUrl, way, renewal));
      shutdown.add('doubt', doubtWhileAway(bus, credentials));
      void trust?.learn();
    }

    const stream = systemIds.next();
    const relay = new LogRelay({
      clock: systemClock,
      timers: systemTimers,
      send: async (lines) =>
        void (await bus.request(
          logRequests.append,
          { computer },
          { stream, wall_ms: systemClock.now(), lines: [...lines] },
        )),
      log,
    });
    shutdown.add('lines', () => relay.close(linesStopMs));
    const heard = relaying(log, relay);

    const processes = new DeviceProcessList(join(folder, 'device-processes.json'), log);
    // Before the registration: a new incarnation implies that the processes of the old one have ended.
    await processes.endLeftovers();
    const python = new Python(config.python, codeUser);
    const environments = new PythonEnvironments(join(folder, 'environments'), python, log, {
      user: codeUser,
    });
    await environments.removeUnused(systemClock.now());
    const debuggers = new Debuggers(debugged, config.userDir, environments, log);
    const packages = new NpmPackages(join(folder, 'packages'), log, { user: codeUser });
    await packages.removeLeftovers();

    const believed = (): readonly string[] =>
      trust?.keys ?? acceptedIn(authorityKeysIn(present()), systemClock.now());
    const doubt = async (): Promise<void> => trust?.doubt();
    // Also when all of them have ended: then it believes nothing.
    const knowsService = authorityKeysIn(present()).length > 0;
    const code = new SignedCode(
      join(folder, 'code-manifests'),
      {
        service: knowsService ? () => believed().map(codeKeyOf) : undefined,
        isPromised: () => codeKeyIn(present()) !== undefined,
        lab: config.codeKey,
        doubt,
      },
      log,
    );

    const modules = new ModuleCache(
      join(folder, 'modules'),
      packages,
      bus,
      log,
      code,
      codeUser,
      new ArchivedPackages(code, log),
    );

    const disk = new FolderLedgerDisk(folder, computer);
    shutdown.add('disk', await disk.watch(systemTimers, log));
    const ledger = new DiskLedger(disk, { log, timers: systemTimers });

    const meter = new Meter();
    shutdown.add('event loop', measureProcess(meter));
    measureRefusals(meter, bus);
    const instance = `${computer}/${process.pid}`;
    shutdown.add(
      'measurements',
      tellMeasurements(meter, measuredEveryMs, (families) =>
        bus.publish(serviceEvents.measured, { service: 'agent', name: computer }, { instance, families }),
      ),
    );

    const { service, orchestrator, peers, effects } = wireAgent({
      bus,
      log,
      computer,
      version,
      clock: steadyClock,
      wall: systemClock,
      timers: systemTimers,
      authority: knowsService ? { check: new AuthorityCheck(believed), doubt } : undefined,
    });
    await forgetUnused(join(folder, 'modules'), systemClock.now());
    const instrumentFiles = new FolderFiles(
      {
        ...{ clock: steadyClock, wall: systemClock, timers: systemTimers, log: heard },
        service: new DeviceFilesOverBus(bus, computer, systemClock, way),
      },
      {
        folder: join(folder, 'instruments'),
        roots: config.instrumentFolders,
        distrusts: codeUser !== undefined,
      },
    );
    await instrumentFiles.start();
    shutdown.add('files of instruments', () => instrumentFiles.stop());
    const agent = new Agent(
      { computer, version },
      {
        clock: steadyClock,
        wall: systemClock,
        timers: systemTimers,
        ids: systemIds,
        random: { next: () => Math.random() },
        log: heard,
        ledger,
        modules: {
          async path(module, host) {
            if (module.runtime === 'python') await python.demand(module);
            const path = await modules.path(module);
            await environments.provide(module, modules.archivePieces(module));
            if (host !== undefined) await debuggers.prepare(host, module);
            return path;
          },
          isDebugged: (taskType) => debuggers.wants(taskType),
        },
        checkArguments,
        deviceProcesses: new ForkedDeviceProcesses(
          processes,
          join(folder, 'devices'),
          environments,
          heard,
          codeUser,
          debuggers,
        ),
        taskProcesses: new ForkedTaskProcesses(environments, heard, codeUser, debuggers),
        orchestrator,
        peers,
        files: new Spool(
          join(folder, 'spool'),
          new InputCache(join(folder, 'inputs'), inputCacheBytes, way),
          way,
          codeUser,
        ),
        instrumentFiles,
        announcer: service,
        effects,
        updates: new UpdatesFromService({
          ...{ data: config.dataDir, version, mode: config.updates, gateway: config.gatewayUrl, way },
          credentials: () => credentials?.text,
          stop: () => void process.emit('SIGTERM'),
          ...{ timers: systemTimers, log },
        }),
      },
      {
        poolSize: config.taskPoolSize,
        poolMax: config.taskPoolMax,
        deviceCallMs: config.deviceCallTimeoutS * 1_000,
        deviceInitMs: config.deviceInitTimeoutS * 1_000,
      },
    );
    meter.gauge('svc_agent_degraded', 'Whether the agent cannot do all its work; its log says why.', () => [
      { value: agent.trouble === undefined ? 0 : 1 },
    ]);
    meter.gauge(
      'svc_agent_undelivered_calls',
      'Recorded calls of devices that are not stored centrally yet.',
      () => [{ value: agent.undelivered }],
    );
    await service.start(agent);
    shutdown.add(
      'agent',
      () =>
        service.leave(() =>
          Promise.all([agent.stop('the agent is stopping'), packages.close(), environments.close()]),
        ),
      { deadlineMs: agentStopMs },
    );
    void agent.refused.then(fail);
    void agent.registered.then(tellServing);
    await agent.start();
    const ready = await agent.ready(devicesMs);
    if (!ready && !shutdown.signal.aborted) {
      log.warn('serving before all devices are ready', {
        registered: agent.inc !== undefined,
        devices: agent.devices().map(({ lab, name, state }) => `${lab}.${name} ${state}`),
      });
    }
    return { computer };
  },
  { stopTimeoutMs, sources: { override } },
);

/** @returns ends it */
function doubtWhileAway(bus: Bus, credentials: AgentCredentials): () => void {
  let cancel = (): void => undefined;
  const stop = bus.onStatus((status) => {
    cancel();
    if (status === 'connected') credentials.trust();
    else cancel = systemTimers.after(doubtAfterMs, () => credentials.doubt());
  });
  return () => {
    stop();
    cancel();
  };
}

function lockOf(folder: string, computer: string): { release(): void } {
  try {
    return acquireLock(join(folder, 'lock'));
  } catch (error) {
    if (!(error instanceof LockedError)) throw error;
    throw new Error(
      `an agent for ${computer} runs already as process ${error.holder.pid} on ${folder}; one agent per computer`,
      { cause: error },
    );
  }
}

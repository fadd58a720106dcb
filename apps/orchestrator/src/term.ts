import { isServiceError } from '@lab/contracts';
import { NestFactory } from '@nestjs/core';
import type { Counts, Measures } from '@lab/engine';
import {
  announceLeadership,
  engineUnder,
  type Lease,
  type OptimizerDirectory,
  type Term,
} from '@lab/leader-wiring';
import type { Bus } from '@lab/messaging';
import { BusModule, BusServer, nestLogger } from '@lab/messaging/nest';
import type { FileTickets } from '@lab/object-store';
import type { PostgresStore } from '@lab/persistence';
import type { ActCheck } from '@lab/trust/acts';
import type { Authority } from '@lab/trust/authority';
import { Shutdown, systemClock, systemIds, systemTimers, type Log } from '@lab/runtime';
import type { Config } from './config.js';
import {
  Deployments,
  firstLoad,
  LabLoading,
  LabStarts,
  Loading,
  type PackageCache,
  ProtocolLoading,
  type LoadingParts,
  type PackageIndex,
  VersionDeletion,
} from './definitions/index.js';
import { LoadedDefinitions, readLoadedRecord } from './loaded/index.js';
import { quotasOf } from './quotas.js';
import { orchestratorHandlers } from './requests/index.js';
import { DryRuns, Simulations } from './simulation/index.js';
import { schedulerOf } from './solver/index.js';
import {
  archiveOld,
  type CommitWatch,
  countUsage,
  deleteOld,
  deleteOldVersions,
  pruneEvents,
  sweepDeletions,
  watchBackup,
} from './upkeep/index.js';

export interface TermParts {
  config: Config;
  instance: string;
  index: PackageIndex;
  /** Uploaded packages on this computer. */
  cache: PackageCache;
  store: PostgresStore;
  commits: CommitWatch;
  bus: Bus;
  optimizers: OptimizerDirectory;
  signer: Authority | undefined;
  acts: ActCheck;
  tickets: FileTickets;
  log: Log;
  measures: Measures;
}

/** A term that has begun, with the definitions that it loaded. */
export interface BegunTerm extends Term {
  labs: string[];
  protocols: string[];
  /** Numbers of everything at this moment. */
  counts(): Counts;
}

/**
 * Takes over: loads what the leader before had loaded, with the packages as they are on disk now, takes up the
 * unfinished work, and serves requests from then on. Every part is made anew, because the knowledge of an earlier
 * term may be out of date.
 *
 * @throws ServiceError `store_unavailable`; Error in one sentence when the packages cannot be loaded as configured
 */
export async function beginTerm(parts: TermParts, lease: Lease): Promise<BegunTerm> {
  const {
    config,
    instance,
    index,
    cache,
    store,
    commits,
    bus,
    optimizers,
    signer,
    acts,
    tickets,
    log,
    measures,
  } = parts;
  const time = { clock: systemClock, timers: systemTimers };
  const shutdown = new Shutdown(log);
  const end = async (reason: string): Promise<void> => void (await shutdown.run(reason));
  try {
    const [remembered] = await Promise.all([store.loaded(), index.refresh()]);
    const configured = { labs: config.labs ?? null, protocols: config.protocols ?? null };
    const definitions = new LoadedDefinitions(
      firstLoad(index.catalog, configured, readLoadedRecord(remembered), config.userDir, (message, fields) =>
        log.error(message, fields),
      ),
    );
    const scheduler = schedulerOf(config.scheduler, log.child({ part: 'scheduler' }));
    shutdown.add('scheduler', () => scheduler.stop());
    const { max_queued: maxQueued, max_queued_per_owner: maxQueuedPerOwner } = config.limits;
    const { long_task_factor: times, long_task_after_s: withoutHistory } = config.limits;
    const longTasks = { times, withoutHistoryMs: withoutHistory * 1_000 };
    const engine = engineUnder(lease, {
      bus,
      optimizers,
      signer,
      ports: {
        ...time,
        ids: systemIds,
        store,
        definitions,
        computersOnDisk: (wanted) => index.computers(wanted),
        policy: scheduler.policy,
        log: log.child({ part: 'engine' }),
        measures,
      },
      limits: {
        ...{ maxQueued, maxQueuedPerOwner, longTasks },
        quotas: quotasOf(config.quotas),
        undoMs: config.retention.undo_hours * 3_600_000,
      },
    });
    shutdown.add('engine', () => engine.stop());
    const noteCode: LoadingParts['noteCode'] = (origins) => store.noteCode(lease.epoch, origins);
    await noteCode(index.codeOrigins());
    await engine.start(instance, lease.epoch);

    const loading = new Loading({
      engine,
      definitions,
      index,
      noteCode,
      remember: (record) => store.noteLoaded(lease.epoch, record),
      configured,
      timers: systemTimers,
      log: log.child({ part: 'loading' }),
    });
    const starts = new LabStarts(loading, time);
    const labs = new LabLoading(loading, starts, systemTimers);
    const deploying = { loading, starts, cache, versions: store.packages, epoch: lease.epoch };
    const deployments = new Deployments({ ...deploying, ...time });
    const versions = new VersionDeletion(deploying);
    await deployments.resume();
    const protocols = new ProtocolLoading(loading);
    labs.resume();
    const { clock } = time;
    const simulations = new Simulations({ engine, store, definitions, scheduler: config.scheduler, clock });
    shutdown.add('simulations', () => simulations.stop());
    const dryRuns = new DryRuns({ engine, simulations, scheduler: config.scheduler.type, clock });
    const loaded = { index, definitions, labs, protocols, deployments, versions };
    const handlers = orchestratorHandlers({ engine, ...loaded, tickets, simulations, dryRuns });
    const app = await NestFactory.createMicroservice(BusModule, {
      // A leader that was suspended and wakes up must not answer what its successor answers, too.
      strategy: new BusServer(bus, handlers, {
        when: () => lease.held,
        admit: (definition, envelope) => {
          if (definition.act !== true) return;
          try {
            acts.demand(envelope, lease.epoch);
          } catch (error) {
            if (isServiceError(error) && error.code === 'forbidden') engine.refusals.actRefused(envelope.src);
            throw error;
          }
        },
      }),
      logger: nestLogger(log),
      abortOnError: false,
    });
    shutdown.add('messages', () => app.close());
    await app.listen();
    // Stops before the messages, so that a caller who waits for devices gets an answer.
    shutdown.add('loading', () => {
      labs.stop();
      deployments.stop();
    });
    shutdown.add(
      'commit watch',
      commits.start(() => store.proveWritable(lease.epoch)),
    );
    const pruning = { store, ...time, log: log.child({ part: 'pruning' }) };
    shutdown.add('pruning', pruneEvents(pruning, config.limits.events_kept_days));
    const cleaning = { versions, timers: systemTimers, log: log.child({ part: 'package versions' }) };
    shutdown.add(
      'old versions of packages',
      deleteOldVersions(cleaning, config.retention.keep_package_versions),
    );
    const { archive_after_days: archiveAfter, delete_after_days: deleteAfter } = config.retention;
    const { delete_files_after_days: filesAfter } = config.retention;
    const archiving = { changes: engine.changes, ...time, log: log.child({ part: 'archiving' }) };
    if (archiveAfter !== undefined) shutdown.add('archiving', archiveOld(archiving, archiveAfter));
    if (config.backup !== undefined)
      shutdown.add(
        'backup watch',
        watchBackup({ engine, store, ...time, log: log.child({ part: 'backup' }) }),
      );
    shutdown.add('usage', countUsage({ engine, ...time, log: log.child({ part: 'usage' }) }));
    const { deletions } = engine;
    const deleting = { deletions, store, ...time, log: log.child({ part: 'deleting' }) };
    shutdown.add('deleting', sweepDeletions(deleting));
    if (deleteAfter !== undefined)
      shutdown.add('deleting what is old', deleteOld(deleting, 'everything', deleteAfter));
    if (filesAfter !== undefined)
      shutdown.add('deleting files that are old', deleteOld(deleting, 'files', filesAfter));
    const serviceKey = (): string | undefined => {
      try {
        return signer?.publicKey;
      } catch {
        // The file with the key is damaged at present. Who signs reports it.
        return undefined;
      }
    };
    shutdown.add('announcement', announceLeadership(bus, lease, engine, systemTimers, instance, serviceKey));
    return {
      end,
      labs: definitions.labNames(),
      protocols: definitions.protocolTypes(),
      counts: () => engine.views.counts(),
    };
  } catch (error) {
    await end('the takeover failed');
    throw error;
  }
}

import { ServiceError } from '@lab/contracts';
import { Backoff } from '@lab/ports';
import {
  AgentDirectory,
  AgentReports,
  AttemptCommands,
  DeviceAssigner,
  type MissingCode,
  StatusEvents,
  type WantedCode,
} from './agents/index.js';
import { Deletions, LegalHolds } from './deletions/index.js';
import { Dispatcher, labScheduleFor, Workload } from './dispatch/index.js';
import { type EngineOptions, type EnginePorts, defaultOptions } from './engine-options.js';
import { LabMap } from './labs/index.js';
import {
  Attention,
  type BackupState,
  BackupWatch,
  DeploymentWatch,
  type FailedDeployment,
  CampaignRequests,
  ChangeRequests,
  LongTasks,
  DrainRequests,
  DeviceRestarts,
  Refusals,
  ResourceRequests,
  Submissions,
  WorkRequests,
} from './people/index.js';
import { Rollouts } from './rollouts/index.js';
import { type CampaignRow, type WorkingRows, workingRowsOf } from './rows/index.js';
import {
  EmergencyStops,
  Outages,
  QueuePause,
  Reservations,
  endOutagesInTime,
  endReservationsInTime,
  nextOutageEnd,
  nextReservationEnd,
} from './stops/index.js';
import { Drain, type SubmitPorts } from './submission/index.js';
import { type Person, type Turn, TurnLoop, WorkingState } from './turn/index.js';
import { type UnfinishedWork, Views } from './views/index.js';
import {
  CampaignOptimizers,
  Durations,
  nextTimeout,
  rememberedDurations,
  settleWork,
  stopOverdue,
} from './work/index.js';

/**
 * Decides everything that happens in the laboratories. Every promise of its parts resolves after the commit of the
 * request, and events follow it. A promise rejects with a ServiceError; if its `effect` is `none`, nothing was done.
 */
export class Engine {
  readonly submissions: Submissions;
  readonly work: WorkRequests;
  readonly changes: ChangeRequests;
  readonly deletions: Deletions;
  readonly legalHolds: LegalHolds;
  /** Settings, insights and state of the optimizers of campaigns. */
  readonly optimizers: Pick<CampaignRequests, 'configure' | 'addInsight' | 'read' | 'defaults'>;
  readonly resources: Pick<ResourceRequests, 'reset' | 'set'>;
  readonly deviceRestarts: DeviceRestarts;
  readonly attention: Pick<Attention, 'claim' | 'decide' | 'release'>;
  readonly emergencyStops: EmergencyStops;
  readonly outages: Outages;
  readonly reservations: Reservations;
  readonly queuePause: QueuePause;
  readonly drains: DrainRequests;
  readonly agents: AgentReports;
  /** Updates of the agents of many computers. */
  readonly rollouts: Rollouts;
  /** What the broker and the leader refuse to other processes. */
  readonly refusals: Refusals;
  readonly views: Views;

  readonly #state = new WorkingState();
  readonly #loop: TurnLoop;
  readonly #directory: AgentDirectory;
  /** When a task whose start was refused may be started again, by task run. */
  readonly #refusals = new Backoff();
  readonly #durations = new Durations();
  readonly #backup = new BackupWatch();
  readonly #deployments = new DeploymentWatch();
  readonly #submitPorts: SubmitPorts;
  readonly #commands: AttemptCommands;
  readonly #assigner: DeviceAssigner;
  readonly #dispatcher: Dispatcher;
  readonly #optimizers: CampaignOptimizers;
  readonly #attention: Attention;
  readonly #statusEvents: StatusEvents;
  #labs: LabMap;
  #epoch = 0;

  constructor(
    private readonly ports: EnginePorts,
    overrides: Partial<EngineOptions> = {},
  ) {
    const options = { ...defaultOptions, ...overrides };
    const { agents, clock, definitions, ids, log, optimizers, policy, store, timers } = ports;
    this.#labs = new LabMap(definitions);
    this.refusals = new Refusals(clock);
    const [state, durations, refusals] = [this.#state, this.#durations, this.#refusals];
    const labs = (): LabMap => this.#labs;
    const epoch = (): number => this.#epoch;
    const person = (by: string): Person => ({ by, ids });
    const loop = new TurnLoop(ports, state, {
      settle: (turn) => this.#settle(turn),
      loaded: () => {
        this.#dispatcher.forget();
        this.#optimizers.reloaded();
      },
      committed: () => this.#prune(),
      nextWake: (now) => this.#nextWake(now),
      deposed: () => options.onDeposed?.(),
    });
    const enqueue = (name: string, act: (turn: Turn) => void): void => loop.enqueue(name, act);
    const directory = new AgentDirectory(options.suspectAfterMs, options.offlineAfterMs);
    const drain = new Drain();
    const { maxQueued, maxQueuedPerOwner, lostAfterMs, quotas } = options;
    const submit = { ids, definitions, labs, maxQueued, maxQueuedPerOwner, quotas, drain };
    const stops = { ids, labs };
    const commands = new AttemptCommands({ agents, directory, log }, refusals, loop);
    const assigner = new DeviceAssigner({ agents, directory, log }, enqueue);
    const workload = new Workload({ directory, durations, refusals, labs });
    this.#loop = loop;
    this.#directory = directory;
    this.#submitPorts = submit;
    this.#commands = commands;
    this.#assigner = assigner;
    this.#statusEvents = new StatusEvents({ directory, definitions, labs });
    this.#dispatcher = new Dispatcher(
      {
        ...{ ids, policy, log, directory, labs, workload, epoch, enqueue },
        enqueuePatiently: (name, act) => loop.enqueuePatiently(name, act),
        settleWork: (turn) => settleWork(turn, submit),
        send: (to, start) => {
          drain.started(clock.now());
          commands.start(to, start);
        },
      },
      refusals,
    );
    const longTasks = new LongTasks(durations, options.longTasks);
    const watched = {
      longTasks,
      refusals: this.refusals,
      backup: this.#backup,
      deployments: this.#deployments,
    };
    this.#attention = new Attention({
      ...{ loop, ids, agents, directory, labs, epoch, lostAfterMs, quotas, ...watched },
    });
    const scheduleFor = (campaign: CampaignRow) =>
      labScheduleFor({ workload, state, now: clock.now() }, campaign);
    this.#optimizers = new CampaignOptimizers({ optimizers, state, log, scheduleFor }, enqueue);

    const requests = { loop, submit, person };
    const campaigns = new CampaignRequests({ ...requests, optimizers, sessions: this.#optimizers, timers });
    this.submissions = new Submissions({ ...requests, campaigns });
    this.work = new WorkRequests({ ...requests, campaigns });
    this.changes = new ChangeRequests(loop, store, person, campaigns);
    this.deletions = new Deletions(loop, store, state, person, options.undoMs);
    this.legalHolds = new LegalHolds(loop, store, state, person);
    this.optimizers = campaigns;
    this.resources = new ResourceRequests(loop, person, labs);
    this.deviceRestarts = new DeviceRestarts({ loop, agents, directory, labs, epoch, person });
    this.attention = this.#attention;
    this.emergencyStops = new EmergencyStops(loop, state, stops);
    this.outages = new Outages(loop, person, labs);
    this.reservations = new Reservations(loop, person, labs);
    this.queuePause = new QueuePause(loop, person);
    this.drains = new DrainRequests(loop, person);
    this.agents = new AgentReports({
      ...{ loop, state, agents },
      directory,
      commands,
      assigner,
      durations,
      stops,
      labs,
      epoch,
      computersOnDisk: ports.computersOnDisk,
      log,
    });
    this.rollouts = new Rollouts({ loop, state, agents, directory, labs, epoch, clock, ids, log });
    this.views = new Views(() => ({
      ...{ state, directory, workload, refusals, policy, quotas },
      labs: this.#labs,
      timetable: this.#dispatcher.timetable,
      now: clock.now(),
    }));
  }

  /** The epoch of the leadership under which this engine decides; 0 before {@link start}. */
  get epoch(): number {
    return this.#epoch;
  }

  /** Somebody says how far the backup of the service is. People are warned of one that is far behind. */
  backupIs(state: BackupState): void {
    this.#loop.enqueuePatiently('report of the backup', (turn) => this.#backup.report(state, turn.now));
  }

  /** A version of a package did not become active. People are told, because nobody may wait for the answer any more. */
  deploymentFailed(failure: FailedDeployment): void {
    this.#loop.enqueuePatiently('failed deployment', () => this.#deployments.fail(failure));
  }

  /** A version of a package has become active, which settles earlier failures. */
  deploymentSucceeded(name: string): void {
    this.#loop.enqueuePatiently('deployment', () => this.#deployments.settle(name));
  }

  /** Reads what owners and laboratories use from the store, where deletions have made room. */
  recountUsage(): void {
    this.#loop.enqueueRead(
      'count of what is stored',
      () => this.ports.store.usage(),
      (turn, usage) => turn.state.recount(usage),
    );
  }

  /**
   * Becomes the leader and takes over the unfinished work. Nothing is sent again: attempts that were being sent are
   * settled when their agent registers.
   *
   * @param instance name of this process, for people
   * @param epoch of a leadership that the caller has taken; by default the engine takes one here, without a lease
   * @throws ServiceError `store_unavailable`; `service_unavailable` when another orchestrator has the lease
   */
  async start(instance: string, epoch?: number): Promise<void> {
    const { clock, log, policy, store } = this.ports;
    const taken = epoch ?? (await store.lead(instance, 0));
    if (taken === null) throw new ServiceError('service_unavailable', 'another orchestrator leads');
    this.#epoch = taken;
    for (const each of [this.#commands, this.#assigner]) each.lead(taken);
    const parts = [this.#attention, this.#statusEvents, this.#directory, this.refusals, this.rollouts];
    for (const each of parts) each.begin(clock.now());
    this.#durations.load(await store.durations(rememberedDurations));
    await this.#loop.start(taken);
    policy.begin?.(() => this.#dispatcher.planAgain());
    this.#optimizers.begin();
    await this.#loop.submit('taking over', (turn) => this.#putResources(turn));
    log.info('leading', { epoch: taken, instance });
  }

  /** A copy of all unfinished rows, for simulations. @throws ServiceError `store_unavailable`, `service_unavailable` */
  workingRows(): Promise<WorkingRows> {
    return this.#loop.submit('copy of the unfinished rows', (turn) =>
      structuredClone(workingRowsOf(turn.state.rows)),
    );
  }

  /**
   * Laboratories were loaded, changed or unloaded. New resources begin with the metadata of their definition, known
   * resources keep theirs. The engine informs the connected agents which devices to run.
   *
   * @param change makes the change, or throws a ServiceError to refuse it because of unfinished work; the engine decides
   *   nothing between the two. The engine may call it again after a failed commit; it must then do the same.
   * @param undo takes the change back when it could not be committed
   * @throws ServiceError what `change` throws; `store_unavailable`
   */
  async definitionsChanged(
    change: (work: () => UnfinishedWork[]) => void = () => undefined,
    undo: () => void = () => undefined,
  ): Promise<void> {
    let changed = false;
    const reload = (): void => {
      this.#labs = new LabMap(this.ports.definitions);
      this.#dispatcher.forget();
      this.#assigner.changed();
    };
    try {
      await this.#loop.submit('change of definitions', (turn) => {
        change(() => this.views.unfinishedWork());
        changed = true;
        reload();
        turn.state.dispatchDue = true;
        this.#putResources(turn);
      });
    } catch (error) {
      if (changed) {
        undo();
        reload();
      }
      throw error;
    }
  }

  /** Lets connected agents fetch and install code that a change of laboratories will need. See {@link DeviceAssigner.provide}. */
  provideCode(wanted: readonly WantedCode[]): Promise<MissingCode[]> {
    return this.#assigner.provide(this.#labs, wanted);
  }

  /** Accepts no more commands. Resolves when the current turn and the searches of the policy are over. Running tasks go on. */
  async stop(): Promise<void> {
    this.#optimizers.stop();
    await Promise.all([this.#loop.stop(), this.ports.policy.stop?.()]);
  }

  /** Decides everything that follows from the state, in this order, at the end of each turn. */
  #settle(turn: Turn): void {
    for (const { computer, state } of this.#directory.age(turn.now))
      this.ports.log.warn('agent not heard', { computer, state });
    stopOverdue(turn);
    endOutagesInTime(turn, this.ports.ids);
    endReservationsInTime(turn, this.ports.ids);
    settleWork(turn, this.#submitPorts);
    // Before tasks start: a computer whose turn has come gets no further task.
    this.rollouts.settle(turn);
    this.#dispatcher.settle(turn);
    this.#attention.settle(turn);
    this.#commands.pursue(turn);
    this.#assigner.pursue(turn, this.#labs);
    this.#optimizers.pursue(turn);
    this.#statusEvents.settle(turn);
  }

  #putResources(turn: Turn): void {
    for (const row of this.#labs.resources.values())
      if (!turn.state.rows.resources.has(row.name)) turn.emit({ op: 'putResource', row });
  }

  #prune(): void {
    this.#commands.prune((id) => this.#state.rows.attempts.has(id));
    this.#refusals.prune((id) => this.#state.rows.taskRuns.has(id));
  }

  #nextWake(since: number): number | undefined {
    const times = [
      this.#directory.nextAgeing(),
      this.#dispatcher.nextWake(this.#state, since),
      nextTimeout(this.#state),
      nextOutageEnd(this.#state),
      nextReservationEnd(this.#state),
      this.rollouts.next(since),
      this.#attention.next(this.#state, since),
      this.#refusals.next(since),
      this.#commands.nextRetry(since),
      this.#assigner.nextRetry(since),
      this.#optimizers.nextRetry(since),
      this.#statusEvents.next(),
    ].filter((at) => at !== undefined);
    return times.length === 0 ? undefined : Math.min(...times);
  }
}

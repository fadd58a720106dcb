import {
  ServiceError,
  type AttemptResult,
  type AttentionDecision,
  type CampaignSubmission,
  type DeviceStatus,
  type Halt,
  type JsonObject,
  type ProtocolRunSubmission,
  type QueueQuery,
  type QueueRecord,
  type ScheduleQuery,
  type ScheduleRecord,
  type Submission,
  type TaskSubmission,
} from '@lab/contracts';
import { Backoff } from '@lab/ports';
import {
  AgentDirectory,
  AgentNews,
  type AgentRegistration,
  type AgentWelcome,
  AttemptTalk,
  DeviceAssigner,
  type Heartbeat,
  StandingEvents,
  recordResult,
} from './agents/index.js';
import { Dispatcher, Workload } from './dispatch/index.js';
import { type EngineOptions, type EnginePorts, defaultOptions } from './engine-options.js';
import { LabMap } from './labs/index.js';
import {
  Attention,
  CampaignRequests,
  ChangeRequests,
  ResourceRequests,
  Submissions,
  cancelCampaign,
  cancelProtocolRun,
  cancelTask,
  pauseCampaign,
  pauseProtocolRun,
  resumeProtocolRun,
} from './people/index.js';
import { type AttemptRow, type TaskRunRow, type WorkingRows, workingRowsOf } from './rows/index.js';
import {
  type StopPorts,
  adoptStops,
  engageStop,
  pauseQueue,
  releaseStop,
  resumeQueue,
  stopsToTell,
} from './stops/index.js';
import { type Accepted, Drain, type SubmitPorts } from './submission/index.js';
import { type Person, type Turn, TurnLoop, WorkingState } from './turn/index.js';
import {
  type Census,
  Present,
  type QueuePart,
  type SurveyPorts,
  type UnfinishedWork,
  attemptOf,
  describeEstimates,
  describeQueue,
  describeSchedule,
  takeCensus,
  unfinishedWork,
} from './views/index.js';
import {
  CampaignOptimizers,
  Durations,
  nextTimeout,
  rememberedDurations,
  settleCampaign,
  settleRun,
  stopOverdue,
} from './work/index.js';

/**
 * Decides about everything that happens in the laboratories: what is accepted, who gets which device, what starts
 * where, and what becomes of it. Nothing is told to anyone before it is committed.
 *
 * Every promise resolves after the commit of what it asked for and rejects with a ServiceError; when its `effect` is
 * `none` nothing was done.
 */
export class Engine {
  readonly #ports: EnginePorts;
  readonly #options: EngineOptions;
  readonly #state = new WorkingState();
  readonly #directory: AgentDirectory;
  readonly #refusals = new Backoff();
  readonly #talk: AttemptTalk;
  readonly #assigner: DeviceAssigner;
  readonly #news: AgentNews;
  readonly #dispatcher: Dispatcher;
  readonly #durations = new Durations();
  readonly #workload: Workload;
  readonly #attention: Attention;
  readonly #stopPorts: StopPorts;
  readonly #loop: TurnLoop;
  readonly #submitPorts: SubmitPorts;
  readonly #optimizers: CampaignOptimizers;
  readonly #campaigns: CampaignRequests;
  readonly #changes: ChangeRequests;
  readonly #submissions: Submissions;
  readonly #resources: ResourceRequests;
  readonly #drain = new Drain();
  readonly #standing: StandingEvents;
  #labs: LabMap;
  #epoch = 0;
  /** The policy has said that it has something better, and has not been asked since. */
  #asked = false;
  /** What was last seen of {@link AgentDirectory.changes}. */
  #seenChanges = 0;

  constructor(ports: EnginePorts, options: Partial<EngineOptions> = {}) {
    this.#ports = ports;
    this.#options = { ...defaultOptions, ...options };
    const { ids, policy, log, agents, definitions, optimizers } = ports;
    this.#labs = new LabMap(definitions);
    this.#directory = new AgentDirectory(this.#options.suspectAfterMs, this.#options.offlineAfterMs);
    const directory = this.#directory;
    this.#loop = new TurnLoop(ports, this.#state, {
      settle: (turn) => this.#settle(turn),
      loaded: () => {
        this.#dispatcher.forget();
        this.#optimizers.reloaded();
      },
      committed: () => this.#forget(),
      nextWake: (now) => this.#nextWake(now),
      deposed: () => this.#options.onDeposed?.(),
    });
    const enqueue = (name: string, act: (turn: Turn) => void): void => this.#loop.enqueue(name, act);
    this.#talk = new AttemptTalk({ agents, directory, log }, this.#refusals, enqueue);
    this.#assigner = new DeviceAssigner({ agents, directory, log }, enqueue);
    const labs = (): LabMap => this.#labs;
    const epoch = (): number => this.#epoch;
    this.#stopPorts = { ids, labs };
    this.#standing = new StandingEvents({ directory, definitions, labs });
    this.#news = new AgentNews(
      { directory, log, talk: this.#talk, assigner: this.#assigner, stops: this.#stopPorts, labs, epoch },
      enqueue,
    );
    this.#workload = new Workload({ directory, durations: this.#durations, refusals: this.#refusals, labs });
    this.#dispatcher = new Dispatcher(
      {
        ids,
        policy,
        log,
        directory,
        labs,
        workload: this.#workload,
        epoch,
        send: (to, start) => {
          this.#drain.started(this.#ports.clock.now());
          this.#talk.start(to, start);
        },
      },
      this.#refusals,
    );
    this.#attention = new Attention({
      ids,
      agents,
      directory,
      labs,
      epoch,
      lostAfterMs: this.#options.lostAfterMs,
    });
    this.#submitPorts = {
      ids,
      definitions,
      labs,
      maxQueued: this.#options.maxQueued,
      maxQueuedPerOwner: this.#options.maxQueuedPerOwner,
      drain: this.#drain,
    };
    this.#optimizers = new CampaignOptimizers({ optimizers, state: this.#state, log }, enqueue);
    const person = (by: string): Person => this.#person(by);
    const asked = { loop: this.#loop, submit: this.#submitPorts, person };
    this.#resources = new ResourceRequests(this.#loop, person, labs);
    this.#campaigns = new CampaignRequests({
      ...asked,
      optimizers,
      talk: this.#optimizers,
      timers: ports.timers,
    });
    this.#changes = new ChangeRequests(this.#loop, ports.store, person, this.#campaigns);
    this.#submissions = new Submissions({ ...asked, campaigns: this.#campaigns });
  }

  /** The leadership under which this engine decides; 0 before {@link start}. */
  get epoch(): number {
    return this.#epoch;
  }

  /**
   * Becomes the leader and takes over what is going on. Nothing is sent again: attempts that are on their way are
   * settled when their agent registers.
   *
   * @param instance name of this process, for people
   * @param epoch of a leadership that was taken already; by default it is taken here, for no longer than until the next
   *   one asks
   * @throws ServiceError `store_unavailable`; `service_unavailable` when another one has the lease
   */
  async start(instance: string, epoch?: number): Promise<void> {
    const taken = epoch ?? (await this.#ports.store.lead(instance, 0));
    if (taken === null) throw new ServiceError('service_unavailable', 'another orchestrator leads');
    this.#epoch = taken;
    this.#talk.lead(this.#epoch);
    this.#assigner.lead(this.#epoch);
    for (const each of [this.#attention, this.#standing]) each.begin(this.#ports.clock.now());
    this.#durations.load(await this.#ports.store.durations(rememberedDurations));
    await this.#loop.start(this.#epoch);
    this.#ports.policy.begin?.(() => this.#planAgain());
    this.#optimizers.begin();
    await this.#loop.submit('taking over', (turn) => this.#putResources(turn));
    this.#ports.log.info('leading', { epoch: this.#epoch, instance });
  }

  /**
   * @throws ServiceError `unknown_protocol`, `invalid` (every fault listed), `duplicate_name`, `backlog_full`; with
   *   `resume` also what {@link resumeProtocolRun} throws
   */
  submitProtocolRun(submission: ProtocolRunSubmission): Promise<Accepted> {
    return this.#submissions.protocolRun(submission);
  }

  /** @throws as {@link submitProtocolRun}; with `optimize` also `optimizer_unavailable`: nobody can make its optimizer */
  submitCampaign(submission: CampaignSubmission): Promise<Accepted> {
    return this.#campaigns.submit(submission);
  }

  /** @throws ServiceError `unknown_task_type`, `invalid` (every fault listed), `duplicate_name`, `backlog_full` */
  submitTask(submission: TaskSubmission): Promise<Accepted> {
    return this.#submissions.task(submission);
  }

  /** @throws as {@link Submissions.tryOut} */
  tryOut(submission: Submission): Promise<Submission | null> {
    return this.#submissions.tryOut(submission);
  }

  /**
   * Ends a run: what waits is cancelled at once, what runs is asked to stop, and the run is cancelled when nothing of it
   * runs any more. A run that needs attention ends here, by the decision of the person who cancels it.
   *
   * @throws ServiceError `not_found`, `wrong_state`
   */
  cancelProtocolRun(name: string): Promise<Accepted> {
    return this.#loop.submit('cancel of a protocol run', (turn) => cancelProtocolRun(turn, name), [
      { kind: 'protocolRun', names: [name] },
    ]);
  }

  /** Starts no more runs and cancels those there are. @throws ServiceError `not_found`, `wrong_state` */
  cancelCampaign(name: string): Promise<Accepted> {
    return this.#loop.submit('cancel of a campaign', (turn) => cancelCampaign(turn, name), [
      { kind: 'campaign', names: [name] },
    ]);
  }

  /**
   * Cancels an on-demand task, or one task of a run, whereupon the run fails. A running task is asked to stop; its state
   * is what its agent reports in the end.
   *
   * @throws ServiceError `not_found`, `wrong_state`
   */
  cancelTask(name: string, protocolRunName?: string): Promise<Accepted> {
    return this.#loop.submit('cancel of a task', (turn) => cancelTask(turn, name, protocolRunName), [
      protocolRunName === undefined
        ? { kind: 'onDemandTask', names: [name] }
        : { kind: 'protocolRun', names: [protocolRunName] },
    ]);
  }

  /** What people ask of resources. */
  get resources(): Pick<ResourceRequests, 'reset'> {
    return this.#resources;
  }

  /** How people change work that is not over, and archive what is. */
  get changes(): ChangeRequests {
    return this.#changes;
  }

  /**
   * What runs goes on to its end; nothing more of the run starts. Its deadlines and what it holds stay.
   *
   * @param by who asks, for the audit
   * @throws ServiceError `not_found`; `wrong_state` when it is paused, ending or over
   */
  pauseProtocolRun(name: string, by: string): Promise<Accepted> {
    return this.#loop.submit(
      'pause of a protocol run',
      (turn) => pauseProtocolRun(turn, this.#person(by), name),
      [{ kind: 'protocolRun', names: [name] }],
    );
  }

  /** Starts no more runs, and no more tasks of those there are. @throws as {@link pauseProtocolRun} */
  pauseCampaign(name: string, by: string): Promise<Accepted> {
    return this.#loop.submit('pause of a campaign', (turn) => pauseCampaign(turn, this.#person(by), name), [
      { kind: 'campaign', names: [name] },
    ]);
  }

  /**
   * Goes on with a run that is paused, or that failed or was cancelled: completed tasks are kept.
   *
   * @throws ServiceError `not_found`; `wrong_state` when there is nothing to resume; `invalid`, `backlog_full`
   */
  resumeProtocolRun(name: string, by: string): Promise<Accepted> {
    return this.#loop.submit(
      'resume of a protocol run',
      (turn) => resumeProtocolRun(turn, this.#submitPorts, this.#person(by), name),
      [{ kind: 'protocolRun', names: [name] }],
      { kind: 'protocolRun', name },
    );
  }

  /**
   * Goes on with a campaign that is paused, or that failed or was cancelled: completed runs are kept.
   *
   * @param overrides laid over what was said of its optimizer before, and what was set since
   * @throws as {@link resumeProtocolRun}; `duplicate_name` when the name of a coming run was taken meanwhile
   */
  resumeCampaign(name: string, by: string, overrides?: JsonObject): Promise<Accepted> {
    return this.#campaigns.resume(name, by, overrides);
  }

  /** What people ask of the optimizers of campaigns. */
  get optimizers(): Pick<CampaignRequests, 'configure' | 'addInsight' | 'read' | 'defaults'> {
    return this.#campaigns;
  }

  /** Nothing starts any more, wherever it belongs; what runs goes on. Survives restarts. Idempotent. */
  pauseQueue(by: string): Promise<QueueRecord> {
    return this.#loop.submit('pause of the queue', (turn) => pauseQueue(turn, this.#person(by)));
  }

  /** Idempotent. */
  resumeQueue(by: string): Promise<QueueRecord> {
    return this.#loop.submit('resume of the queue', (turn) => resumeQueue(turn, this.#person(by)));
  }

  /** What waits at this moment in its order, and whether anything may start: the part that is asked for. */
  queue(query: QueueQuery): QueuePart {
    return describeQueue(this.#surveyPorts(), query);
  }

  /**
   * An agent says hello. A new session gets the next incarnation; the same session keeps its own. Attempts of its
   * computer are adopted, given back, or shown to a person, by what the agent knows of them.
   *
   * @throws ServiceError `store_unavailable`
   */
  async registerAgent(agent: AgentRegistration): Promise<AgentWelcome> {
    return this.#loop.submit('registration of an agent', (turn) => this.#news.registered(turn, agent));
  }

  /** A heartbeat. One of an earlier incarnation or session is an echo and changes nothing. */
  agentAlive(computer: string, heartbeat: Heartbeat): void {
    this.#loop.enqueue('heartbeat', (turn) => this.#news.alive(turn, computer, heartbeat), true);
  }

  deviceChanged(computer: string, inc: number, device: DeviceStatus): void {
    this.#loop.enqueue('device', (turn) => this.#news.deviceChanged(turn, computer, inc, device), true);
  }

  agentLeaving(computer: string, inc: number, session: string): void {
    this.#loop.enqueue('leave of an agent', () => this.#news.leaving(computer, inc, session));
  }

  /**
   * The end of an attempt. Resolves after the commit; also when the attempt ended before or is unknown, so that an agent
   * may say it as often as it needs to.
   *
   * @throws ServiceError `store_unavailable`
   */
  attemptEnded(result: AttemptResult): Promise<void> {
    const ports = { log: this.#ports.log, directory: this.#directory, durations: this.#durations };
    return this.#loop.submit('result of an attempt', (turn) => recordResult(turn, ports, result));
  }

  /**
   * A person settles what only a person can. A device is started anew by its agent first; when that is refused or not
   * answered, its item stays open.
   *
   * @throws ServiceError `not_found` when there is no such open item; `wrong_state` when the decision comes too late; `invalid` when
   *   the item cannot be decided so, or with every fault of the outputs given; `agent_unreachable`
   */
  async resolveAttention(decision: AttentionDecision): Promise<{ id: string }> {
    const item = await this.#loop.submit('look at an attention item', (turn) =>
      this.#attention.examine(turn, decision),
    );
    if (item.kind === 'device') await this.#attention.reset(item, decision);
    return this.#loop.submit('decision of a person', (turn) => this.#attention.resolve(turn, decision));
  }

  /**
   * Records an emergency stop: nothing starts in its scope any more, and what runs there is stopped and then asked about.
   * The same id again is the same stop.
   *
   * @throws ServiceError `unknown_lab`, `unknown_device`, `bad_request`
   */
  engageStop(halt: Halt): Promise<{ id: string }> {
    return this.#loop.submit('emergency stop', (turn) => engageStop(turn, this.#stopPorts, halt));
  }

  /** An emergency stop was heard that goes to all agents at once; it is recorded whoever said it. */
  stopHeard(halt: Halt): void {
    this.#loop.enqueue('emergency stop heard', (turn) => adoptStops(turn, this.#stopPorts, [halt], 'event'));
  }

  /** Ends one emergency stop, or all with null. @throws ServiceError `not_found`, `wrong_state` */
  releaseStop(id: string | null, by: string): Promise<{ ids: string[] }> {
    return this.#loop.submit('release of an emergency stop', (turn) =>
      releaseStop(turn, this.#stopPorts, id, by),
    );
  }

  /** The emergency stops in force, and the ids of the latest ones that were released, for those who keep to them. */
  stops(): { halts: Halt[]; released: string[] } {
    return stopsToTell(this.#state);
  }

  /** Devices and agents as they are known at this moment. */
  get present(): Present {
    return new Present(this.#labs, this.#directory, this.#state);
  }

  /** An attempt that has not ended, with the files that its task gets. */
  attempt(id: string): (AttemptRow & Pick<TaskRunRow, 'inputFiles'>) | undefined {
    return attemptOf(this.#state, id);
  }

  /** What goes on, what is to come and why what waits waits, at this moment: the part that is asked for. */
  schedule(query: ScheduleQuery): ScheduleRecord {
    return describeSchedule(this.#surveyPorts(), query);
  }

  /** When what is not over is expected to be complete, by name; what is not named is not known. ISO 8601 in UTC. */
  estimates(): { protocol_runs: Record<string, string>; campaigns: Record<string, string> } {
    return describeEstimates(this.#surveyPorts());
  }

  /** How much there is of everything at this moment. */
  census(): Census {
    return takeCensus(this.#surveyPorts());
  }

  /** Everything that is not over, with the laboratories it needs and the devices it has. */
  unfinishedWork(): UnfinishedWork[] {
    return unfinishedWork(this.#state, this.#labs);
  }

  /**
   * Everything that is not over as of the next commit, for those who want to know what would come of it. A copy.
   *
   * @throws ServiceError `store_unavailable`, `service_unavailable`
   */
  workingRows(): Promise<WorkingRows> {
    return this.#loop.submit('copy of what is going on', (turn) =>
      structuredClone(workingRowsOf(turn.state.rows)),
    );
  }

  /**
   * Laboratories were loaded, changed or unloaded. New resources begin with the metadata of their definition, known ones
   * keep the state they are in; agents that are there are told which devices to run.
   *
   * @param change makes the change, or throws a ServiceError to refuse it, by what is going on; no decision falls between
   *   the two. It may be called again when a commit fails, and must then do the same.
   * @param undo takes the change back when it could not be committed
   * @throws ServiceError what `change` throws; `store_unavailable`
   */
  async definitionsChanged(
    change: (work: () => UnfinishedWork[]) => void = () => undefined,
    undo: () => void = () => undefined,
  ): Promise<void> {
    let changed = false;
    const rearrange = (): void => {
      this.#labs = new LabMap(this.#ports.definitions);
      this.#dispatcher.forget();
      this.#assigner.changed();
    };
    try {
      await this.#loop.submit('change of definitions', (turn) => {
        change(() => this.unfinishedWork());
        changed = true;
        rearrange();
        turn.state.dispatchDue = true;
        this.#putResources(turn);
      });
    } catch (error) {
      if (changed) {
        undo();
        rearrange();
      }
      throw error;
    }
  }

  /** Takes no more commands; resolves when the turn in flight and the searches of the policy are over. Running tasks go on. */
  async stop(): Promise<void> {
    this.#optimizers.stop();
    await Promise.all([this.#loop.stop(), this.#ports.policy.stop?.()]);
  }

  #surveyPorts(): SurveyPorts {
    return {
      state: this.#state,
      labs: this.#labs,
      directory: this.#directory,
      workload: this.#workload,
      refusals: this.#refusals,
      policy: this.#ports.policy,
      timetable: this.#dispatcher.timetable,
      now: this.#ports.clock.now(),
    };
  }

  #planAgain(): void {
    if (this.#asked) return;
    this.#asked = true;
    this.#loop.enqueue('better plan', (turn) => {
      this.#asked = false;
      turn.state.dispatchDue = true;
    });
  }

  #person(by: string): Person {
    return { by, ids: this.#ports.ids };
  }

  #settle(turn: Turn): void {
    const { state } = turn;
    for (const agent of this.#directory.age(turn.now))
      this.#ports.log.warn('agent not heard', { computer: agent.computer, state: agent.state });
    stopOverdue(turn);
    this.#settleDue(turn);
    this.#dispatcher.expire(turn, false);
    this.#lookAhead(state);
    while (state.dispatchDue || state.dueRuns.size > 0 || state.dueCampaigns.size > 0) {
      this.#settleDue(turn);
      if (state.dispatchDue) {
        state.dispatchDue = false;
        this.#dispatcher.dispatch(turn);
      }
      this.#lookAhead(state);
    }
    this.#dispatcher.expire(turn, true);
    this.#settleDue(turn);
    this.#attention.settle(turn);
    this.#talk.pursue(turn);
    this.#assigner.pursue(turn, this.#labs);
    this.#optimizers.pursue(turn);
    this.#standing.settle(turn);
  }

  /** Has a policy that plans ahead asked when what its plan counts on has changed. */
  #lookAhead(state: WorkingState): void {
    const isNew = state.planDue || this.#seenChanges !== this.#directory.changes;
    state.planDue = false;
    this.#seenChanges = this.#directory.changes;
    if (isNew && this.#ports.policy.scope === 'all') state.dispatchDue = true;
  }

  #settleDue(turn: Turn): void {
    const { dueRuns, dueCampaigns } = turn.state;
    while (dueRuns.size > 0 || dueCampaigns.size > 0) {
      for (const id of dueRuns) {
        dueRuns.delete(id);
        settleRun(turn, id);
      }
      for (const id of dueCampaigns) {
        dueCampaigns.delete(id);
        settleCampaign(turn, this.#submitPorts, id);
      }
    }
  }

  #putResources(turn: Turn): void {
    for (const row of this.#labs.resources.values())
      if (!turn.state.rows.resources.has(row.name)) turn.emit({ op: 'putResource', row });
  }

  #forget(): void {
    this.#talk.prune((id) => this.#state.rows.attempts.has(id));
    this.#refusals.prune((id) => this.#state.rows.taskRuns.has(id));
  }

  #nextWake(now: number): number | undefined {
    const times = [
      this.#directory.nextAgeing(),
      this.#dispatcher.nextDeadline(this.#state),
      this.#dispatcher.nextWake(this.#state, now),
      nextTimeout(this.#state),
      this.#attention.next(this.#state, now),
      this.#refusals.next(now),
      this.#talk.nextRetry(now),
      this.#assigner.nextRetry(now),
      this.#optimizers.nextRetry(now),
      this.#standing.next(),
    ].filter((at) => at !== undefined);
    return times.length === 0 ? undefined : Math.min(...times);
  }
}

import {
  isTerminal,
  isUnclear,
  mayStartTasks,
  ServiceError,
  toServiceError,
  type ErrorCode,
  type LabSchedule,
  type Trial,
} from '@lab/contracts';
import { Backoff, jsonEqual, type Log } from '@lab/ports';
import {
  type CampaignRow,
  type OptimizerRow,
  type OptimizerSession,
  type Optimizers,
  type TrialRow,
  trialKey,
  trialsOf,
} from '../rows/index.js';
import { campaignRunName, runLimit } from '../submission/index.js';
import type { Turn, WorkingState } from '../turn/index.js';
import { makingOf } from './making.js';
import {
  acceptProposals,
  missingTrials,
  noteFailure,
  reportOf,
  setOptimizer,
  useInsights,
} from './trials.js';

/** Greatest number of trials in one message and of their characters as JSON, well below the broker's limit. */
const batch = { trials: 500, characters: 256 * 1024 };
/** Greatest number of runs in one request for proposals. */
const mostAsked = 100;
/** Wait between two attempts to reach an optimizer, in milliseconds. */
const retryMs = { first: 1_000, longest: 30_000 };
/** Code of {@link CampaignRow.reason} while the campaign waits for its optimizer. */
const waiting = 'waiting_for_optimizer';

/** Errors of the optimizer itself. They would come again in a new session. */
const definite: ReadonlySet<ErrorCode> = new Set(['invalid', 'optimizer_error']);

/** The session with the optimizer of one campaign, in memory only. After a restart a new session replaces it. */
interface Connection {
  session: OptimizerSession | null;
  /** {@link OptimizerRow.revision} with which the session was opened. */
  revision: number;
  /** Number of the pending call; 0: none. The answers of earlier calls are ignored. */
  call: number;
  /** All trials that were settled before the session began have been reported. */
  ready: boolean;
  /** Numbers of trials whose state may differ from the last reported one. */
  unreported: Set<number>;
  /** Number of each trial to the state that was last reported to the session. */
  reported: Map<number, TrialRow['state']>;
  /** A request for several proposals has failed, so the next one asks for a single proposal. */
  single: boolean;
  /** The optimizer has refused a report of trials, so none is sent any more. */
  refusesReports: boolean;
}

const withoutSession = { session: null, call: 0, ready: false, single: false, refusesReports: false };

/** State of the session with the optimizer of a campaign. */
interface ConnectionState {
  state: 'opening' | 'ready' | 'waiting' | 'closed';
  session: OptimizerSession | null;
}

/**
 * Reports committed trials to the optimizers of campaigns and commits proposed ones. A new session gets all committed
 * trials, so it can replace a lost one at any time. Each campaign has at most one pending call, and no turn waits for
 * it. Uncommitted proposals are requested again under the same numbers.
 */
export class CampaignOptimizers {
  readonly #retries = new Backoff(retryMs);
  readonly #connections = new Map<string, Connection>();
  /** Callers that wait for the outcome of the next opening, by campaign. */
  readonly #awaiting = new Map<string, (() => void)[]>();
  #calls = 0;
  #stopListening = (): void => undefined;

  constructor(
    private readonly ports: {
      optimizers: Optimizers | undefined;
      state: WorkingState;
      log: Log;
      /** The unfinished work at this moment; undefined: it is too large for a message. */
      scheduleFor: (campaign: CampaignRow) => LabSchedule | undefined;
    },
    private readonly enqueue: (name: string, act: (turn: Turn) => void) => void,
  ) {}

  /** Starts to listen for optimizer workers that connect. */
  begin(): void {
    this.#stopListening =
      this.ports.optimizers?.onArrival((addresses) =>
        this.enqueue('arrival of an optimizer worker', (turn) => {
          for (const { id, optimizerIp } of turn.state.rows.campaigns.values())
            if (addresses.includes(optimizerIp)) this.#retries.clear(id);
        }),
      ) ?? this.#stopListening;
  }

  /** Stops listening. The sessions stay open; the next leader replaces them. */
  stop(): void {
    this.#stopListening();
  }

  /** The memory was loaded again and may lack trials that were reported. All trials count as unreported. */
  reloaded(): void {
    for (const [id, connection] of this.#connections) this.#markUnreported(id, connection);
  }

  /** Takes the next step for every campaign without a pending call. */
  pursue(turn: Turn): void {
    if (this.ports.optimizers === undefined) return;
    for (const id of this.ports.state.changedTrials) {
      const trial = this.ports.state.rows.trials.get(id);
      if (trial !== undefined) this.#connections.get(trial.campaignId)?.unreported.add(trial.number);
    }
    this.ports.state.changedTrials.clear();
    for (const [id, connection] of this.#connections) {
      const campaign = this.ports.state.rows.campaigns.get(id);
      if (campaign === undefined || isTerminal(campaign.state))
        turn.afterCommit(() => this.#close(id, connection));
    }
    for (const campaign of this.ports.state.rows.campaigns.values())
      if (campaign.optimizer !== null && !isTerminal(campaign.state) && campaign.ending === null)
        this.#next(turn, campaign, campaign.optimizer);
  }

  nextRetry(now: number): number | undefined {
    return this.#retries.next(now);
  }

  stateOf(campaign: CampaignRow): ConnectionState {
    const connection = this.#connections.get(campaign.id);
    const session = connection?.session ?? null;
    if (campaign.ending !== null) return { state: 'closed', session };
    if (connection !== undefined && session !== null)
      return { state: connection.ready ? 'ready' : 'opening', session };
    return { state: this.#retries.at(campaign.id) === undefined ? 'opening' : 'waiting', session };
  }

  /** Resolves when the opening session of a campaign is open, or has failed for now. */
  opened(campaignId: string): Promise<void> {
    return new Promise((resolve) => {
      this.#awaiting.set(campaignId, [...(this.#awaiting.get(campaignId) ?? []), resolve]);
    });
  }

  /** Discards a session that may have uncommitted settings. A new one is opened. */
  drop(campaignId: string): void {
    const connection = this.#connections.get(campaignId);
    if (connection !== undefined) this.#forget(campaignId, connection);
  }

  #next(turn: Turn, campaign: CampaignRow, optimizer: OptimizerRow): void {
    const { id } = campaign;
    const connection = this.#connections.get(id) ?? this.#create(id);
    if (connection.call !== 0 || !this.#retries.isDue(id, turn.now)) return;
    const isLast = this.#awaitsBest(campaign, optimizer);
    if (connection.session !== null && connection.revision !== optimizer.revision)
      this.#forget(id, connection);
    const { session } = connection;
    if (session === null) {
      if (optimizer.failure === null) turn.afterCommit(() => this.#open(campaign, optimizer, connection));
      else if (isLast)
        turn.afterCommit(() =>
          this.enqueue('no session to ask for the best rows', (next) => this.#storeBest(next, id, [])),
        );
      return;
    }
    const trials = connection.refusesReports ? [] : this.#unreportedTrials(id, connection);
    if (trials.length > 0) turn.afterCommit(() => this.#report(campaign, connection, session, trials));
    else if (isLast) turn.afterCommit(() => this.#askBest(campaign, connection, session));
    else if (this.#wantsProposals(campaign, optimizer)) {
      const missing = missingTrials(this.ports.state, campaign).slice(0, connection.single ? 1 : mostAsked);
      if (missing.length > 0) turn.afterCommit(() => this.#propose(campaign, connection, session, missing));
    }
  }

  /** All runs of the campaign are over, and the optimizer has not named the best rows yet. */
  #awaitsBest(campaign: CampaignRow, { best, failure }: OptimizerRow): boolean {
    const { id, runsStarted } = campaign;
    if (best !== null || this.ports.state.openRunsOf(id).length > 0) return false;
    const next = this.ports.state.rows.trials.get(trialKey(id, runsStarted + 1));
    return runsStarted >= runLimit(campaign) || (failure !== null && next === undefined);
  }

  #wantsProposals(campaign: CampaignRow, { failure }: OptimizerRow): boolean {
    return (
      failure === null &&
      campaign.pausedAt === null &&
      this.ports.state.drainOver(campaign.id) === undefined &&
      !this.ports.state.openRunsOf(campaign.id).some((run) => isUnclear(run.state))
    );
  }

  #open(campaign: CampaignRow, optimizer: OptimizerRow, connection: Connection): void {
    const { id, name, protocol, optimizerIp } = campaign;
    const snapshot = this.ports.state.protocolOf(campaign);
    const { overrides, runtime_params: runtimeParams, revision } = optimizer;
    const making = snapshot && makingOf(snapshot, overrides, campaign);
    this.#call(
      campaign,
      connection,
      async () => {
        if (making === undefined || this.ports.optimizers === undefined)
          throw new ServiceError('optimizer_error', `the protocol ${protocol} has no optimizer`);
        const session = await this.ports.optimizers.open(optimizerIp, { id, name }, making, runtimeParams);
        // The campaign may have ended meanwhile. Then nothing else would close this session.
        if (this.#connections.get(id) !== connection) this.#end(session);
        return session;
      },
      (turn, session) => {
        Object.assign(connection, { session, revision, ready: false, single: false, refusesReports: false });
        connection.reported.clear();
        this.#markUnreported(id, connection);
        this.#resolveAwaiting(id);
        const { runtime } = session;
        if (
          runtime !== undefined &&
          !jsonEqual(turn.state.rows.campaigns.get(id)?.optimizer?.runtime, runtime)
        )
          setOptimizer(turn, campaign, { runtime });
        session.onLost((reason) =>
          this.enqueue('loss of an optimizer', (lost) => {
            if (connection.session === session)
              this.#lose(lost, id, connection, new ServiceError('optimizer_unavailable', reason));
          }),
        );
        if (turn.state.rows.campaigns.get(id)?.reason?.code === waiting) {
          turn.emit({ op: 'updateCampaign', id, patch: { reason: null } });
          turn.publishCampaign(id);
        }
      },
      (turn, error) => {
        noteFailure(turn, campaign, error.code, error.message);
        this.#resolveAwaiting(id);
      },
    );
  }

  #report(
    campaign: CampaignRow,
    connection: Connection,
    session: OptimizerSession,
    trials: readonly Trial[],
  ): void {
    this.#call(
      campaign,
      connection,
      () => session.tell(trials),
      () => {
        for (const { number, state } of trials) {
          connection.reported.set(number, state);
          // A state that changed during the call is reported next.
          if (this.ports.state.rows.trials.get(trialKey(campaign.id, number))?.state === state)
            connection.unreported.delete(number);
        }
        if (connection.unreported.size === 0) connection.ready = true;
        this.#retries.clear(campaign.id);
      },
      (turn, error) => {
        connection.refusesReports = true;
        noteFailure(turn, campaign, error.code, error.message);
      },
    );
  }

  #propose(
    campaign: CampaignRow,
    connection: Connection,
    session: OptimizerSession,
    numbers: readonly number[],
  ): void {
    const { id } = campaign;
    const runs = numbers.map((number) => ({ number, run: campaignRunName(campaign.name, number) }));
    const kept = this.ports.state.rows.campaigns.get(id)?.optimizer?.insights ?? [];
    const insights = kept.flatMap(({ used, ...insight }) => (used ? [] : [insight]));
    this.#call(
      campaign,
      connection,
      () => session.propose(runs, insights, this.#scheduleFor(campaign)),
      (turn, { trials, insights_used: used }) => {
        connection.single = false;
        this.#retries.clear(id);
        const row = turn.state.rows.campaigns.get(id);
        if (row === undefined || row.ending !== null || row.optimizer?.failure !== null) return;
        const fault = acceptProposals(turn, row, numbers, trials);
        if (fault !== null) {
          noteFailure(turn, row, 'optimizer_error', fault);
          return;
        }
        useInsights(turn, row, used);
        // The optimizer knows its own proposals, committed or not.
        for (const number of numbers) connection.reported.set(number, 'proposed');
      },
      (turn, error) => {
        if (numbers.length > 1) connection.single = true;
        else noteFailure(turn, campaign, error.code, error.message);
      },
    );
  }

  /** The unfinished work, if the optimizer chooses by it. */
  #scheduleFor({ id }: CampaignRow): LabSchedule | undefined {
    const campaign = this.ports.state.rows.campaigns.get(id);
    return campaign?.optimizer?.runtime_params['batch'] === 'schedule_aware'
      ? this.ports.scheduleFor(campaign)
      : undefined;
  }

  #askBest(campaign: CampaignRow, connection: Connection, session: OptimizerSession): void {
    this.#call(
      campaign,
      connection,
      () => session.best(),
      (turn, best) => this.#storeBest(turn, campaign.id, best),
      (turn, error) => {
        noteFailure(turn, campaign, error.code, error.message);
        this.#storeBest(turn, campaign.id, []);
      },
    );
  }

  /** Stores the best rows, unless the campaign has got further runs. Then they are requested after the last run. */
  #storeBest(turn: Turn, id: string, best: OptimizerRow['best']): void {
    const campaign = turn.state.rows.campaigns.get(id);
    const { optimizer } = campaign ?? {};
    if (campaign === undefined || optimizer === undefined || optimizer === null) return;
    if (this.#awaitsBest(campaign, optimizer)) setOptimizer(turn, campaign, { best });
  }

  /** @param refused handles a refusal by the optimizer itself; after any other error a new session is opened */
  #call<Answer>(
    { id }: CampaignRow,
    connection: Connection,
    send: () => Promise<Answer>,
    answered: (turn: Turn, answer: Answer) => void,
    refused: (turn: Turn, error: ServiceError) => void,
  ): void {
    const call = (this.#calls += 1);
    connection.call = call;
    // The turn that handles the answer may fail. Then the call counts as unanswered and is repeated.
    const settle = (name: string, act: (turn: Turn) => void): void =>
      this.enqueue(name, (turn) => {
        if (connection.call !== call) return;
        connection.call = 0;
        act(turn);
      });
    send().then(
      (answer) => settle('answer of an optimizer', (turn) => answered(turn, answer)),
      (reason: unknown) => {
        const error = toServiceError(reason, 'maybe');
        settle('error of an optimizer', (turn) => {
          if (definite.has(error.code)) refused(turn, error);
          else this.#lose(turn, id, connection, error);
        });
      },
    );
  }

  #lose(turn: Turn, id: string, connection: Connection, error: ServiceError): void {
    this.#forget(id, connection);
    this.#retries.failed(id, turn.now);
    this.#resolveAwaiting(id);
    const campaign = turn.state.rows.campaigns.get(id);
    if (campaign === undefined || !mayStartTasks(campaign.state)) return;
    const { code, message } = error;
    this.ports.log.warn('the optimizer of a campaign is unreachable', {
      campaign: campaign.name,
      code,
      message,
    });
    if (campaign.reason?.code === waiting && campaign.reason.message === message) return;
    turn.emit({ op: 'updateCampaign', id, patch: { reason: { code: waiting, message } } });
    turn.publishCampaign(id);
  }

  /** Trials with unreported states, by number, as many as fit into one message. */
  #unreportedTrials(campaignId: string, connection: Connection): Trial[] {
    const trials: Trial[] = [];
    let characters = 0;
    for (const number of [...connection.unreported].sort((a, b) => a - b)) {
      const row = this.ports.state.rows.trials.get(trialKey(campaignId, number));
      const known = connection.reported.get(number);
      if (row === undefined || known === row.state || (known === 'proposed' && row.state === 'running')) {
        connection.unreported.delete(number);
        continue;
      }
      const trial = reportOf(row);
      characters += JSON.stringify(trial).length;
      if (trials.length === batch.trials || (trials.length > 0 && characters > batch.characters)) break;
      trials.push(trial);
    }
    if (trials.length === 0) connection.ready = true;
    return trials;
  }

  #resolveAwaiting(campaignId: string): void {
    for (const resolve of this.#awaiting.get(campaignId) ?? []) resolve();
    this.#awaiting.delete(campaignId);
  }

  #create(campaignId: string): Connection {
    const connection: Connection = {
      ...withoutSession,
      revision: 0,
      unreported: new Set(),
      reported: new Map(),
    };
    this.#connections.set(campaignId, connection);
    return connection;
  }

  #markUnreported(campaignId: string, connection: Connection): void {
    for (const { number } of trialsOf(this.ports.state.rows, [campaignId])) connection.unreported.add(number);
  }

  /** Discards a session without waiting for a pending call. The next session may start its first call at once. */
  #forget(campaignId: string, connection: Connection): void {
    const { session } = connection;
    Object.assign(connection, withoutSession);
    connection.reported.clear();
    this.#markUnreported(campaignId, connection);
    if (session !== null) this.#end(session);
  }

  #close(campaignId: string, connection: Connection): void {
    this.#connections.delete(campaignId);
    this.#resolveAwaiting(campaignId);
    connection.call = 0;
    this.#retries.clear(campaignId);
    if (connection.session !== null) this.#end(connection.session);
  }

  /** Closes a session. If this fails, the worker ends it when the next session of the campaign is opened. */
  #end(session: OptimizerSession): void {
    session.close().catch((error: unknown) => {
      const { code, message } = toServiceError(error);
      const fields = { session: session.id, code, message };
      this.ports.log.info('the session of an optimizer could not be closed', fields);
    });
  }
}

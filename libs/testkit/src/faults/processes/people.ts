import {
  agentEvents,
  agentRequests,
  effectRequests,
  errorCatalogue,
  isAttentionWarning,
  isServiceError,
  isTerminal,
  longestPage,
  longestSchedule,
  orchestratorEvents,
  allLabs,
  orchestratorRequests as requests,
  type AttentionDecision,
  type EmergencyStop,
  type ReplyOf,
  type RequestOf,
  type ServiceError,
} from '@lab/contracts';
import { byHand, type Acceptance } from '../surroundings/history.js';
import { changeDevice, labName, type DeviceName } from '../plan/laboratory.js';
import { diceOf } from '../plan/chance.js';
import { drainedComputer, type AttentionRow } from '@lab/engine';
import { Life } from '../surroundings/life.js';
import {
  LeaderRequests,
  LeaderWatch,
  type Bus,
  type LeaderRequest,
  type NamedSubmission,
} from '@lab/messaging';
import { computerOf, type Act } from '../plan/schedule.js';
import type { Instrument } from '../surroundings/instrument.js';
import type { Surroundings } from '../surroundings/surroundings.js';
import type { SimulatedComputer } from './computer.js';
import type { SimulatedOrchestrator } from './orchestrator.js';

/** The name of the gateway on the network. */
export const gateway = 'gateway';

/** The gateway waits this long for a leader, in milliseconds. */
const failoverMs = 8_000;
/** People try this long and this often when a request had no effect, in milliseconds. */
const patienceMs = 8_000;
const againMs = 250;

/** Name of the person in the audit. */
const by = 'ada';

const cancellations = {
  cancel_run: requests.cancelProtocolRun,
  cancel_campaign: requests.cancelCampaign,
  cancel_task: requests.cancelTask,
};
const changes = {
  change_run: requests.changeProtocolRun,
  change_campaign: requests.changeCampaign,
  change_task: requests.changeTask,
};
const pauses = {
  pause_run: requests.pauseProtocolRun,
  pause_campaign: requests.pauseCampaign,
  resume_run: requests.resumeProtocolRun,
  resume_campaign: requests.resumeCampaign,
};

/** The processes that people use. */
interface Processes {
  readonly computers: ReadonlyMap<string, SimulatedComputer>;
  readonly orchestrators: ReadonlyMap<string, SimulatedOrchestrator>;
}

/** An instrument by `<lab>.<device>`. */
export function instrumentOf({ computers }: Processes, key: string): Instrument {
  const computer = computers.get(computerOf(key));
  if (computer === undefined) throw new Error(`there is no ${key}`);
  return computer.instrument(key);
}

/** The people of the laboratory. They act through the gateway, which asks the leader as `apps/gateway` does. */
export class People {
  readonly #bus: Bus;
  readonly #leader: LeaderRequests;
  #asking = 0;
  #calls = 0;
  #decisions = 0;
  #submissions = 0;

  constructor(
    private readonly world: Surroundings,
    private readonly processes: Processes,
  ) {
    const life = new Life(gateway, world.time);
    this.#bus = world.network.connect(life);
    const { effects } = world.history;
    void this.#bus.serve(effectRequests.append, {}, (batch) => {
      for (const { arguments: given, state } of batch.effects) {
        const tag = String(given['tag']);
        if ((effects.get(tag) ?? 'running') === 'running') effects.set(tag, state);
      }
      return {};
    });
    const leaders = new LeaderWatch();
    void this.#bus.subscribe(orchestratorEvents.leading, {}, ({ epoch }) => leaders.hear(epoch));
    this.#leader = new LeaderRequests({ bus: this.#bus, leaders, timers: life, waitMs: failoverMs });
  }

  /** A request of people has no answer yet. */
  get waiting(): boolean {
    return this.#asking > 0;
  }

  act(act: Act): void {
    this.world.history.note(`people: ${act.do}`, 'name' in act ? act.name : act);
    switch (act.do) {
      case 'submit_run': {
        const body = { name: act.name, type: act.protocol, priority: act.priority, rights: allLabs };
        return this.#submit('protocolRun', requests.submitProtocolRun, body);
      }
      case 'submit_campaign': {
        const body = {
          name: act.name,
          protocol: act.protocol,
          max_protocol_runs: act.runs,
          max_concurrent_protocol_runs: act.beside,
          rights: allLabs,
          ...(act.optimize === true ? { optimize: true } : {}),
          ...(act.onFailure === undefined ? {} : { on_run_failure: act.onFailure }),
        };
        return this.#submit('campaign', requests.submitCampaign, body);
      }
      case 'submit_task': {
        const slots = Object.entries(act.slots);
        const devices = Object.fromEntries(slots.map(([slot, name]) => [slot, { lab_name: labName, name }]));
        const body = { name: act.name, type: act.type, priority: act.priority, devices, rights: allLabs };
        return this.#submit('onDemandTask', requests.submitTask, body);
      }
      case 'cancel_run':
      case 'cancel_campaign':
      case 'cancel_task':
        return this.#ask(() => this.#send(cancellations[act.do], { name: act.name }));
      case 'change_run':
      case 'change_campaign':
      case 'change_task': {
        const concurrent = act.do === 'change_campaign' ? { max_concurrent_protocol_runs: 2 } : {};
        const body = {
          name: act.name,
          by,
          change: { priority: act.priority, ...concurrent },
          rights: allLabs,
        };
        return this.#ask(() => this.#send(changes[act.do], body));
      }
      case 'pause_run':
      case 'pause_campaign':
      case 'resume_run':
      case 'resume_campaign': {
        const patience = act.do.startsWith('resume') ? Infinity : patienceMs;
        const body = { name: act.name, by, rights: allLabs };
        return this.#ask(() => this.#send(pauses[act.do], body), patience);
      }
      case 'pause_queue':
        return this.#ask(() => this.#send(requests.pauseQueue, { by }));
      case 'resume_queue':
        return this.#resume(() => this.#send(requests.resumeQueue, { by }));
      case 'drain':
      case 'end_drain': {
        const body = { campaign: act.name ?? null, by };
        if (act.do === 'end_drain') return this.#resume(() => this.#send(requests.endDrain, body));
        return this.#ask(async () => {
          await this.#send(requests.drain, body);
          await this.#send(requests.readDrain, { campaign: body.campaign });
        });
      }
      case 'reset_resource': {
        const body = { name: act.name, by, reason: 'washed by hand', force: act.force };
        return this.#ask(() => this.#send(requests.resetResource, body));
      }
      case 'set_resource': {
        const body = { name: act.name, by, reason: 'weighed by hand', force: act.force, meta: { ml: 3 } };
        return this.#ask(() => this.#send(requests.setResource, body));
      }
      case 'archive':
      case 'restore': {
        const request = { archive: requests.archiveWork, restore: requests.restoreWork }[act.do];
        return this.#ask(() => this.#send(request, { kind: act.kind, name: act.name, by }));
      }
      case 'delete': {
        const { kind, name } = act;
        const body = { kind, name, by, what: 'everything', reason: 'a test' } as const;
        return this.#ask(() => this.#send(requests.deleteWork, body));
      }
      case 'keep':
        return this.#ask(() => this.#send(requests.keepWork, { kind: act.kind, name: act.name, by }));
      case 'hold': {
        const body = { kind: act.kind, name: act.name, by, reason: 'a dispute' };
        return this.#ask(() => this.#send(requests.addHold, body));
      }
      case 'release_hold':
        return this.#ask(async () => {
          const { holds } = await this.#send(requests.listHolds, {});
          for (const { id } of holds.slice(0, 1)) await this.#send(requests.releaseHold, { id, by });
        });
      case 'ask_optimizer':
        return this.#ask(() => this.#askOptimizer(act.name, act.protocol));
      case 'call':
      case 'look':
        return this.#ask(() => this.#handle(act));
      case 'disable':
        return this.#disable(act.device, act.ms);
      case 'enable': {
        const body = { lab: labName, device: act.device, by };
        return this.#ask(() => this.#send(requests.enableDevice, body));
      }
      case 'drain_computer':
        return this.#drainComputer(act.computer, act.ms);
      case 'resume_computer': {
        const body = { computer: act.computer, by };
        return this.#ask(() => this.#send(requests.resumeComputer, body));
      }
      case 'reserve':
        return this.#reserve(act.device, act.after, act.ms);
      case 'end_reservation':
        return this.#ask(async () => {
          const { reservations } = await this.#send(requests.listReservations, {});
          for (const { id } of reservations.slice(0, 1))
            await this.#send(requests.endReservation, { id, by });
        });
      case 'claim_questions':
        for (const { id } of this.#questions())
          this.#ask(async () => {
            await this.#send(requests.claimAttention, { id, by, take_over: false });
            await this.#send(requests.releaseAttention, { id, by });
          });
        return;
      case 'restart': {
        const body = { lab: labName, device: act.device, by, reason: 'a loose cable' };
        return this.#ask(() => this.#send(requests.restartDevice, body));
      }
      case 'stop':
        return this.#stop(act.device);
      case 'release':
        return this.#release();
      case 'reload':
        changeDevice(this.world.definitions, act.device);
        for (const { engine } of this.processes.orchestrators.values())
          // A deposed engine ignores the change; the next leader loads the changed definitions.
          engine?.definitionsChanged().catch((_deposed: unknown) => undefined);
    }
  }

  /** Sends a request to the leader. */
  #send<D extends LeaderRequest>(definition: D, body: RequestOf<D>): Promise<ReplyOf<D>> {
    return this.#leader.ask<D>(definition, body);
  }

  #disable(device: DeviceName, ms?: number): void {
    const until = ms === undefined ? null : new Date(this.world.time.now() + ms).toISOString();
    const body = { lab: labName, device, by, reason: 'the gripper is broken', until };
    this.#ask(() => this.#send(requests.disableDevice, body));
  }

  #drainComputer(computer: string, ms?: number): void {
    const until = ms === undefined ? null : new Date(this.world.time.now() + ms).toISOString();
    const body = { computer, by, reason: 'an update', until };
    this.#ask(() => this.#send(requests.drainComputer, body));
  }

  #reserve(device: DeviceName, after: number, ms: number): void {
    const at = this.world.time.now() + after;
    const window = { from: new Date(at).toISOString(), to: new Date(at + ms).toISOString() };
    const body = { lab: labName, device, resource: null, ...window, reason: 'calibration', by };
    this.#ask(() => this.#send(requests.addReservation, body));
  }

  /** The gateway first publishes the stop to the agents, and then asks the leader until the stop is recorded. */
  #stop(device: DeviceName | undefined): void {
    const { history, time } = this.world;
    const id = `stop-${(this.#calls += 1)}`;
    const scope = device === undefined ? 'all' : `device:${labName}.${device}`;
    const emergencyStop: EmergencyStop = { id, scope, by, reason: 'a spill' };
    const stop = history.stop(id);
    stop.scope = scope;
    history.losses.push({ at: time.now(), until: Infinity, kind: 'stop', who: scope });
    this.#bus.publish(agentEvents.emergencyStop, {}, emergencyStop);
    this.#resume(async () => {
      await this.#send(requests.engageStop, emergencyStop);
      stop.engagedAt = time.now();
    });
  }

  /** Releases the present stops by their ids. A stop that is engaged meanwhile stays in force. */
  #release(): void {
    const { history, time } = this.world;
    for (const [id, stop] of history.stops) {
      if (stop.releasedAt !== undefined) continue;
      stop.releasedAt = time.now();
      this.#resume(() => this.#send(requests.releaseStop, { id, by }));
    }
  }

  /** A person reads all views, finds a device, and calls it. */
  async #handle(act: Extract<Act, { do: 'call' | 'look' }>): Promise<void> {
    const where = { lab: labName, device: act.device };
    await this.#send(requests.listDevices, {});
    await this.#send(requests.listAgents, {});
    const wholeList = { rights: allLabs, limit: longestPage, descending: false, after: null };
    await this.#send(requests.readQueue, wholeList);
    await this.#send(requests.readUsage, { ...wholeList, owner: null, sort: 'share' });
    await this.#send(requests.readSchedule, { rights: allLabs, limit: longestSchedule });
    await this.#send(requests.readEstimates, {});
    const { computer, inc, fence, held_by: holder } = await this.#send(requests.locateDevice, where);
    const tokens = { computer, inc: String(inc), ...where };
    if (act.do === 'look') {
      await this.#bus.request(agentRequests.reportDevice, tokens, {}, { inc });
      return;
    }
    const id = `${byHand}${(this.#calls += 1)}`;
    const { now_ms: asOf } = await this.#bus.request(agentRequests.readClock, tokens, {}, { inc });
    const body = {
      call_id: id,
      function: act.function,
      arguments: { tag: `${id}#1`, ms: act.ms },
      as_of_ms: asOf,
    };
    // On a device that a task has, the person forces the call.
    const free = holder === undefined ? { fence: { [`${labName}.${act.device}`]: fence } } : {};
    await this.#bus.request(agentRequests.callDevice, tokens, body, { inc, ...free });
  }

  async #askOptimizer(name: string, protocol: string): Promise<void> {
    await this.#send(requests.readOptimizerDefaults, { protocol });
    await this.#send(requests.addInsight, { name, by, text: 'less of everything' });
    await this.#send(requests.readOptimizer, { name, explain: true });
    await this.#send(requests.configureOptimizer, { name, by, runtime_params: { p_ai: 0.5 } });
  }

  /** Something waits for a person. */
  get asked(): boolean {
    return this.#questions().length > 0 || this.#paused().length > 0 || this.#faulted().length > 0;
  }

  /** People look at the instruments and answer every question. */
  settle(): void {
    for (const goOn of this.#paused()) this.#ask(goOn);
    for (const reset of this.#faulted()) this.#ask(reset);
    for (const item of this.#questions()) {
      // A person waits while the instrument moves.
      if (this.#devicesOf(item).some((key) => instrumentOf(this.processes, key).moving)) continue;
      const decision = { id: item.id, by, ...this.#decide(item) };
      this.world.history.note(`people: ${decision.action}`, item.device ?? item.taskRunId ?? item.id);
      this.#ask(() => this.#send(requests.resolveAttention, decision));
    }
  }

  /** A person reports a device as idle. For a task the person picks at random, again after each refusal. */
  #decide(item: AttentionRow): Pick<AttentionDecision, 'action' | 'output_parameters'> {
    if (item.kind === 'device') return { action: 'idle' };
    const dice = diceOf(this.world.seed, `decision ${item.id}`, (this.#decisions += 1));
    if (dice < 0.4) return { action: 'failed' };
    if (dice < 0.7) return { action: 'retry' };
    return { action: 'completed', output_parameters: { attempt: 'looked at by a person', effects: 0 } };
  }

  /** Open questions except those about agents, because every agent comes back. Warnings close by themselves. */
  #questions(): AttentionRow[] {
    const { attention } = this.world.database.store.rows;
    return [...attention.values()].filter(
      ({ state, kind, reason }) => state === 'open' && kind !== 'agent' && !isAttentionWarning(reason.code),
    );
  }

  /** The devices that a person inspects before deciding, as `<lab>.<device>`. */
  #devicesOf({ device, attemptId }: AttentionRow): string[] {
    if (device !== null) return [device];
    const attempt = this.world.database.store.rows.attempts.get(attemptId ?? '');
    return Object.values(attempt?.devices ?? {}).map(({ lab, name }) => `${lab}.${name}`);
  }

  /** The requests that restart faulted devices without a doubt. */
  #faulted(): (() => Promise<unknown>)[] {
    return [...this.processes.computers.values()].flatMap(({ name: computer, agent }) => {
      const inc = agent?.inc;
      if (agent === undefined || inc === undefined) return [];
      return agent
        .devices()
        .filter(({ state, doubt }) => state === 'faulted' && doubt === undefined)
        .map(({ lab, name: device }) => () => {
          const tokens = { computer, inc: String(inc), lab, device };
          return this.#bus.request(agentRequests.resetDevice, tokens, { doubt_id: null, by }, { inc });
        });
    });
  }

  /** The requests that resume what is paused, release what is stopped and give devices back. */
  #paused(): (() => Promise<unknown>)[] {
    const { protocolRuns, campaigns, drains, emergencyStops, outages, queuePauses, reservations } =
      this.world.database.store.rows;
    const all = <Row>(rows: ReadonlyMap<unknown, Row>, holds: (row: Row) => boolean): Row[] =>
      [...rows.values()].filter(holds);
    const isPaused = ({ state }: { state: string }): boolean => state === 'paused';
    const sends =
      <D extends LeaderRequest>(definition: D, body: RequestOf<D>) =>
      (): Promise<unknown> =>
        this.#send(definition, body);
    return [
      ...all(campaigns, isPaused).map(({ name }) =>
        sends(requests.resumeCampaign, { name, by, rights: allLabs }),
      ),
      ...all(protocolRuns, isPaused).map(({ name }) =>
        sends(requests.resumeProtocolRun, { name, by, rights: allLabs }),
      ),
      ...all(emergencyStops, (stop) => stop.releasedAt === null).map(({ id }) =>
        sends(requests.releaseStop, { id, by }),
      ),
      ...[...outages.values()].map((outage) => {
        const computer = drainedComputer(outage);
        if (computer !== undefined) return sends(requests.resumeComputer, { computer, by });
        const [lab = '', device = ''] = outage.device.split('.');
        return sends(requests.enableDevice, { lab, device, by });
      }),
      ...[...reservations.keys()].map((id) => sends(requests.endReservation, { id, by })),
      ...all(queuePauses, (pause) => pause.resumedAt === null).map(() => sends(requests.resumeQueue, { by })),
      ...all(drains, (drain) => drain.endedAt === null).map(({ campaignId }) =>
        sends(requests.endDrain, { campaign: campaigns.get(campaignId ?? '')?.name ?? null, by }),
      ),
    ];
  }

  /** Accepted work that is not over, in words. */
  unfinished(): string[] {
    const { rows } = this.world.database.store;
    return [...rows.campaigns.values(), ...rows.protocolRuns.values(), ...rows.taskRuns.values()]
      .filter((row) => !isTerminal(row.state))
      .map((row) => `${row.name} is ${row.state}`);
  }

  /** Submits as the gateway does: it finds by the id what it made when the answer is lost. */
  #submit<D extends NamedSubmission>(kind: Acceptance['kind'], definition: D, body: RequestOf<D>): void {
    const { history, time, database } = this.world;
    const { name } = body;
    const submissionId = `submission-${(this.#submissions += 1)}`;
    const made = (): { id: string } | undefined => {
      const { campaigns, protocolRuns, taskRuns } = database.store.rows;
      const rows = { campaign: campaigns, protocolRun: protocolRuns, onDemandTask: taskRuns }[kind];
      return [...rows.values()].find((row) => row.submissionId === submissionId);
    };
    let again = false;
    this.#ask(async () => {
      const asked = { submissionId, again };
      again = true;
      await this.#leader.make<D>(definition, body, asked, () => Promise.resolve(made() !== undefined));
      const id = made()?.id;
      if (id === undefined) throw new Error(`${name} was accepted, but no row of it is stored`);
      history.acceptances.push({ at: time.now(), kind, name, id });
    });
  }

  /** Repeats the request without end: people leave nothing paused. */
  #resume(send: () => Promise<unknown>): void {
    this.#ask(send, Infinity);
  }

  /** Repeats a request as the gateway does: until it has an answer that waiting would not change. */
  #ask(send: () => Promise<unknown>, patience = patienceMs): void {
    const { time } = this.world;
    const until = time.now() + patience;
    this.#asking += 1;
    const attempt = (): void => {
      send().then(
        () => (this.#asking -= 1),
        (error: unknown) => {
          // An idempotent request may be repeated even when it is not known whether it had an effect.
          const again =
            isServiceError(error) && (mayHelp(error) || (patience === Infinity && error.effect === 'maybe'));
          if (again && time.now() < until) {
            time.after(againMs, attempt);
            return;
          }
          this.#asking -= 1;
          if (!isServiceError(error) || error.code === 'internal')
            this.world.history.defect('an answer to people', error);
        },
      );
    };
    attempt();
  }
}

/** Whether repeating a request that had no effect may help. */
function mayHelp(error: ServiceError): boolean {
  return error.effect === 'none' && errorCatalogue[error.code].retryable && error.code !== 'backlog_full';
}

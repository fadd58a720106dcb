import {
  agentEvents,
  agentRequests,
  errorCatalogue,
  isServiceError,
  isTerminal,
  longestPage,
  longestSchedule,
  orchestratorRequests as requests,
  type AttentionDecision,
  type EmergencyStop,
  type ServiceError,
} from '@lab/contracts';
import { byHand, type Acceptance } from '../surroundings/history.js';
import { changeDevice, labName, type DeviceName } from '../plan/laboratory.js';
import { diceOf } from '../plan/chance.js';
import type { AttentionRow } from '@lab/engine';
import { Life } from '../surroundings/life.js';
import type { Bus } from '@lab/messaging';
import { computerOf, type Act } from '../plan/schedule.js';
import type { Instrument } from '../surroundings/instrument.js';
import type { Surroundings } from '../surroundings/surroundings.js';
import type { SimulatedComputer } from './computer.js';
import type { SimulatedOrchestrator } from './orchestrator.js';

/** The name of the gateway on the network. */
export const gateway = 'gateway';

/** The gateway tries this long and this often to reach a leader, in milliseconds. */
const patienceMs = 8_000;
const againMs = 250;

/** Name of the person in the audit. */
const by = 'ada';

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

/** The people of the laboratory. They act through the gateway. */
export class People {
  readonly #bus: Bus;
  readonly #life: Life;
  #asking = 0;
  #calls = 0;
  #decisions = 0;

  constructor(
    private readonly world: Surroundings,
    private readonly processes: Processes,
  ) {
    this.#life = new Life(gateway, world.time);
    this.#bus = world.network.connect(this.#life);
  }

  /** A request of people has no answer yet. */
  get waiting(): boolean {
    return this.#asking > 0;
  }

  act(act: Act): void {
    this.world.history.note(`people: ${act.do}`, 'name' in act ? act.name : act);
    switch (act.do) {
      case 'submit_run': {
        const body = { name: act.name, type: act.protocol, priority: act.priority };
        this.#submit('protocolRun', act.name, () => this.#bus.request(requests.submitProtocolRun, {}, body));
        return;
      }
      case 'submit_campaign': {
        const body = {
          name: act.name,
          protocol: act.protocol,
          max_protocol_runs: act.runs,
          max_concurrent_protocol_runs: act.beside,
          ...(act.optimize === true ? { optimize: true } : {}),
          ...(act.onFailure === undefined ? {} : { on_run_failure: act.onFailure }),
        };
        this.#submit('campaign', act.name, () => this.#bus.request(requests.submitCampaign, {}, body));
        return;
      }
      case 'submit_task': {
        const devices = Object.fromEntries(
          Object.entries(act.slots).map(([slot, name]) => [slot, { lab_name: labName, name }]),
        );
        const body = { name: act.name, type: act.type, priority: act.priority, devices };
        this.#submit('onDemandTask', act.name, () => this.#bus.request(requests.submitTask, {}, body));
        return;
      }
      case 'cancel_run':
        this.#ask(() => this.#bus.request(requests.cancelProtocolRun, {}, { name: act.name }));
        return;
      case 'cancel_campaign':
        this.#ask(() => this.#bus.request(requests.cancelCampaign, {}, { name: act.name }));
        return;
      case 'cancel_task':
        this.#ask(() => this.#bus.request(requests.cancelTask, {}, { name: act.name }));
        return;
      case 'change_run': {
        const body = { name: act.name, by, change: { priority: act.priority } };
        this.#ask(() => this.#bus.request(requests.changeProtocolRun, {}, body));
        return;
      }
      case 'change_campaign': {
        const change = { priority: act.priority, max_concurrent_protocol_runs: 2 };
        this.#ask(() => this.#bus.request(requests.changeCampaign, {}, { name: act.name, by, change }));
        return;
      }
      case 'change_task': {
        const body = { name: act.name, by, change: { priority: act.priority } };
        this.#ask(() => this.#bus.request(requests.changeTask, {}, body));
        return;
      }
      case 'pause_run':
        this.#ask(() => this.#bus.request(requests.pauseProtocolRun, {}, { name: act.name, by }));
        return;
      case 'resume_run':
        this.#resume(() => this.#bus.request(requests.resumeProtocolRun, {}, { name: act.name, by }));
        return;
      case 'pause_campaign':
        this.#ask(() => this.#bus.request(requests.pauseCampaign, {}, { name: act.name, by }));
        return;
      case 'resume_campaign':
        this.#resume(() => this.#bus.request(requests.resumeCampaign, {}, { name: act.name, by }));
        return;
      case 'pause_queue':
        this.#ask(() => this.#bus.request(requests.pauseQueue, {}, { by }));
        return;
      case 'resume_queue':
        this.#resume(() => this.#bus.request(requests.resumeQueue, {}, { by }));
        return;
      case 'reset_resource': {
        const body = { name: act.name, by, reason: 'washed by hand', force: act.force };
        this.#ask(() => this.#bus.request(requests.resetResource, {}, body));
        return;
      }
      case 'archive':
      case 'restore': {
        const request = { archive: requests.archiveWork, restore: requests.restoreWork }[act.do];
        this.#ask(() => this.#bus.request(request, {}, { kind: act.kind, name: act.name, by }));
        return;
      }
      case 'ask_optimizer':
        this.#ask(() => this.#askOptimizer(act.name, act.protocol));
        return;
      case 'call':
      case 'look':
        this.#ask(() => this.#handle(act));
        return;
      case 'stop':
        this.#stop(act.device);
        return;
      case 'release':
        this.#release();
        return;
      case 'reload':
        changeDevice(this.world.definitions, act.device);
        for (const { engine } of this.processes.orchestrators.values())
          // A deposed engine ignores the change; the next leader loads the changed definitions.
          engine?.definitionsChanged().catch((_deposed: unknown) => undefined);
        return;
    }
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
      await this.#bus.request(requests.engageStop, {}, emergencyStop);
      stop.engagedAt = time.now();
    });
  }

  /** Releases the present stops by their ids. A stop that is engaged meanwhile stays in force. */
  #release(): void {
    const { history, time } = this.world;
    for (const [id, stop] of history.stops) {
      if (stop.releasedAt !== undefined) continue;
      stop.releasedAt = time.now();
      this.#resume(() => this.#bus.request(requests.releaseStop, {}, { id, by }));
    }
  }

  /** A person reads all views, finds a device, and calls it. */
  async #handle(act: Extract<Act, { do: 'call' | 'look' }>): Promise<void> {
    const where = { lab: labName, device: act.device };
    await this.#bus.request(requests.listDevices, {}, {});
    await this.#bus.request(requests.listAgents, {}, {});
    const wholeQueue = { limit: longestPage, descending: false, after: null };
    await this.#bus.request(requests.readQueue, {}, wholeQueue);
    await this.#bus.request(requests.readSchedule, {}, { limit: longestSchedule });
    await this.#bus.request(requests.readEstimates, {}, {});
    const { computer, inc } = await this.#bus.request(requests.locateDevice, {}, where);
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
    await this.#bus.request(agentRequests.callDevice, tokens, body, { inc });
  }

  async #askOptimizer(name: string, protocol: string): Promise<void> {
    await this.#bus.request(requests.readOptimizerDefaults, {}, { protocol });
    await this.#bus.request(requests.addInsight, {}, { name, by, text: 'less of everything' });
    await this.#bus.request(requests.readOptimizer, {}, { name, explain: true });
    await this.#bus.request(requests.configureOptimizer, {}, { name, by, runtime_params: { p_ai: 0.5 } });
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
      this.#ask(() => this.#bus.request(requests.resolveAttention, {}, decision));
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

  /** Open questions except those about agents, because every agent comes back. */
  #questions(): AttentionRow[] {
    const { attention } = this.world.database.store.rows;
    return [...attention.values()].filter(({ state, kind }) => state === 'open' && kind !== 'agent');
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

  /** The requests that resume what is paused and release what is stopped. */
  #paused(): (() => Promise<unknown>)[] {
    const { protocolRuns, campaigns, emergencyStops, queuePauses } = this.world.database.store.rows;
    const named = ({ name }: { name: string }): { name: string; by: string } => ({ name, by });
    const isPaused = ({ state }: { state: string }): boolean => state === 'paused';
    return [
      ...[...campaigns.values()]
        .filter(isPaused)
        .map((row) => () => this.#bus.request(requests.resumeCampaign, {}, named(row))),
      ...[...protocolRuns.values()]
        .filter(isPaused)
        .map((row) => () => this.#bus.request(requests.resumeProtocolRun, {}, named(row))),
      ...[...emergencyStops.values()]
        .filter(({ releasedAt }) => releasedAt === null)
        .map(
          ({ id }) =>
            () =>
              this.#bus.request(requests.releaseStop, {}, { id, by }),
        ),
      ...[...queuePauses.values()]
        .filter(({ resumedAt }) => resumedAt === null)
        .map(() => () => this.#bus.request(requests.resumeQueue, {}, { by })),
    ];
  }

  /** Accepted work that is not over, in words. */
  unfinished(): string[] {
    const { rows } = this.world.database.store;
    return [...rows.campaigns.values(), ...rows.protocolRuns.values(), ...rows.taskRuns.values()]
      .filter((row) => !isTerminal(row.state))
      .map((row) => `${row.name} is ${row.state}`);
  }

  #submit(kind: Acceptance['kind'], name: string, send: () => Promise<{ id: string }>): void {
    this.#ask(async () => {
      const { id } = await send();
      this.world.history.acceptances.push({ at: this.world.time.now(), kind, name, id });
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
          const again =
            isServiceError(error) && (mayHelp(error) || (patience === Infinity && isUnanswered(error)));
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

/** It is not known whether the request had an effect. An idempotent request can be repeated. */
function isUnanswered(error: ServiceError): boolean {
  return error.effect === 'maybe';
}

function mayHelp(error: ServiceError): boolean {
  return error.effect === 'none' && errorCatalogue[error.code].retryable && error.code !== 'backlog_full';
}

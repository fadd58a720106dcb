import {
  agentRequests,
  errorCatalogue,
  isServiceError,
  isTerminal,
  orchestratorRequests as requests,
  type DeviceStatus,
  type ServiceError,
} from '@lab/contracts';
import { byHand, type Acceptance } from './history.js';
import { changeDevice, labName } from './laboratory.js';
import { Life } from './life.js';
import type { Wire } from './network.js';
import type { Act } from './schedule.js';
import type { World } from './world.js';

/** The name of the gateway on the network. */
export const gateway = 'gateway';

/** How long the gateway tries to reach a leader, and how often, in milliseconds. */
const patienceMs = 8_000;
const againMs = 250;

/** Who does it, for the audit. */
const by = 'ada';

/** The people of the laboratory, behind the gateway. */
export class People {
  readonly #wire: Wire;
  readonly #life: Life;
  #asking = 0;
  #calls = 0;

  constructor(private readonly world: World) {
    this.#life = new Life(gateway, world.time);
    this.#wire = world.network.connect(this.#life);
  }

  /** Somebody waits for an answer. */
  get waiting(): boolean {
    return this.#asking > 0;
  }

  act(act: Act): void {
    this.world.history.note(`people: ${act.do}`, 'name' in act ? act.name : act);
    switch (act.do) {
      case 'submit_run': {
        const body = { name: act.name, type: act.protocol, priority: act.priority };
        this.#submit('protocolRun', act.name, () => this.#wire.request(requests.submitProtocolRun, {}, body));
        return;
      }
      case 'submit_campaign': {
        const body = {
          name: act.name,
          protocol: act.protocol,
          max_protocol_runs: act.runs,
          max_concurrent_protocol_runs: act.beside,
        };
        this.#submit('campaign', act.name, () => this.#wire.request(requests.submitCampaign, {}, body));
        return;
      }
      case 'submit_task': {
        const devices = Object.fromEntries(
          Object.entries(act.slots).map(([slot, name]) => [slot, { lab_name: labName, name }]),
        );
        const body = { name: act.name, type: act.type, priority: act.priority, devices };
        this.#submit('onDemandTask', act.name, () => this.#wire.request(requests.submitTask, {}, body));
        return;
      }
      case 'cancel_run':
        this.#ask(() => this.#wire.request(requests.cancelProtocolRun, {}, { name: act.name }));
        return;
      case 'cancel_campaign':
        this.#ask(() => this.#wire.request(requests.cancelCampaign, {}, { name: act.name }));
        return;
      case 'cancel_task':
        this.#ask(() => this.#wire.request(requests.cancelTask, {}, { name: act.name }));
        return;
      case 'pause_run':
        this.#ask(() => this.#wire.request(requests.pauseProtocolRun, {}, { name: act.name, by }));
        return;
      case 'resume_run':
        this.#resume(() => this.#wire.request(requests.resumeProtocolRun, {}, { name: act.name, by }));
        return;
      case 'pause_campaign':
        this.#ask(() => this.#wire.request(requests.pauseCampaign, {}, { name: act.name, by }));
        return;
      case 'resume_campaign':
        this.#resume(() => this.#wire.request(requests.resumeCampaign, {}, { name: act.name, by }));
        return;
      case 'pause_queue':
        this.#ask(() => this.#wire.request(requests.pauseQueue, {}, { by }));
        return;
      case 'resume_queue':
        this.#resume(() => this.#wire.request(requests.resumeQueue, {}, { by }));
        return;
      case 'call':
      case 'look':
        this.#ask(() => this.#handle(act));
        return;
      case 'reload':
        changeDevice(this.world.definitions, act.device);
        for (const { engine } of this.world.orchestrators.values())
          // Whoever leads next begins with what is loaded then.
          engine?.definitionsChanged().catch((_deposed: unknown) => undefined);
        return;
    }
  }

  /** Finds a device and uses it by hand. */
  async #handle(act: Extract<Act, { do: 'call' | 'look' }>): Promise<void> {
    const where = { lab: labName, device: act.device };
    await this.#wire.request(requests.listDevices, {}, {});
    await this.#wire.request(requests.queueState, {}, {});
    const { computer, inc } = await this.#wire.request(requests.locateDevice, {}, where);
    const tokens = { computer, inc: String(inc), ...where };
    if (act.do === 'look') {
      await this.#wire.request(agentRequests.reportDevice, tokens, {}, { inc });
      return;
    }
    const id = `${byHand}${(this.#calls += 1)}`;
    const body = { call_id: id, function: act.function, arguments: { tag: `${id}#1`, ms: act.ms } };
    await this.#wire.request(agentRequests.callDevice, tokens, body, { inc });
  }

  /** Is there anything that only a person can settle? */
  get asked(): boolean {
    return this.#unclearTasks().length > 0 || this.#unclearDevices().length > 0 || this.#paused().length > 0;
  }

  /** Has looked at the instruments, and settles everything that is asked. */
  settle(): void {
    for (const { name, run } of this.#unclearTasks())
      this.#ask(() => this.#wire.request(requests.cancelTask, {}, { name, protocol_run_name: run }));
    for (const goOn of this.#paused()) this.#ask(goOn);
    for (const { computer, inc, status } of this.#unclearDevices()) {
      const { lab, name: device, doubt } = status;
      // Whoever sees it move waits.
      if (this.world.computers.get(computer)?.instrument(`${lab}.${device}`).moving === true) continue;
      const body = { doubt_id: doubt?.id ?? null, by };
      const tokens = { computer, inc: String(inc), lab, device };
      this.#ask(() => this.#wire.request(agentRequests.resetDevice, tokens, body, { inc }));
    }
  }

  /** What is paused, each with how it goes on. */
  #paused(): (() => Promise<unknown>)[] {
    const { protocolRuns, campaigns, halts } = this.world.database.store.rows;
    const named = ({ name }: { name: string }): { name: string; by: string } => ({ name, by });
    const isPaused = ({ state }: { state: string }): boolean => state === 'paused';
    return [
      ...[...campaigns.values()]
        .filter(isPaused)
        .map((row) => () => this.#wire.request(requests.resumeCampaign, {}, named(row))),
      ...[...protocolRuns.values()]
        .filter(isPaused)
        .map((row) => () => this.#wire.request(requests.resumeProtocolRun, {}, named(row))),
      ...[...halts.values()]
        .filter(({ scope, releasedAt }) => scope === 'queue' && releasedAt === null)
        .map(() => () => this.#wire.request(requests.resumeQueue, {}, { by })),
    ];
  }

  #unclearTasks(): { name: string; run: string | undefined }[] {
    const { rows } = this.world.database.store;
    return [...rows.taskRuns.values()]
      .filter((row) => row.state === 'needs_attention')
      .map((row) => ({
        name: row.name,
        run: row.runId === null ? undefined : rows.protocolRuns.get(row.runId)?.name,
      }));
  }

  #unclearDevices(): { computer: string; inc: number; status: DeviceStatus }[] {
    return [...this.world.computers.values()].flatMap(({ name, agent }) =>
      agent?.inc === undefined
        ? []
        : agent
            .devices()
            .filter(({ state }) => state === 'uncertain' || state === 'faulted')
            .map((status) => ({ computer: name, inc: agent.inc ?? 0, status })),
    );
  }

  /** Is anything that was accepted not over yet? */
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

  /** Nobody leaves anything paused for ever: until it goes on, or is over, it is said again. */
  #resume(send: () => Promise<unknown>): void {
    this.#ask(send, Infinity);
  }

  /** Asks until there is an answer that waiting does not change, as the gateway does. */
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

/** Whether it was done is not known; what is idempotent can be said again. */
function isUnanswered(error: ServiceError): boolean {
  return error.effect === 'maybe';
}

function mayHelp(error: ServiceError): boolean {
  return error.effect === 'none' && errorCatalogue[error.code].retryable && error.code !== 'backlog_full';
}

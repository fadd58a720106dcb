import {
  errorCatalogue,
  isServiceError,
  isTerminal,
  orchestratorRequests as requests,
  type ServiceError,
} from '@lab/contracts';
import type { Acceptance } from './history.js';
import { labName } from './laboratory.js';
import { Life } from './life.js';
import type { Wire } from './network.js';
import type { Act } from './schedule.js';
import type { World } from './world.js';

/** The name of the gateway on the network. */
export const gateway = 'gateway';

/** How long the gateway tries to reach a leader, and how often, in milliseconds. */
const patienceMs = 8_000;
const againMs = 250;

/** The people of the laboratory, behind the gateway. */
export class People {
  readonly #wire: Wire;
  readonly #life: Life;
  #asking = 0;

  constructor(private readonly world: World) {
    this.#life = new Life(gateway, world.time);
    this.#wire = world.network.connect(this.#life);
  }

  /** Somebody waits for an answer. */
  get waiting(): boolean {
    return this.#asking > 0;
  }

  act(act: Act): void {
    this.world.history.note(`people: ${act.do} ${act.name}`);
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
    }
  }

  /** What only a person can settle, as the records have it. */
  unclear(): { name: string; run: string | undefined }[] {
    const { rows } = this.world.database.store;
    return [...rows.taskRuns.values()]
      .filter((row) => row.state === 'needs_attention')
      .map((row) => ({
        name: row.name,
        run: row.runId === null ? undefined : rows.protocolRuns.get(row.runId)?.name,
      }));
  }

  /** Has looked at the instruments, and settles everything that is asked. */
  settle(): void {
    for (const { name, run } of this.unclear())
      this.#ask(() => this.#wire.request(requests.cancelTask, {}, { name, protocol_run_name: run }));
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

  /** Asks until there is an answer that waiting does not change, as the gateway does. */
  #ask(send: () => Promise<unknown>): void {
    const { time } = this.world;
    const until = time.now() + patienceMs;
    this.#asking += 1;
    const attempt = (): void => {
      send().then(
        () => (this.#asking -= 1),
        (error: unknown) => {
          if (isServiceError(error) && mayHelp(error) && time.now() < until) {
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

function mayHelp(error: ServiceError): boolean {
  return error.effect === 'none' && errorCatalogue[error.code].retryable && error.code !== 'backlog_full';
}

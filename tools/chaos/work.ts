import { setTimeout as delay } from 'node:timers/promises';
import type { ApiClient, ProtocolRunSubmission, TaskSubmission } from '@lab/api-client';
import { Chance } from '@lab/testkit/faults';
import type { Bench } from './laboratory.js';
import { isUnanswered, outcomeOf } from './requests.js';

const terminal = ['completed', 'failed', 'cancelled'];
/** Scientists who submit at the same time. Each waits for a response before the next submission. */
const scientists = 4;
/** How often a scientist sends the same protocol run before giving up. */
const sends = 6;

/** One submission, and what the service answered. */
export interface Submitted {
  name: string;
  isRun: boolean;
  accepted: boolean;
  /** The record says that the work has ended. */
  over: boolean;
  /** A scientist asked for the cancellation. */
  cancelled: boolean;
  record: { state: string; reason?: { code: string; message: string } | null } | undefined;
}

/** Scientists who submit work, sometimes cancel or pause it, and follow its state. */
export class Work {
  readonly submitted = new Map<string, Submitted>();
  #number = 0;
  #over = false;
  /** Scientists who may still send something. */
  #present = 0;
  readonly #changes = new Set<Promise<void>>();

  /** @param benches the instruments, by language */
  constructor(
    private readonly api: ApiClient,
    private readonly seed: number,
    private readonly benches: readonly Bench[],
  ) {}

  /** Keeps about `most` submissions in progress. The n-th submission of a seed is always the same. */
  async submitUntilStopped(most: number): Promise<void> {
    await Promise.all(Array.from({ length: scientists }, () => this.#submitWhileFewerThan(most)));
    await Promise.all(this.#changes);
  }

  /** Whether the scientists got an answer to everything they sent, and send no more. */
  get handedIn(): boolean {
    return this.#over && this.#present === 0 && this.#changes.size === 0;
  }

  async #submitWhileFewerThan(most: number): Promise<void> {
    this.#present += 1;
    while (!this.#over) {
      let pauseMs = 100;
      if (this.open.length < most) {
        const number = (this.#number += 1);
        const chance = new Chance(this.seed, `work/${number}`);
        pauseMs = chance.between(20, 200);
        await this.#submit(number, chance);
      }
      await delay(pauseMs);
    }
    this.#present -= 1;
  }

  async watchUntilStopped(): Promise<void> {
    while (!this.#over) {
      await this.look();
      await delay(500);
    }
  }

  /** Accepted work that is not known to have ended. */
  get open(): Submitted[] {
    return [...this.submitted.values()].filter((each) => each.accepted && !each.over);
  }

  /** Reads the records of all open work. */
  async look(): Promise<void> {
    for (const each of this.open) {
      const record = await outcomeOf<NonNullable<Submitted['record']>>(
        each.isRun
          ? this.api.get('/api/protocols/{protocol_run_name}', { path: { protocol_run_name: each.name } })
          : this.api.get('/api/tasks/{task_name}', { path: { task_name: each.name } }),
      );
      if (!record.ok) continue;
      each.record = record.value;
      each.over = terminal.includes(record.value.state);
    }
  }

  stop(): void {
    this.#over = true;
  }

  #submit(number: number, chance: Chance): Promise<void> {
    const bench = chance.pick(this.benches);
    const device = (among = bench) => ({ lab_name: 'chaos_lab', name: chance.pick(among.devices) });
    const kind = chance.pick(['work', 'work', 'work', 'assay', 'assay', 'transfer', 'chain']);
    const type = `${kind}${bench.ending}`;
    const name = `${type}_${number}`;
    const priority = chance.int(0, 3);
    if (kind === 'chain') return this.#send(chance, { run: { name, type, priority } });
    const retry = { attempts: 8, backoff: 0.2 };
    const task = { name, type, priority, retry, allocation_timeout: 200_000 };
    if (kind === 'assay') return this.#send(chance, { task: { ...task, devices: { instrument: device() } } });
    if (kind === 'transfer') {
      // With two languages, `transfer_python` moves an instrument in TypeScript and then one in Python.
      const [first = bench, last = first] = this.benches;
      const isMixed = bench.ending !== '';
      const from = device(isMixed ? first : bench);
      let to = device(isMixed ? last : bench);
      while (to.name === from.name) to = device();
      const input_parameters = { ms: chance.int(10, 150) };
      return this.#send(chance, { task: { ...task, devices: { from, to }, input_parameters } });
    }
    const input_parameters = {
      moves: chance.int(0, 3),
      ms: chance.int(5, chance.maybe(0.1) ? 2_000 : 200),
      // The upload of a large file continues where it broke off.
      bytes: chance.maybe(0.3) ? chance.int(1, chance.maybe(0.1) ? 4_000_000 : 200_000) : 0,
    };
    return this.#send(chance, { task: { ...task, devices: { instrument: device() }, input_parameters } });
  }

  async #send(
    chance: Chance,
    { task, run }: { task?: TaskSubmission; run?: ProtocolRunSubmission },
  ): Promise<void> {
    const name = task?.name ?? run?.name ?? '';
    const entry: Submitted = {
      name,
      isRun: run !== undefined,
      accepted: false,
      over: false,
      cancelled: false,
      record: undefined,
    };
    this.submitted.set(name, entry);
    // The name of a run is taken for ever, so a repeat is safe. The name of a task is free again after its end.
    for (let left = entry.isRun ? sends : 1; left > 0 && !this.#over; left -= 1) {
      const outcome = await outcomeOf<unknown>(
        task !== undefined
          ? this.api.post('/api/tasks', { body: task })
          : this.api.post('/api/protocols', { body: run as ProtocolRunSubmission }),
      );
      entry.accepted = outcome.ok || (outcome.status === 409 && outcome.code === 'duplicate_name');
      if (!isUnanswered(outcome)) break;
      await delay(500);
    }
    if (entry.accepted) this.#maybeChange(chance, entry);
  }

  /** Cancels one submission in thirty, and pauses one run in ten for a while. */
  #maybeChange(chance: Chance, entry: Submitted): void {
    const act = chance.maybe(0.03)
      ? this.#cancel(entry, chance.between(0, 3_000))
      : entry.isRun && chance.maybe(0.1)
        ? this.#pause(entry, chance.between(0, 500), chance.between(500, 3_000))
        : undefined;
    if (act === undefined) return;
    const done: Promise<void> = act.finally(() => this.#changes.delete(done));
    this.#changes.add(done);
  }

  async #cancel(entry: Submitted, afterMs: number): Promise<void> {
    await delay(afterMs);
    // Set before the request: a lost response does not say whether the cancellation arrived.
    entry.cancelled = true;
    const { name } = entry;
    await outcomeOf<unknown>(
      entry.isRun
        ? this.api.post('/api/protocols/{protocol_run_name}/cancel', { path: { protocol_run_name: name } })
        : this.api.post('/api/tasks/{task_name}/cancel', { path: { task_name: name } }),
    );
  }

  async #pause({ name }: Submitted, afterMs: number, forMs: number): Promise<void> {
    const path = { protocol_run_name: name };
    await delay(afterMs);
    await outcomeOf(
      this.api.post('/api/protocols/{protocol_run_name}/pause', { path, body: { by: 'scientist' } }),
    );
    await delay(forMs);
    const resume = () =>
      outcomeOf(this.api.post('/api/protocols/{protocol_run_name}/resume', { path, body: {} }));
    // Even when no response to the pause came, the run may be paused.
    while (isUnanswered(await resume())) await delay(500);
  }
}

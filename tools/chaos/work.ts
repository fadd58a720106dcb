import { setTimeout as delay } from 'node:timers/promises';
import { Chance } from './chance.ts';
import { ask, isUnanswered } from './http.mjs';

const terminal = ['completed', 'failed', 'cancelled'];
/** Who submit beside each other; each waits for an answer before the next piece. */
const scientists = 4;
/** How often a protocol run is sent under the same name before it is given up. */
const sends = 6;

/** Scientists who submit, change their mind now and then, and look how their work fares. */
export class Work {
  /** Name to what was submitted and how that was answered; only what was answered as accepted counts. */
  submitted = new Map();
  #url;
  #seed;
  #devices;
  #number = 0;
  #over = false;
  #changes = new Set();

  /** @param devices names of the instruments */
  constructor(url, seed, devices) {
    this.#url = url;
    this.#seed = seed;
    this.#devices = devices;
  }

  /** Keeps about `most` pieces of work in hand until it is told to stop. The n-th piece of a seed is always the same. */
  async submitUntilStopped(most) {
    await Promise.all(Array.from({ length: scientists }, () => this.#submitWhileFewerThan(most)));
    await Promise.all(this.#changes);
  }

  async #submitWhileFewerThan(most) {
    while (!this.#over) {
      let pauseMs = 100;
      if (this.open.length < most) {
        const number = (this.#number += 1);
        const chance = new Chance(this.#seed, `work/${number}`);
        pauseMs = chance.between(20, 200);
        await this.#submit(number, chance);
      }
      await delay(pauseMs);
    }
  }

  /** Remembers which of the accepted work is over. */
  async watchUntilStopped() {
    while (!this.#over) {
      await this.look();
      await delay(500);
    }
  }

  /** What was accepted and is not known to be over. */
  get open() {
    return [...this.submitted.values()].filter((each) => each.accepted && !each.over);
  }

  /** Looks at everything that is open. */
  async look() {
    for (const each of this.open) {
      const record = await ask(this.#url, 'GET', `/api/${each.path}/${each.body.name}`);
      if (record.status !== 200) continue;
      each.record = record.body;
      each.over = terminal.includes(record.body.state);
    }
  }

  stop() {
    this.#over = true;
  }

  async #submit(number, chance) {
    const retry = { attempts: 8, backoff: 0.2 };
    const device = () => ({ lab_name: 'chaos_lab', name: chance.one(this.#devices) });
    const kind = chance.one(['work', 'work', 'work', 'assay', 'assay', 'transfer', 'chain']);
    const name = `${kind}_${number}`;
    const priority = chance.whole(0, 3);
    if (kind === 'chain') return this.#send(chance, 'protocols', { name, type: 'chain', priority });
    const task = { name, type: kind, priority, retry, allocation_timeout: 200_000 };
    if (kind === 'assay') return this.#send(chance, 'tasks', { ...task, devices: { instrument: device() } });
    if (kind === 'transfer') {
      const from = device();
      let to = device();
      while (to.name === from.name) to = device();
      return this.#send(chance, 'tasks', {
        ...task,
        devices: { from, to },
        input_parameters: { ms: chance.whole(10, 150) },
      });
    }
    const input_parameters = {
      moves: chance.whole(0, 3),
      ms: chance.whole(5, chance.happens(0.1) ? 2_000 : 200),
      // A large one is continued where its upload broke off.
      bytes: chance.happens(0.3) ? chance.whole(1, chance.happens(0.1) ? 4_000_000 : 200_000) : 0,
    };
    return this.#send(chance, 'tasks', { ...task, devices: { instrument: device() }, input_parameters });
  }

  async #send(chance, path, body) {
    const entry = { path, body, accepted: false, over: false, record: undefined, cancelled: false };
    this.submitted.set(body.name, entry);
    // The name of a run is taken for ever, so that a repeat is safe; the name of a task is free again when it has ended.
    for (let left = path === 'protocols' ? sends : 1; left > 0 && !this.#over; left -= 1) {
      const { status, body: answer } = await ask(this.#url, 'POST', `/api/${path}`, body);
      entry.status = status;
      entry.accepted = status === 201 || (status === 409 && answer?.code === 'duplicate_name');
      if (!isUnanswered(status)) break;
      await delay(500);
    }
    if (entry.accepted) this.#maybeChange(chance, entry);
  }

  /** One in thirty is cancelled, one run in ten is paused for a while. */
  #maybeChange(chance, entry) {
    const act = chance.happens(0.03)
      ? this.#cancel(entry, chance.between(0, 3_000))
      : entry.path === 'protocols' && chance.happens(0.1)
        ? this.#pause(entry, chance.between(0, 500), chance.between(500, 3_000))
        : undefined;
    if (act === undefined) return;
    const done = act.finally(() => this.#changes.delete(done));
    this.#changes.add(done);
  }

  async #cancel(entry, afterMs) {
    await delay(afterMs);
    // From here on, for an answer that got lost says nothing.
    entry.cancelled = true;
    await ask(this.#url, 'POST', `/api/${entry.path}/${entry.body.name}/cancel`);
  }

  async #pause({ body: { name } }, afterMs, forMs) {
    await delay(afterMs);
    await ask(this.#url, 'POST', `/api/protocols/${name}/pause`, { by: 'scientist' });
    await delay(forMs);
    // Until it is heard; also when the pause was not answered, for it may have come about all the same.
    while (isUnanswered((await ask(this.#url, 'POST', `/api/protocols/${name}/resume`, {})).status))
      await delay(500);
  }
}

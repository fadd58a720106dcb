import { setTimeout as delay } from 'node:timers/promises';
import { readMotions } from './instruments.mjs';

/** Scientists who submit, and an operator who settles what is asked. Both speak HTTP only, and give up on no 5xx. */
export class Work {
  /** Name to what was submitted and how that was answered; only what was answered with 201 counts as accepted. */
  submitted = new Map();
  /** What the operator decided. */
  decisions = [];
  #url;
  #chance;
  #devices;
  #folder;
  #number = 0;
  #over = false;

  constructor(url, chance, devices, instrumentFolder) {
    this.#url = url;
    this.#chance = chance;
    this.#devices = devices;
    this.#folder = instrumentFolder;
  }

  /** Keeps about `most` pieces of work in hand until it is told to stop. */
  async submitUntilStopped(most) {
    while (!this.#over) {
      const open = [...this.submitted.values()].filter((each) => each.accepted && !each.over).length;
      if (open < most) await this.#submit();
      await delay(this.#chance.between(20, 120));
    }
  }

  /** Looks at what is asked, walks to the instrument, and answers. */
  async operateUntilStopped() {
    while (!this.#over) {
      await this.settleAll();
      await delay(1_000);
    }
  }

  /** Remembers which of the accepted work is over. */
  async watchUntilStopped() {
    while (!this.#over) {
      await this.look();
      await delay(500);
    }
  }

  async look() {
    const open = [...this.submitted].filter(([, each]) => each.accepted && !each.over);
    for (const [name, each] of open) {
      const record = await this.#call('GET', `/api/${each.path}/${name}`);
      if (record.status === 200) {
        each.record = record.body;
        each.over = ['completed', 'failed', 'cancelled'].includes(record.body.state);
      }
    }
    return [...this.submitted.values()].filter((each) => each.accepted && !each.over);
  }

  async settleAll() {
    const { status, body } = await this.#call('GET', '/api/attention?state=open');
    if (status !== 200) return;
    for (const item of body) await this.#settle(item);
  }

  stop() {
    this.#over = true;
  }

  async #settle(item) {
    let decision;
    if (item.kind === 'device') {
      // The person waits until nothing moves, and makes the note that the instrument could not make.
      if (!(await this.#standsStill(item.device))) return;
      decision = { action: 'idle', by: 'operator', note: 'it stands still' };
    } else if (item.kind === 'agent') {
      return;
    } else {
      decision = { action: 'retry', by: 'operator', note: 'nothing was spoilt' };
    }
    const { status } = await this.#call('POST', `/api/attention/${item.id}/resolve`, decision);
    this.decisions.push({ item, decision, status, at: Date.now() });
  }

  async #standsStill(device) {
    const name = device.split('.')[1];
    const { open, end } = readMotions(this.#folder, name);
    for (const motion of open) {
      if (motion.until > Date.now()) return false;
      end(motion.call_id, 'operator');
    }
    return true;
  }

  async #submit() {
    this.#number += 1;
    const chance = this.#chance;
    const retry = { attempts: 10, backoff: 0.2 };
    const device = () => ({ lab_name: 'chaos_lab', name: chance.one(this.#devices) });
    const kind = chance.one(['work', 'work', 'work', 'assay', 'assay', 'transfer', 'chain']);
    const name = `${kind}_${this.#number}`;
    const priority = chance.whole(0, 3);
    if (kind === 'chain') return this.#send(name, 'protocols', { name, type: 'chain', priority });
    const task = { name, type: kind, priority, retry, allocation_timeout: 100_000 };
    if (kind === 'assay') return this.#send(name, 'tasks', { ...task, devices: { instrument: device() } });
    if (kind === 'transfer') {
      const from = device();
      let to = device();
      while (to.name === from.name) to = device();
      return this.#send(name, 'tasks', {
        ...task,
        devices: { from, to },
        input_parameters: { ms: chance.whole(10, 150) },
      });
    }
    const input_parameters = {
      moves: chance.whole(0, 3),
      ms: chance.whole(5, chance.happens(0.1) ? 2_000 : 200),
      bytes: chance.happens(0.3) ? chance.whole(1, 200_000) : 0,
    };
    return this.#send(name, 'tasks', { ...task, devices: { instrument: device() }, input_parameters });
  }

  async #send(name, path, body) {
    const entry = { path, body, accepted: false, over: false, record: undefined };
    this.submitted.set(name, entry);
    const { status } = await this.#call('POST', `/api/${path}`, body);
    entry.status = status;
    entry.accepted = status === 201;
  }

  /** Status 0: no answer. Nothing is thrown. */
  async #call(method, path, body) {
    try {
      const response = await fetch(`${this.#url}${path}`, {
        method,
        signal: AbortSignal.timeout(15_000),
        ...(body === undefined
          ? {}
          : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
    } catch {
      // The gateway is dead, stopped or cut off: that is what happens here.
      return { status: 0, body: undefined };
    }
  }
}

import { setTimeout as delay } from 'node:timers/promises';
import { Chance } from './chance.ts';
import { ask, isUnanswered } from './http.mjs';
import { readMotions } from './instruments.ts';

/** Somebody in the laboratory: settles what is asked, and now and then stops something and lets it go on. */
export class Operator {
  /** What was decided: the item, the decision, and the status of the answer. */
  decisions = [];
  /** Stops and pauses that were asked for. */
  stops = 0;
  #url;
  #seed;
  #folder;
  #devices;
  #over = false;

  /** @param folder where the instruments write down what they did; devices: their names */
  constructor(url, seed, folder, devices) {
    this.#url = url;
    this.#seed = seed;
    this.#folder = folder;
    this.#devices = devices;
  }

  async settleUntilStopped() {
    while (!this.#over) {
      await this.settleAll();
      await delay(1_000);
    }
  }

  /** About every twenty seconds an emergency stop or a pause of the queue, released after a few seconds. */
  async interfereUntilStopped() {
    for (let number = 1; ; number += 1) {
      const chance = new Chance(this.#seed, `stop/${number}`);
      const startAt = performance.now() + chance.between(8_000, 30_000);
      while (performance.now() < startAt) {
        if (this.#over) return;
        await delay(200);
      }
      this.stops += 1;
      const pause = chance.happens(0.3);
      const scope = chance.happens(0.3)
        ? { lab_name: 'chaos_lab' }
        : { lab_name: 'chaos_lab', device_name: chance.one(this.#devices) };
      const forMs = chance.between(500, 4_000);
      if (pause) await this.#post('/api/queue/pause', { by: 'operator' });
      else await this.#post('/api/estop', { ...scope, reason: 'a drill', by: 'operator' });
      await delay(forMs);
      while (!this.#over && !(await this.release())) await delay(500);
    }
  }

  /** Looks at what is asked, walks to the instrument, and answers. @returns how many questions are open; undefined: unknown */
  async settleAll() {
    const { status, body } = await ask(this.#url, 'GET', '/api/attention?state=open');
    if (status !== 200) return undefined;
    for (const item of body.items) await this.#settle(item);
    return body.items.length;
  }

  /** Ends every stop and the pause of the queue, whoever asked for them. @returns whether nothing is stopped */
  async release() {
    const stops = await ask(this.#url, 'GET', '/api/estop');
    const queue = await ask(this.#url, 'GET', '/api/queue');
    if (stops.status !== 200 || queue.status !== 200) return false;
    if (stops.body.items.length > 0) await this.#post('/api/estop/release', { by: 'operator' });
    if (queue.body.paused) await this.#post('/api/queue/resume', { by: 'operator' });
    return stops.body.items.length === 0 && !queue.body.paused;
  }

  stop() {
    this.#over = true;
  }

  async #post(path, body) {
    for (let left = 20; left > 0; left -= 1) {
      const { status } = await ask(this.#url, 'POST', path, body);
      if (!isUnanswered(status)) return;
      await delay(500);
    }
  }

  async #settle(item) {
    let decision;
    if (item.kind === 'device') {
      // The person waits until nothing moves, and makes the note that the instrument could not make.
      if (!this.#standsStill(item.device)) return;
      decision = { action: 'idle', by: 'operator', note: 'it stands still' };
    } else if (item.kind === 'task') {
      decision = { action: 'retry', by: 'operator', note: 'nothing was spoilt' };
    } else {
      // Every computer comes back.
      return;
    }
    const { status, body } = await this.#decide(item, decision);
    // What somebody has cancelled is not tried again, and says so.
    if (status === 409 && item.kind === 'task' && /being stopped/.test(body?.detail ?? ''))
      await this.#decide(item, { action: 'failed', by: 'operator', note: 'it was cancelled' });
  }

  async #decide(item, decision) {
    const answer = await ask(this.#url, 'POST', `/api/attention/${item.id}/resolve`, decision);
    this.decisions.push({ item, decision, status: answer.status });
    return answer;
  }

  #standsStill(device) {
    const { open, end } = readMotions(this.#folder, device.split('.')[1]);
    for (const motion of open) {
      if (motion.until > Date.now()) return false;
      end(motion.call_id, 'operator');
    }
    return true;
  }
}

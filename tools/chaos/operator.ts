import type { ApiClient, AttentionRecord } from '@lab/api-client';
import { setTimeout as delay } from 'node:timers/promises';
import { Chance } from '@lab/testkit/faults';
import { endMotion, readMotions } from './instruments.js';
import { isUnanswered, outcomeOf, type Outcome } from './requests.js';

/** The operator of the laboratory: settles attention items, and now and then stops devices or pauses the queue. */
export class Operator {
  /** Attention items that the operator tried to settle. */
  decided = 0;
  /** Emergency stops and queue pauses so far. */
  stops = 0;
  #over = false;

  /**
   * @param logs folder in which the instruments record their motions
   * @param devices names of the instruments
   */
  constructor(
    private readonly api: ApiClient,
    private readonly seed: number,
    private readonly logs: string,
    private readonly devices: readonly string[],
  ) {}

  async settleUntilStopped(): Promise<void> {
    while (!this.#over) {
      await this.settleAll();
      await delay(1_000);
    }
  }

  /** About every twenty seconds: an emergency stop or a queue pause, released after a few seconds. */
  async interfereUntilStopped(): Promise<void> {
    for (let number = 1; ; number += 1) {
      const chance = new Chance(this.seed, `stop/${number}`);
      const startAt = performance.now() + chance.between(8_000, 30_000);
      while (performance.now() < startAt) {
        if (this.#over) return;
        await delay(200);
      }
      this.stops += 1;
      const pausesQueue = chance.maybe(0.3);
      const device = chance.maybe(0.3) ? undefined : chance.pick(this.devices);
      const forMs = chance.between(500, 4_000);
      const scope = { lab_name: 'chaos_lab', ...(device === undefined ? {} : { device_name: device }) };
      await persist(() =>
        pausesQueue
          ? this.api.post('/api/queue/pause', { body: { by: 'operator' } })
          : this.api.post('/api/estop', { body: { ...scope, reason: 'a drill', by: 'operator' } }),
      );
      await delay(forMs);
      while (!this.#over && !(await this.release())) await delay(500);
    }
  }

  /** Looks at each open attention item, walks to the instrument, and settles it. @returns open items; undefined: unknown */
  async settleAll(): Promise<number | undefined> {
    const open = await outcomeOf(this.api.get('/api/attention', { query: { state: 'open' } }));
    if (!open.ok) return undefined;
    for (const item of open.value.items) await this.#settle(item);
    return open.value.items.length;
  }

  /** Releases every emergency stop and the queue pause. @returns whether nothing was stopped or paused before */
  async release(): Promise<boolean> {
    const stops = await outcomeOf(this.api.get('/api/estop'));
    const queue = await outcomeOf(this.api.get('/api/queue'));
    if (!stops.ok || !queue.ok) return false;
    const isStopped = stops.value.items.length > 0;
    if (isStopped) await persist(() => this.api.post('/api/estop/release', { body: { by: 'operator' } }));
    if (queue.value.paused)
      await persist(() => this.api.post('/api/queue/resume', { body: { by: 'operator' } }));
    return !isStopped && !queue.value.paused;
  }

  stop(): void {
    this.#over = true;
  }

  async #settle(item: AttentionRecord): Promise<void> {
    if (item.kind === 'device') {
      // The operator waits until nothing moves, and records the end that the instrument could not record.
      if (this.#standsStill(item.device ?? '')) await this.#decide(item, 'idle', 'it stands still');
    } else if (item.kind === 'task') {
      const outcome = await this.#decide(item, 'retry', 'the sample is intact');
      // The service refuses to retry cancelled work.
      if (!outcome.ok && outcome.status === 409 && /being stopped/.test(outcome.detail ?? ''))
        await this.#decide(item, 'failed', 'it was cancelled');
    }
    // An item about an agent needs no decision: every computer comes back.
  }

  #decide(
    { id }: AttentionRecord,
    action: 'idle' | 'retry' | 'failed',
    note: string,
  ): Promise<Outcome<unknown>> {
    this.decided += 1;
    const body = { action, by: 'operator', note };
    return outcomeOf(this.api.post('/api/attention/{id}/resolve', { path: { id }, body }));
  }

  /** @param device `<lab>.<device>` */
  #standsStill(device: string): boolean {
    const open = readMotions(this.logs, device.split('.')[1] ?? '').filter(({ end }) => end === undefined);
    for (const motion of open) {
      if (motion.until > Date.now()) return false;
      endMotion(this.logs, motion, 'operator');
    }
    return true;
  }
}

/** Sends a request again until there is a response. */
async function persist(send: () => Promise<unknown>): Promise<void> {
  for (let left = 20; left > 0; left -= 1) {
    if (!isUnanswered(await outcomeOf(send()))) return;
    await delay(500);
  }
}

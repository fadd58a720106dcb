import { optimizerEvents, serviceRequests } from '@lab/contracts';
import type { Bus } from '@lab/messaging';
import { MemoryBroker } from '@lab/messaging/testing';
import { createLog } from '@lab/runtime';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OptimizerWorker } from '../src/worker.js';
import { hostsWith } from './hosts-with.js';

/** A clock that the test advances. */
class ManualTime {
  #now = 1_000;
  #due: { at: number; callback: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  after(ms: number, callback: () => void): () => void {
    const entry = { at: this.#now + ms, callback };
    this.#due.push(entry);
    return () => {
      this.#due = this.#due.filter((each) => each !== entry);
    };
  }

  pass(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const next = this.#due.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.#due = this.#due.filter((each) => each !== next);
      this.#now = next.at;
      next.callback();
    }
    this.#now = end;
  }
}

let time: ManualTime;
let bus: Bus;
let other: Bus;
let worker: OptimizerWorker;
let heard: { instance: string; addresses: string[] }[];

beforeEach(async () => {
  const broker = new MemoryBroker();
  time = new ManualTime();
  bus = broker.connect({ role: 'optimizer', name: 'a' });
  other = broker.connect({ role: 'test', name: 'b' });
  heard = [];
  await other.subscribe(optimizerEvents.announced, {}, (body) => {
    heard.push(body);
  });
  worker = new OptimizerWorker({
    bus,
    clock: time,
    timers: time,
    worker: 'a',
    instance: 'w1',
    version: '9.9.9',
    addresses: () => ['10.0.0.7'],
    log: createLog({ service: 'optimizer', destination: { write: () => undefined } }),
    modules: {
      path: () => Promise.reject(new Error('there are no modules')),
      archivePieces: () => () => Promise.reject(new Error('there are no libraries')),
    },
    sealing: undefined,
    hosts: hostsWith(undefined),
    lend: () => Promise.reject(new Error('nothing is lent')),
    computingMs: 1_000,
  });
});

afterEach(async () => {
  await worker.stop();
  await bus.close();
  await other.close();
});

describe('the optimizer worker', () => {
  it('announces itself with its addresses at the start and every five seconds', async () => {
    await worker.start();
    time.pass(10_000);
    await expect.poll(() => heard.length).toBe(3);
    expect(heard[0]).toEqual({ instance: 'w1', addresses: ['10.0.0.7'], version: '9.9.9' });
  });

  it('answers health requests with its uptime in seconds', async () => {
    await worker.start();
    time.pass(2_500);
    const health = await other.request(serviceRequests.health, { service: 'optimizer' }, {});
    expect(health).toEqual({
      service: 'optimizer',
      instance: 'w1',
      version: '9.9.9',
      status: 'ok',
      uptime_s: 2.5,
    });
  });

  it('announces that it leaves', async () => {
    const left: string[] = [];
    await other.subscribe(optimizerEvents.leaving, {}, ({ instance }) => {
      left.push(instance);
    });
    await worker.start();
    await worker.stop();
    await expect.poll(() => left).toEqual(['w1']);
  });

  it('sends and answers nothing after it has stopped', async () => {
    await worker.start();
    await expect.poll(() => heard.length).toBe(1);
    await worker.stop();
    time.pass(60_000);
    await expect(other.request(serviceRequests.health, { service: 'optimizer' }, {})).rejects.toMatchObject({
      code: 'service_unavailable',
      effect: 'none',
    });
    expect(heard).toHaveLength(1);
  });
});

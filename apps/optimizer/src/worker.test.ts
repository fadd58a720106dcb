import { optimizerEvents, serviceRequests } from '@lab/contracts';
import { MemoryBroker, type Bus } from '@lab/messaging';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ownAddresses } from './addresses.js';
import { OptimizerWorker } from './worker.js';

/** Time that passes only when told to. */
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
    instance: 'w1',
    version: '9.9.9',
    addresses: () => ['10.0.0.7'],
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

  it('answers for its health with its uptime in seconds', async () => {
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

  it('says and answers nothing after it has stopped', async () => {
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

describe('the addresses of a computer', () => {
  it('are those of all its networks, each once, the loopback address always among them', () => {
    const network = { netmask: '', mac: '', internal: false, cidr: null, family: 'IPv4' as const };
    expect(
      ownAddresses({
        eth0: [{ ...network, address: '10.0.0.7' }],
        wlan0: [{ ...network, address: '10.0.0.7' }],
      }),
    ).toEqual(['10.0.0.7', '127.0.0.1']);
  });
});

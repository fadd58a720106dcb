import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  agentEvents,
  agentRequests,
  isServiceError,
  orchestratorEvents,
  orchestratorRequests as requests,
  type DeviceStatus,
  type RolloutRecord,
} from '@lab/contracts';
import type { Bus, Subscription } from '@lab/messaging';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { Site, type Orchestrator } from './orchestrators.js';

/** Rollouts of real orchestrators, over a real broker and on a real database. The agents are messages. */

const [before, after] = ['1.0.0', '2.0.0'];
const restartMs = 1_500;

/** An agent that restarts with the version that it is asked for. */
class UpdatingAgent {
  version = before;
  /** The versions that it was asked for. */
  readonly asked: string[] = [];
  /** What it does when it is asked. */
  onAsked: (version: string) => void = () => undefined;
  #session = randomUUID();
  #sessions: string[] = [];
  #devices: DeviceStatus[] = [];
  #subscriptions: Subscription[] = [];
  #served: Subscription | undefined;
  #inc = 0;
  #registering = Promise.resolve();
  #epoch = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly bus: Bus,
    readonly computer: string,
  ) {}

  async join(): Promise<this> {
    this.#subscriptions = [
      await this.bus.subscribe(orchestratorEvents.leading, {}, async ({ epoch }) => {
        if (epoch > this.#epoch) await this.#registered(epoch);
      }),
    ];
    await this.#registered();
    this.#timer = setInterval(() => this.#beat(), 500);
    return this;
  }

  /** The process ends in order, and another one with the version starts. */
  async restart(version: string): Promise<void> {
    const { computer } = this;
    this.bus.publish(agentEvents.leaving, { computer }, { inc: this.#inc, session: this.#session });
    await this.#served?.unsubscribe();
    this.#served = undefined;
    this.#sessions.push(this.#session);
    this.#session = randomUUID();
    this.version = version;
    await this.#registered();
  }

  restartIn(ms: number, version: string): void {
    setTimeout(() => void this.restart(version), ms);
  }

  async leave(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all([...this.#subscriptions, this.#served].map((each) => each?.unsubscribe()));
  }

  /** Registers, one time after the other, as soon as somebody leads. */
  #registered(epoch = Infinity): Promise<void> {
    this.#registering = this.#registering.then(async () => {
      while (this.#epoch < epoch)
        try {
          return await this.#register();
        } catch (error) {
          if (!isServiceError(error) || !error.retryable) throw error;
          await delay(100);
        }
    });
    return this.#registering;
  }

  async #register(): Promise<void> {
    const { bus, computer, version } = this;
    const hello = { computer, session: this.#session, sessions: this.#sessions, version, attempts: [] };
    const updates = { platform: 'linux-x64', refusal: null, failed: null };
    const body = { ...hello, devices: this.#devices, updates };
    const { inc, epoch, devices } = await bus.request(requests.registerAgent, { computer }, body);
    this.#devices = devices.map(({ lab, name }) => ({
      ...{ lab, name, state: 'idle' as const, detail: null, functions: [] },
    }));
    this.#epoch = epoch;
    if (inc !== this.#inc || this.#served === undefined) {
      const tokens = { computer, inc: String(inc) };
      const old = this.#served;
      this.#served = await bus.serve(agentRequests.updateAgent, tokens, ({ version: wanted }) => {
        this.asked.push(wanted);
        this.onAsked(wanted);
        return { state: 'placed' as const };
      });
      await old?.unsubscribe();
    }
    this.#inc = inc;
    this.#beat();
  }

  #beat(): void {
    const body = { inc: this.#inc, devices: this.#devices, attempts: [] };
    this.bus.publish(agentEvents.heartbeat, { computer: this.computer }, body);
  }
}

let site: Site;
let first: Orchestrator;
let canary: UpdatingAgent;
let second: UpdatingAgent;

beforeAll(async () => {
  site = await Site.open();
  first = await site.orchestrator();
  expect(first.told).toMatchObject({ type: 'ready' });
  canary = await new UpdatingAgent(site.bus, 'idle_computer').join();
  second = await new UpdatingAgent(site.bus, 'svc_computer').join();
});
afterAll(async () => {
  await Promise.all([canary?.leave(), second?.leave()]);
  await site?.dispose();
});
beforeEach(async () => {
  for (const agent of [canary, second]) {
    agent.asked.length = 0;
    agent.onAsked = (version) => agent.restartIn(restartMs, version);
    if (agent.version !== before) await agent.restart(before);
  }
});

const start = (version: string): Promise<RolloutRecord> =>
  site.bus.request(
    requests.startRollout,
    {},
    {
      ...{ version, computers: null, canary: null, settle_s: 0, reason: 'release', by: 'ada' },
      packages: [
        { version: before, platform: 'linux-x64' },
        { version: after, platform: 'linux-x64' },
      ],
    },
  );
const latest = async (): Promise<RolloutRecord | undefined> =>
  (await site.bus.request(requests.listRollouts, {}, {})).rollouts[0];
const stateIs = (state: string) =>
  expect.poll(async () => (await latest().catch(() => undefined))?.state, { timeout: 40_000 }).toBe(state);
const drained = async (): Promise<string[]> =>
  (await site.bus.request(requests.listAgents, {}, {})).agents.flatMap(({ computer, drain }) =>
    drain === null ? [] : [computer],
  );

it('updates its computers one ring after the other, and ends their drains', async () => {
  const { computers } = await start(after);
  expect(computers.map(({ computer, ring }) => [computer, ring])).toEqual([
    ['idle_computer', 1],
    ['svc_computer', 2],
  ]);
  await expect.poll(drained, { timeout: 10_000 }).toEqual(['idle_computer']);
  expect(second.asked).toEqual([]);
  await stateIs('completed');
  expect([canary.asked, second.asked, await drained()]).toEqual([[after], [after], []]);
});

it('halts when an agent comes back as it was, and goes on after a person resumed it', async () => {
  canary.onAsked = () => canary.restartIn(200, before);
  const { id } = await start(after);
  await stateIs('halted');
  expect((await latest())?.halt?.reason).toBe(`idle_computer came back with version ${before}`);
  canary.onAsked = (version) => canary.restartIn(200, version);
  await site.bus.request(requests.resumeRollout, {}, { id, by: 'bob', reason: 'looked at it' });
  await stateIs('completed');
  expect(canary.asked).toEqual([after, after]);
});

it(
  'goes on under another leader, which asks no agent twice that has come back',
  { timeout: 90_000 },
  async () => {
    await start(after);
    await expect.poll(() => canary.asked.length, { timeout: 10_000 }).toBe(1);
    // The leader dies between its question and the return of the agent.
    first.signal('SIGKILL');
    first = await site.orchestrator();
    expect(first.told).toMatchObject({ type: 'ready' });
    await stateIs('completed');
    expect([canary.version, second.version, second.asked, await drained()]).toEqual([
      ...[after, after, [after]],
      [],
    ]);
    expect(canary.asked.length).toBe(1);
  },
);

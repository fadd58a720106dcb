import { ServiceError } from '@lab/contracts';
import { MemoryStore } from '@lab/engine/testing';
import { VirtualClock } from '@lab/ports';
import type { Store } from '@lab/engine';
import { describe, expect, it } from 'vitest';
import { storeUnder, type Lease } from '../src/lease.js';
import { Leadership, type LeadershipPorts } from '../src/leadership.js';
import { leaderTimings } from '../src/timings.js';

const { actsForMs, leaseMs } = leaderTimings;

const silent: LeadershipPorts['log'] = {
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
const away = (): never => {
  throw new ServiceError('store_unavailable', 'the database is away');
};

/** An orchestrator that only leads, on a store and a clock that it shares with others. */
class Candidate {
  readonly terms: { lease: Lease; endedAt?: number; why?: string }[] = [];
  readonly leadership: Leadership;
  /** The database as this orchestrator reaches it. */
  reach: () => void = () => undefined;
  takeover: () => void = () => undefined;
  failure: unknown;

  constructor(
    readonly clock: VirtualClock,
    readonly store: MemoryStore,
    readonly name: string,
  ) {
    const ports: LeadershipPorts = {
      store: {
        lead: async (instance, ms) => (this.reach(), store.lead(instance, ms)),
        renew: async (epoch, ms) => (this.reach(), store.renew(epoch, ms)),
        resign: async (epoch) => (this.reach(), store.resign(epoch)),
      },
      clock,
      timers: clock,
      log: silent,
    };
    this.leadership = new Leadership(ports, name, async (lease) => {
      this.takeover();
      const term: (typeof this.terms)[number] = { lease };
      this.terms.push(term);
      return {
        end: async (why: string) => {
          term.endedAt = clock.now();
          term.why = why;
        },
      };
    });
  }

  start(): this {
    this.leadership.run().catch((error: unknown) => (this.failure = error));
    return this;
  }

  get holds(): boolean {
    return this.terms.at(-1)?.lease.held ?? false;
  }
}

function lab() {
  const clock = new VirtualClock();
  const store = new MemoryStore(clock);
  return { clock, store, candidate: (name: string) => new Candidate(clock, store, name) };
}

describe('leadership', () => {
  it('lasts while the database confirms it, and no other process leads', async () => {
    const { clock, candidate } = lab();
    const [a, b] = [candidate('a').start(), candidate('b').start()];
    await clock.advance(60_000);
    expect(a.terms).toHaveLength(1);
    expect(a.holds).toBe(true);
    expect(b.terms).toHaveLength(0);
    await Promise.all([a.leadership.stop(), b.leadership.stop()]);
    expect(clock.pending).toBe(0);
  });

  it('passes to the standby after the end of the lease when the leader loses the database', async () => {
    const { clock, candidate } = lab();
    const [a, b] = [candidate('a').start(), candidate('b').start()];
    await clock.advance(10_500);
    a.reach = away;
    const cut = clock.now();
    await clock.advance(6_000);
    expect(a.terms).toHaveLength(1);
    expect(a.terms[0]).toMatchObject({ why: 'the database has not confirmed the leadership' });
    const letGo = a.terms[0]?.endedAt ?? Infinity;
    expect(letGo - cut).toBeLessThanOrEqual(actsForMs);
    expect(b.holds).toBe(true);
    const [first] = b.terms;
    expect(first?.lease.epoch).toBe(2);
    a.reach = () => undefined;
    await clock.advance(6_000);
    expect(a.terms).toHaveLength(1);
    expect(a.leadership.leading).toBe(false);
    await Promise.all([a.leadership.stop(), b.leadership.stop()]);
  });

  it('is never held by two processes, whichever of them reaches the database', async () => {
    const { clock, candidate } = lab();
    const all = ['a', 'b', 'c'].map((name) => candidate(name).start());
    let moves = 0;
    for (let step = 0; step < 2_000; step += 1) {
      const one = all[(step * 7) % 3];
      if (one !== undefined && step % 11 === 0) one.reach = step % 2 === 0 ? away : () => undefined;
      await clock.advance(50);
      expect(all.filter((each) => each.holds).length).toBeLessThanOrEqual(1);
      moves = all.reduce((sum, each) => sum + each.terms.length, 0);
    }
    expect(moves).toBeGreaterThan(3);
    await Promise.all(all.map((each) => each.leadership.stop()));
  });

  it('is returned by a leader that stops, so that the standby leads at its next request', async () => {
    const { clock, candidate } = lab();
    const [a, b] = [candidate('a').start(), candidate('b').start()];
    await clock.advance(5_000);
    await a.leadership.stop();
    expect(a.terms[0]).toMatchObject({ why: 'the orchestrator is stopping' });
    await clock.advance(250);
    expect(b.leadership.leading).toBe(true);
    await b.leadership.stop();
  });

  it('returns to the same process after an outage as a new term with a new epoch', async () => {
    const { clock, candidate } = lab();
    const a = candidate('a').start();
    await clock.advance(1_000);
    a.reach = away;
    await clock.advance(60_000);
    expect(a.leadership.leading).toBe(false);
    a.reach = () => undefined;
    await clock.advance(250);
    expect(a.terms.map(({ lease }) => lease.epoch)).toEqual([1, 2]);
    expect(a.holds).toBe(true);
    await a.leadership.stop();
  });

  it('ends at once when a commit reveals another leader', async () => {
    const { clock, store, candidate } = lab();
    const a = candidate('a').start();
    await clock.advance(1_000);
    await store.resign(1);
    await store.lead('z', leaseMs);
    a.terms[0]?.lease.lose();
    await clock.settle();
    expect(a.terms[0]).toMatchObject({ why: 'another orchestrator leads' });
    expect(a.leadership.leading).toBe(false);
    await a.leadership.stop();
  });

  it('is requested again when the database failed the takeover, and abandoned when the takeover cannot succeed', async () => {
    const { clock, candidate } = lab();
    const [a, b] = [candidate('a'), candidate('b')];
    let failures = 2;
    a.takeover = () => {
      if ((failures -= 1) >= 0) away();
    };
    a.start();
    await clock.advance(5_000);
    expect(a.leadership.leading).toBe(true);
    await a.leadership.stop();
    b.takeover = () => {
      throw new Error('the packages cannot be loaded as configured');
    };
    b.start();
    await clock.advance(1_000);
    expect(b.failure).toEqual(new Error('the packages cannot be loaded as configured'));
    const c = candidate('c').start();
    await clock.advance(250);
    expect(c.leadership.leading).toBe(true);
    await c.leadership.stop();
  });

  it('is requested as standby only after the leader has announced its name', async () => {
    const { clock, candidate } = lab();
    const [a, b] = [candidate('a').start(), candidate('b').start()];
    let settled = false;
    void b.leadership.settled.then(() => (settled = true));
    await clock.advance(1_000);
    expect(settled).toBe(false);
    b.leadership.hear('a');
    await clock.settle();
    expect(settled).toBe(true);
    expect(b.leadership.leader).toBe('a');
    await clock.advance(leaseMs);
    expect(b.leadership.leader).toBeUndefined();
    await Promise.all([a.leadership.stop(), b.leadership.stop()]);
  });
});

describe('the store of a lease', () => {
  it('commits nothing when the latest confirmation of the lease is too old', async () => {
    const { clock, store, candidate } = lab();
    const a = candidate('a').start();
    await clock.advance(1_500);
    const lease = a.terms[0]?.lease;
    if (lease === undefined) throw new Error('nobody leads');
    const under: Store = storeUnder(lease, store);
    await under.commit(lease.epoch, []);
    a.reach = away;
    await clock.advance(actsForMs);
    await expect(under.commit(lease.epoch, [])).rejects.toMatchObject({
      code: 'service_unavailable',
      effect: 'none',
    });
    expect(() => lease.demand()).toThrow(expect.objectContaining({ code: 'service_unavailable' }));
    expect(store.commits).toHaveLength(1);
    await a.leadership.stop();
  });
});

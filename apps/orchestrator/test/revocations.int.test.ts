import { connectBus, type Bus } from '@lab/messaging';
import type { Log } from '@lab/ports';
import { issueCredentials, withNewAgentKey, withNewProcessKeys, type Keys } from '@lab/trust';
import { startSecuredNats, type SecuredNats } from '@lab/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Revocations, type RevokedAgents } from '../src/revocations.js';

let nats: SecuredNats;
const opened: Bus[] = [];

beforeAll(async () => void (nats = await startSecuredNats()));
afterEach(() => Promise.all(opened.splice(0).map((bus) => bus.close())));
afterAll(() => nats.stop());

async function agent(computer: string): Promise<{ bus: Bus; key: string }> {
  const credentials = await nats.credentials('agent', computer);
  const bus = await connectBus({ url: nats.url, role: 'agent', name: computer, credentials });
  opened.push(bus);
  const [, payload = ''] = /JWT-----\s+[^.]+\.([^.]+)\./.exec(credentials) ?? [];
  const { sub } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { sub: string };
  return { bus, key: sub };
}

const listed = (...keys: string[]): RevokedAgents => ({
  revokedAgents: () => Promise.resolve(keys.map((key) => ({ key, at: new Date().toISOString() }))),
});

/** A log that keeps what it is told. */
function keepingLog(): { log: Log; lines: string[] } {
  const lines: string[] = [];
  const keep = (message: string): void => void lines.push(message);
  const log: Log = { debug: keep, info: keep, warn: keep, error: keep };
  return { log, lines };
}

function revocations(
  agents: RevokedAgents,
  { url = nats.url, hasKeys = true, of = nats } = {},
): { revocations: Revocations; lines: string[] } {
  const { log, lines } = keepingLog();
  const keys = hasKeys ? () => JSON.stringify(of.keys) : undefined;
  return { revocations: new Revocations(agents, { url }, keys, log), lines };
}

describe('revoked agents', () => {
  it('lose their connection and get no other, and the others keep theirs', async () => {
    const [revoked, other] = await Promise.all([agent('bench_a'), agent('bench_b')]);
    const { revocations: applied, lines } = revocations(listed(revoked.key));
    expect(await applied.apply()).toBe(1);
    await expect.poll(() => revoked.bus.connected, { interval: 20 }).toBe(false);
    expect(lines).toContain('the broker refuses revoked agents');
    await other.bus.flush();
    expect(other.bus.connected).toBe(true);
  });

  it('are told again when two statements of one second leave open which is the newer', async () => {
    const { key } = await agent('bench_f');
    let now = Date.now();
    const looks: (() => void)[] = [];
    const { log, lines } = keepingLog();
    const keys = (): string => JSON.stringify(nats.keys);
    const applied = new Revocations(listed(key), { url: nats.url }, keys, log, () => now);
    const timers = { after: (_ms: number, call: () => void) => (looks.push(call), () => undefined) };
    const end = applied.follow(timers, () => true);
    const told = async (): Promise<number> => {
      looks.splice(0).forEach((look) => look());
      await expect.poll(() => looks.length).toBe(1);
      return lines.filter((line) => line === 'the broker refuses revoked agents').length;
    };
    await applied.apply();
    expect(await told()).toBe(1);
    await applied.apply();
    now += 5_000;
    expect(await told()).toBe(3);
    expect(await told()).toBe(3);
    end();
  });

  it('are nobody while none is revoked, whatever the keys are', async () => {
    const { revocations: applied } = revocations(listed(), { hasKeys: false });
    expect(await applied.apply()).toBe(0);
  });

  it('cannot be cut off without the keys of the broker', async () => {
    const { key } = await agent('bench_c');
    const { revocations: applied } = revocations(listed(key), { hasKeys: false });
    await expect(applied.apply()).rejects.toMatchObject({ code: 'wrong_state' });
  });

  it('cannot be cut off with the keys of another service', async () => {
    const { key, bus } = await agent('bench_e');
    const other = await startSecuredNats();
    try {
      await expect(revocations(listed(key), { of: other }).revocations.apply()).rejects.toMatchObject({
        code: 'unauthorized',
      });
    } finally {
      await other.stop();
    }
    expect(bus.connected).toBe(true);
  });

  it('are not taken off a broker that does not answer, and the log says so', async () => {
    const { key } = await agent('bench_d');
    const { revocations: applied, lines } = revocations(listed(key), { url: 'nats://127.0.0.1:1' });
    await applied.restore();
    expect(lines).toEqual(['the broker does not know which agents are revoked']);
  });
});

describe('new keys that admit processes', () => {
  const minute = 60_000;
  let now: number;
  let keys: Keys;
  let looks: (() => void)[];
  let end: () => void;
  let lines: string[];
  beforeEach(() => {
    now = Date.now();
    keys = nats.keys;
    looks = [];
    const kept = keepingLog();
    ({ lines } = kept);
    const given = (): string => JSON.stringify(keys);
    const told = new Revocations(listed(), { url: nats.url }, given, kept.log, () => now);
    const timers = { after: (_ms: number, call: () => void) => (looks.push(call), () => undefined) };
    end = told.follow(timers, () => true);
  });
  afterEach(() => end());
  const look = async (): Promise<void> => {
    const [next] = looks.splice(0);
    next?.();
    await expect.poll(() => looks.length).toBe(1);
  };
  const connected = async (of: Keys, role: 'agent' | 'gateway', name: string): Promise<Bus> => {
    const credentials = await issueCredentials(of, role, name);
    const bus = await connectBus({ url: nats.url, role, name, credentials });
    opened.push(bus);
    return bus;
  };

  it('are accepted as soon as the file has them, beside those before until their end', async () => {
    const early = await connected(nats.keys, 'agent', 'bench_a');
    await look();
    expect(lines).toEqual([]);

    keys = withNewAgentKey(nats.keys, now, { leadMs: minute, overlapMs: 10 * minute });
    await expect(connected(keys, 'agent', 'bench_b')).rejects.toMatchObject({ code: 'unauthorized' });
    await look();
    expect(lines).toEqual(['the broker accepts other keys that admit processes']);
    const late = await connected(keys, 'agent', 'bench_b');
    await (await connected(nats.keys, 'agent', 'bench_c')).flush();
    await early.flush();
    await look();
    expect(lines).toHaveLength(1);

    now += 11 * minute;
    await look();
    await expect.poll(() => early.connected).toBe(false);
    await late.flush();
    await expect(connected(nats.keys, 'agent', 'bench_d')).rejects.toMatchObject({ code: 'unauthorized' });
  });

  it('cut off a process whose credentials are of the key before, and let it in with new ones', async () => {
    let credentials = await issueCredentials(nats.keys, 'gateway', 'g');
    const gateway = await connectBus({
      ...{ url: nats.url, role: 'gateway', name: 'g' },
      credentials: () => credentials,
    });
    opened.push(gateway);
    keys = withNewProcessKeys(nats.keys, now, { overlapMs: 0 });
    const renewed = await issueCredentials(keys, 'gateway', 'g');
    await look();
    await expect.poll(() => gateway.connected).toBe(false);
    await expect(connected(nats.keys, 'gateway', 'thief')).rejects.toMatchObject({ code: 'unauthorized' });
    credentials = renewed;
    await expect.poll(() => gateway.connected, { timeout: 10_000 }).toBe(true);
    await gateway.flush();
  });
});

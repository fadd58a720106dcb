import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { agentCredentials, makeAgentKey } from '@lab/trust/agent-key';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AgentCredentials } from '../../src/joining/index.js';
import { StandIn, type Answer } from './stand-in.js';

const day = 86_400_000;
let gateway: StandIn;
let folder: string;
/** Begins at the present, and goes on with the timers of the test. */
let now: number;
let timers: { ms: number; call: () => void }[];
let lines: string[];

beforeAll(async () => void (gateway = await StandIn.start()));
afterAll(() => gateway.stop());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lab-renewal-'));
  [now, timers, lines] = [Date.now(), [], []];
  gateway.asked.length = 0;
  answering(({ pass }) => {
    // The time in the pass is that of the test.
    const holder = gateway.issuer.holder(String(pass), 'renew', now, true);
    if (typeof holder === 'string') return { status: 401, body: { detail: holder } };
    return gateway.admission(holder.key, holder.computer);
  });
});
afterEach(() => rmSync(folder, { recursive: true }));

const answering = (answer: (body: Record<string, unknown>) => Answer | Promise<Answer>): void =>
  void (gateway.answers['/agents/renew'] = answer);
const file = (): string => readFileSync(join(folder, 'agent.creds'), 'utf8');

const keep =
  (level: string) =>
  (message: string): void =>
    void lines.push(`${level} ${message}`);
const surroundings = () => ({
  ...{ dataDir: folder, version: '1.2.3', now: () => now },
  log: { debug: keep('debug'), info: keep('info'), warn: keep('warn'), error: keep('error') },
  timers: { after: (ms: number, call: () => void) => (timers.push({ ms, call }), () => (timers = [])) },
});

/** Credentials of this moment. @param forMs how long they are valid */
async function credentials(forMs: number): Promise<AgentCredentials> {
  const key = makeAgentKey();
  const statement = await gateway.issuer.statement(key.publicKey, 'bench_a', now + forMs);
  return new AgentCredentials(agentCredentials(key, statement, gateway.issuer.authority));
}

const keepFresh = (kept: AgentCredentials, url = gateway.url): (() => void) =>
  kept.keepFresh(url, { authorities: gateway.authority.certificate }, surroundings());
const renewEnded = (kept: AgentCredentials, url = gateway.url): Promise<void> =>
  kept.renewEnded(url, { authorities: gateway.authority.certificate }, surroundings());

/** Waits for the next timer, and lets its time pass. @returns its milliseconds */
async function pass(): Promise<number> {
  await expect.poll(() => timers.length, { interval: 5 }).toBeGreaterThan(0);
  const { ms, call } = timers.shift() ?? { ms: NaN, call: () => undefined };
  now += ms;
  call();
  return ms;
}

describe('the credentials of an agent that runs', () => {
  it('are renewed after half of their time and not before, with its version and a pass for this', async () => {
    const kept = await credentials(2 * day);
    const before = kept.text;
    const end = keepFresh(kept);
    for (let hour = 1; hour < 24; hour += 1) expect(await pass()).toBe(3_600_000);
    expect(kept.text).toBe(before);
    await pass();
    await pass();
    await expect.poll(() => lines).toEqual(['info the credentials of this agent were renewed']);
    expect(gateway.asked).toEqual([
      ['/agents/renew', { pass: expect.any(String) as string, version: '1.2.3' }],
    ]);
    expect(kept.text).not.toBe(before);
    expect(file()).toBe(kept.text);
    end();
  });

  it('are renewed within an hour after a computer has slept beyond the half of their time', async () => {
    const kept = await credentials(7 * day);
    const end = keepFresh(kept);
    // The clock goes on, the timer does not.
    now += 6 * day;
    expect(await pass()).toBe(3_600_000);
    await expect.poll(() => lines).toEqual(['info the credentials of this agent were renewed']);
    end();
  });

  it('stay while the gateway cannot be reached, and the pauses grow to an hour', async () => {
    const kept = await credentials(-2_000);
    const before = kept.text;
    const end = keepFresh(kept, 'https://127.0.0.1:1');
    expect(await pass()).toBe(0);
    const pauses: number[] = [];
    for (let time = 0; time < 8; time += 1) pauses.push((await pass()) / 60_000);
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
    expect(new Set(lines)).toEqual(new Set(['warn the credentials of this agent could not be renewed']));
    expect(kept.text).toBe(before);
    end();
  });

  it('stay when what answers is not the service', async () => {
    const kept = await credentials(-2_000);
    const before = kept.text;
    answering(() => ({ body: { statement: 'x' } }));
    const end = keepFresh(kept);
    await pass();
    await expect.poll(() => lines).toEqual(['warn the credentials of this agent could not be renewed']);
    expect(kept.text).toBe(before);
    end();
  });

  it.runIf(existsSync('/dev/full'))(
    'are used also when the disk is full, and written when it has room',
    async () => {
      const kept = await credentials(-2_000);
      const before = kept.text;
      const full = (): void => symlinkSync('/dev/full', join(folder, `agent.creds.${process.pid}.draft`));
      const complaint =
        'error the renewed credentials of this agent could not be written into its data folder';
      full();
      const end = keepFresh(kept);
      await pass();
      await expect.poll(() => lines).toEqual(['info the credentials of this agent were renewed', complaint]);
      expect(kept.text).not.toBe(before);
      full();
      expect(await pass()).toBe(60_000);
      await expect.poll(() => lines.slice(2)).toEqual([complaint]);
      expect(await pass()).toBe(120_000);
      await expect.poll(() => timers.map(({ ms }) => ms)).toEqual([3_600_000]);
      expect(file()).toBe(kept.text);
      expect(gateway.asked).toHaveLength(1);
      end();
    },
  );

  it('are not touched any more by a renewal that is under way when the agent ends', async () => {
    for (const broken of [false, true]) {
      const kept = await credentials(-2_000);
      const before = kept.text;
      const end = keepFresh(kept);
      let asked = false;
      let release: (answer: Answer) => void = () => undefined;
      answering(({ pass: shown }) => {
        asked = true;
        const holder = gateway.issuer.holder(String(shown), 'renew', now, true);
        if (typeof holder === 'string') throw new Error(holder);
        return new Promise((resolve) => (release = resolve));
      });
      await pass();
      await expect.poll(() => asked).toBe(true);
      end();
      release(broken ? 'broken' : await gateway.admission(makeAgentKey().publicKey, 'bench_a'));
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect([kept.text === before, existsSync(join(folder, 'agent.creds')), lines]).toEqual([
        true,
        false,
        [],
      ]);
    }
  });
});

describe('the credentials of an agent that was off', () => {
  it('are renewed at its start when they have ended, because the broker refuses them', async () => {
    const kept = await credentials(-30 * day);
    await renewEnded(kept);
    expect(file()).toBe(kept.text);
    gateway.asked.length = 0;
    await renewEnded(kept);
    expect(gateway.asked).toEqual([]);
  });

  it('are left alone while they are valid', async () => {
    await renewEnded(await credentials(60_000));
    expect(gateway.asked).toEqual([]);
    expect(lines).toEqual([]);
  });

  it.runIf(existsSync('/dev/full'))(
    'are used on a full disk, and written soon after there is room',
    async () => {
      const kept = await credentials(-30 * day);
      symlinkSync('/dev/full', join(folder, `agent.creds.${process.pid}.draft`));
      await renewEnded(kept);
      const end = keepFresh(kept);
      expect(await pass()).toBe(60_000);
      expect(file()).toBe(kept.text);
      end();
    },
  );

  it('prevent the start when they cannot be renewed, and the error says why', async () => {
    const kept = await credentials(-30 * day);
    answering(() => ({ status: 403, body: { detail: 'The agent of bench_a was revoked.' } }));
    const at = new Date(Math.floor((now - 30 * day) / 1_000) * 1_000).toISOString();
    await expect(renewEnded(kept)).rejects.toThrow(
      `the credentials of this agent ended at ${at} and cannot be renewed: The agent of bench_a was revoked.`,
    );
    await expect(renewEnded(kept, 'https://127.0.0.1:1')).rejects.toThrow('ECONNREFUSED');
  });
});

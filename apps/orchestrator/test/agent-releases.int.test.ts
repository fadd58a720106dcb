import { randomUUID } from 'node:crypto';
import {
  isServiceError,
  orchestratorRequests as requests,
  type AgentRecord,
  type ProtocolRange,
} from '@lab/contracts';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Site } from './orchestrators.js';

/** Agents of several releases at a real orchestrator, over a real broker and on a real database. */

let site: Site;
beforeAll(async () => {
  site = await Site.open();
  const { told } = await site.orchestrator();
  expect(told).toMatchObject({ type: 'ready' });
});
afterAll(() => site?.dispose());

function register(computer: string, protocol?: ProtocolRange): Promise<unknown> {
  const hello = { computer, session: randomUUID(), version: '9.0.0', attempts: [], devices: [] };
  const body = protocol === undefined ? hello : { ...hello, protocol };
  return site.bus.request(requests.registerAgent, { computer }, body);
}

const refusal = (computer: string, protocol: ProtocolRange): Promise<unknown> =>
  register(computer, protocol).catch((error: unknown) =>
    isServiceError(error) ? [error.code, error.message] : error,
  );

async function recordOf(computer: string): Promise<AgentRecord | undefined> {
  const { agents } = await site.bus.request(requests.listAgents, {}, {});
  return agents.find((agent) => agent.computer === computer);
}

async function warnings(computer: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: site.databaseUrl });
  await client.connect();
  try {
    const text = `select state from attention where computer = $1 and reason ->> 'code' = 'agent_incompatible'`;
    const { rows } = await client.query<{ state: string }>(text, [computer]);
    return rows.map(({ state }) => state);
  } finally {
    await client.end();
  }
}

it.each([
  ['too old', { min: 0, max: 0 }, 'update this agent to a release that speaks version 1'],
  ['too new', { min: 7, max: 9 }, 'update the service first, then its agents'],
])('an agent that is %s is refused, and its operator told', async (_, protocol, advice) => {
  expect(await refusal('idle_computer', protocol)).toEqual([
    'upgrade_required',
    expect.stringContaining(advice),
  ]);
  const { state, version, reason, protocol: spoken } = (await recordOf('idle_computer')) ?? {};
  expect([state, version, spoken]).toEqual(['incompatible', '9.0.0', protocol]);
  expect(reason).toContain(advice);
  await expect.poll(() => warnings('idle_computer'), { timeout: 10_000 }).toContain('open');
});

it('an agent that does not say what it speaks works, also after its computer was refused', async () => {
  expect(await refusal('svc_computer', { min: 7, max: 9 })).toContain('upgrade_required');
  await register('svc_computer');
  expect(await recordOf('svc_computer')).toMatchObject({
    ...{ state: 'online', version: '9.0.0', protocol: { min: 1, max: 1 } },
  });
  await expect.poll(() => warnings('svc_computer'), { timeout: 10_000 }).not.toContain('open');
});

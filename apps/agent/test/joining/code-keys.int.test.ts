import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join as pathOf } from 'node:path';
import { makeAuthorityKey } from '@lab/trust/authority';
import { agentCredentials, makeAgentKey } from '@lab/trust/agent-key';
import { codeKeyIn, codeKeyOf } from '@lab/trust/code-manifest';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AgentCredentials, join } from '../../src/joining/index.js';
import { StandIn, type Answer } from './stand-in.js';

const [own, other] = [codeKeyOf(makeAuthorityKey().x), codeKeyOf(makeAuthorityKey().x)];
let gateway: StandIn;
let folder: string;
beforeAll(async () => void (gateway = await StandIn.start()));
afterAll(() => gateway.stop());
beforeEach(() => void (folder = mkdtempSync(pathOf(tmpdir(), 'lab-code-keys-'))));
afterEach(() => rmSync(folder, { recursive: true }));

/** What the gateway admits with, and with which further fields. */
function answering(path: '/agents/join' | '/agents/renew', more: object): void {
  gateway.answers[path] = async ({ key, pass }): Promise<Answer> => {
    const holder = gateway.issuer.holder(String(pass), 'renew', Date.now(), true);
    const admitted = await gateway.admission(typeof holder === 'string' ? key : holder.key, 'bench_a');
    return admitted === 'broken' ? admitted : { body: { ...(admitted.body as object), ...more } };
  };
}

describe('a computer that joins', () => {
  const joining = (more: object = {}) =>
    join({ url: gateway.url, token: gateway.token, dataDir: folder, version: '1.2.3', ...more });
  const file = (name: string): string => readFileSync(pathOf(folder, name), 'utf8');

  it('pins the code key of the service, and that of the lab if the service names one', async () => {
    answering('/agents/join', { code_key: gateway.issuer.codeKey, lab_code_key: own });
    expect((await joining()).codeKey).toBe(own);
    expect(codeKeyIn(file('agent.creds'))).toBe(gateway.issuer.codeKey);
    expect(JSON.parse(file('joined.json'))).toMatchObject({ env: { SVC_CODE_KEY: own } });
  });

  it('pins the code key of its line, whatever the service is silent about', async () => {
    answering('/agents/join', {});
    expect((await joining({ codeKey: own })).codeKey).toBe(own);
    expect(JSON.parse(file('joined.json'))).toMatchObject({ env: { SVC_CODE_KEY: own } });
    expect(codeKeyIn(file('agent.creds'))).toBeUndefined();
  });

  it('does not join a service that demands another key than its line', async () => {
    answering('/agents/join', { lab_code_key: other });
    await expect(joining({ codeKey: own })).rejects.toThrow(
      `The service demands code of ${other}, and this computer was to demand code of ${own}.`,
    );
    expect(readdirSync(folder)).toEqual([]);
  });

  it('does not join a service that signs code with another key than everything else', async () => {
    answering('/agents/join', { code_key: other });
    await expect(joining()).rejects.toThrow('it signs code with another key than the rest');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('does not use its token with a key that is none', async () => {
    gateway.asked.length = 0;
    await expect(joining({ codeKey: 'svc_code_x' })).rejects.toThrow('--code-key must be svc_code_');
    expect(gateway.paths).toEqual([]);
  });
});

describe('an agent that renews its credentials', () => {
  /** Credentials that have ended. */
  async function ended(codeKey?: string): Promise<AgentCredentials> {
    const key = makeAgentKey();
    const statement = await gateway.issuer.statement(key.publicKey, 'bench_a', Date.now() - 2_000);
    return new AgentCredentials(agentCredentials(key, statement, gateway.issuer.authority, codeKey));
  }
  const silent = (): void => undefined;
  const renew = (kept: AgentCredentials): Promise<void> =>
    kept.renewEnded(
      gateway.url,
      { authorities: gateway.authority.certificate },
      {
        ...{ dataDir: folder, version: '1.2.3', timers: { after: () => silent } },
        log: { debug: silent, info: silent, warn: silent, error: silent } as never,
      },
    );

  it('pins the code key if it joined before the service signed code', async () => {
    const { codeKey } = gateway.issuer;
    answering('/agents/renew', { code_key: codeKey });
    const kept = await ended();
    await renew(kept);
    expect(codeKeyIn(kept.text)).toBe(codeKey);
  });

  it('keeps its code key when a gateway of an earlier release names none', async () => {
    answering('/agents/renew', {});
    const { codeKey } = gateway.issuer;
    const kept = await ended(codeKey);
    await renew(kept);
    expect(codeKeyIn(kept.text)).toBe(codeKey);
  });

  it.each([
    ['another code key', own, { code_key: other }],
    ['a code key that is not that of its service, if it has none', undefined, { code_key: other }],
    ['another authority', undefined, { authority: makeAuthorityKey().x }],
  ])('does not take %s', async (_, pinned, answer) => {
    answering('/agents/renew', answer);
    const kept = await ended(pinned);
    const before = kept.text;
    await expect(renew(kept)).rejects.toThrow(
      'names another key of the service than when this computer joined',
    );
    expect(kept.text).toBe(before);
  });

  it('does not take keys that are written into the statement', async () => {
    const renewed = makeAgentKey();
    const statement = await gateway.issuer.statement(renewed.publicKey, 'bench_a', Date.now() + 60_000);
    const text = agentCredentials(renewed, statement, gateway.issuer.authority, other);
    const block = text.slice(text.indexOf('-----BEGIN SVC CODE'));
    expect(codeKeyIn(block)).toBe(other);
    answering('/agents/renew', { statement: `${statement}\n------END NATS USER JWT------\n${block}` });
    const kept = await ended(own);
    await expect(renew(kept)).rejects.toThrow('its answer admits no agent');
    expect(codeKeyIn(kept.text)).toBe(own);
  });
});

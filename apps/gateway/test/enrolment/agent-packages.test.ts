import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeKeys } from '@lab/trust';
import { AgentIssuer, agentIssuerKey } from '@lab/trust/agent-issuer';
import { makeAgentKey } from '@lab/trust/agent-key';
import { readOffer } from '@lab/trust/offer';
import { MemoryEnrolments } from '../memory-enrolments.js';
import { expectProblem, startHarness, type Harness } from '../twins.js';

const issuer = agentIssuerKey(makeKeys());
const name = 'svc-agent-0.2.0-linux-x64.tar.gz';
let folder: string;
let gateway: Harness | undefined;

beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'lab-offers-'))));
afterEach(async () => {
  await gateway?.server.close();
  gateway = undefined;
  rmSync(folder, { recursive: true, force: true });
});

const open = async (key: string | undefined, packages: string | undefined = folder): Promise<Harness> =>
  (gateway = await startHarness({}, undefined, undefined, {
    enrolments: new MemoryEnrolments(),
    enrolment: {
      issuer: key,
      authorities: undefined,
      publicUrl: 'https://lab-server:8443',
      brokers: undefined,
    },
    ...(packages === undefined ? {} : { agentPackages: packages }),
  }));
/** Public key in the statements of the agents that this service admits. */
const agentsKey = async (): Promise<string> => {
  const statement = await new AgentIssuer(issuer).statement(makeAgentKey().publicKey, 'b', Date.now());
  const [, payload = ''] = statement.split('.');
  return (JSON.parse(Buffer.from(payload, 'base64url').toString()) as { iss: string }).iss;
};

it('the packages of the folder are offered without a token, signed, and without other files', async () => {
  writeFileSync(join(folder, name), 'the archive');
  writeFileSync(join(folder, 'notes.txt'), 'no package');
  const reply = await (await open(issuer)).send('GET', '/agents/packages');
  expect(reply.status).toBe(200);
  expect(readOffer(reply.body, await agentsKey(), Date.now() - 1_000).packages).toEqual([
    {
      ...{ name, version: '0.2.0', platform: 'linux-x64', size: 11 },
      sha256: createHash('sha256').update('the archive').digest('hex'),
    },
  ]);
  const fetched = await gateway?.send('GET', `/agents/packages/${name}`);
  expect(fetched?.text).toBe('the archive');
});

it('a file that changed is offered with its new hash', async () => {
  writeFileSync(join(folder, name), 'old');
  await open(issuer);
  const offered = async () =>
    readOffer((await gateway?.send('GET', '/agents/packages'))?.body, await agentsKey(), 0).packages[0];
  const before = await offered();
  writeFileSync(join(folder, name), 'newer');
  expect(await offered()).toMatchObject({ size: 5 });
  expect((await offered())?.sha256).not.toBe(before?.sha256);
});

it('a service without a folder of packages offers none', async () => {
  const reply = await (await open(issuer, join(folder, 'none'))).send('GET', '/agents/packages');
  expect(readOffer(reply.body, await agentsKey(), 0).packages).toEqual([]);
});

it('a gateway that admits no agents signs nothing', async () => {
  expectProblem(await (await open(undefined)).send('GET', '/agents/packages'), 409, 'wrong_state');
});

it.each([['..%2F..%2Fpackage.json'], [encodeURIComponent(`../${name}`)], ['notes.txt'], [name]])(
  '%s, which is no package of the folder, is not found',
  async (asked) => {
    writeFileSync(join(folder, 'notes.txt'), 'no package');
    expectProblem(await (await open(issuer)).send('GET', `/agents/packages/${asked}`), 404, 'not_found');
  },
);

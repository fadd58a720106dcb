import {
  definitionRequests,
  orchestratorRequests as requests,
  type AnyRequest,
  type DefinitionSummary,
  type Grant,
} from '@lab/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { byTokens, headersOf } from '../tokens.js';
import { campaignRecord, expectProblem, runRecord, startHarness, type Harness } from '../twins.js';

/** What the gateway tells the orchestrator of the laboratories of a caller, and what it hides itself. */

let gateway: Harness;
beforeAll(async () => {
  gateway = await startHarness({}, undefined, byTokens);
});
afterAll(() => gateway.server.close());
beforeEach(() => {
  gateway.requests.sent.length = 0;
  gateway.records.runs.length = 0;
  gateway.records.campaignList.length = 0;
  gateway.records.labs.clear();
});

/** Views `seen`, works in `own`. */
const grants: Grant[] = [
  { role: 'operator', lab: 'own' },
  { role: 'viewer', lab: 'seen' },
];
const rights = { see: ['own', 'seen'], use: ['own'] };
const eve = (of: Grant[] = grants): Promise<Record<string, string>> => headersOf(gateway, 'eve', of);

describe('a request whose effect depends on laboratories', () => {
  const accepted = { id: 'i', name: 'mix' };
  it.each<[string, string, object | undefined, AnyRequest]>([
    ['POST', '/api/tasks', { name: 'mix', type: 't' }, requests.submitTask],
    ['POST', '/api/protocols', { name: 'mix', type: 't' }, requests.submitProtocolRun],
    ['POST', '/api/campaigns', { name: 'mix', protocol: 't', max_protocol_runs: 1 }, requests.submitCampaign],
    ['POST', '/api/tasks?dry_run=true', { name: 'mix', type: 't' }, requests.dryRun],
    ['POST', '/api/simulations', { protocols: [{ type: 't' }] }, requests.simulate],
    ['POST', '/api/protocols/simulate', { name: 'mix', type: 't' }, requests.simulateProtocolRun],
    ['POST', '/api/protocols/mix/resume', undefined, requests.resumeProtocolRun],
    ['POST', '/api/campaigns/mix/resume', undefined, requests.resumeCampaign],
    ['PATCH', '/api/protocols/mix', { priority: 1 }, requests.changeProtocolRun],
    ['PATCH', '/api/campaigns/mix', { priority: 1 }, requests.changeCampaign],
    ['GET', '/api/queue?lab=own', undefined, requests.readQueue],
    ['GET', '/api/schedule?lab=own', undefined, requests.readSchedule],
  ])('%s %s tells those of the caller, by the roles that the caller really has', async (...asked) => {
    const [method, path, body, request] = asked;
    gateway.records.runs.push(runRecord({ name: 'mix', owner: 'bob' }));
    gateway.records.campaignList.push(campaignRecord({ name: 'mix', owner: 'bob' }));
    gateway.records.labs.set('protocol_run/mix', ['own']).set('campaign/mix', ['own']);
    gateway.requests.on(request as typeof requests.submitTask, () => accepted);
    await gateway.send(method, path, body, await eve());
    expect(gateway.requests.of(request).map((each) => each.body)).toMatchObject([{ rights }]);
    await gateway.send(method, path, body, await eve([{ role: 'operator' }]));
    expect(gateway.requests.of(request).at(-1)?.body).toMatchObject({ rights: { see: 'all', use: 'all' } });
  });

  it('cannot be given other rights in a body', async () => {
    const body = { name: 'mix', type: 't', rights: { see: 'all', use: 'all' } };
    expectProblem(await gateway.send('POST', '/api/tasks', body, await eve()), 422, 'invalid');
    expect(gateway.requests.sent).toEqual([]);
  });

  it.each(['', '?dry_run=true'])(
    'does not reach work of another laboratory by a resume%s, and tells no owner',
    async (query) => {
      gateway.records.runs.push(runRecord({ name: 'mix', owner: 'bob' }));
      gateway.records.campaignList.push(campaignRecord({ name: 'mix', owner: 'bob' }));
      gateway.records.labs.set('protocol_run/mix', ['own', 'far']).set('campaign/mix', ['far']);
      for (const [path, body] of [
        ['protocols', { name: 'mix', type: 't', resume: true }],
        ['campaigns', { name: 'mix', protocol: 't', max_protocol_runs: 1, resume: true }],
      ] as const) {
        const reply = await gateway.send('POST', `/api/${path}${query}`, body, await eve());
        expectProblem(reply, 404, 'not_found');
        expect(reply.text).not.toMatch(/bob|far/);
      }
      expect(gateway.requests.sent).toEqual([]);
    },
  );
});

describe('an emergency stop', () => {
  const devices = ['own', 'far'].map((lab) => ({ lab_name: lab, name: 'arm', computer: `bench_${lab}` }));
  const stop = (scope: string) => ({
    ...{ id: 's', scope, by: 'bob', reason: '', engaged_at: '2026-11-20T09:30:00.000Z' },
    ...{ released_at: null, released_by: null },
  });
  const read = async (scope: string): Promise<{ status: number; text: string }> => {
    gateway.records.stops.length = 0;
    gateway.records.stops.push(stop(scope));
    return gateway.send('GET', '/api/estop/s', undefined, await eve());
  };

  it.each(['all', 'lab:own', 'device:own.arm', 'lab:seen'])('of %s is read', async (scope) => {
    gateway.requests.on(requests.listDevices, () => ({ devices: devices as never }));
    const { status, text } = await read(scope);
    expect(status).toBe(200);
    expect(text).not.toContain('far');
  });

  it.each(['lab:far', 'device:far.arm', 'device:ownarm', ''])(
    'of "%s" looks as if it did not exist',
    async (scope) => {
      const { status, text } = await read(scope);
      expect([status, text.includes('far')]).toEqual([404, false]);
    },
  );
});

describe('a definition', () => {
  const of = (type: DefinitionSummary['type'], name: string, labs: string[]): DefinitionSummary => ({
    ...{ type, name, package: 'p', file: 'f', loaded: true, hash: null, sound: true },
    labs,
  });
  const all = [
    of('lab', 'own', ['own']),
    of('lab', 'far', ['far']),
    of('protocol', 'mine', ['own']),
    of('protocol', 'exchange', ['own', 'far']),
    of('protocol', 'none', []),
    of('task', 'shared', ['far', 'own']),
    of('task', 'abroad', ['far']),
    of('device', 'arm', ['far', 'own']),
    of('device', 'secret', ['far']),
  ];
  const names = ['shared', 'mine', 'own', 'arm'];

  it('is listed when it is of the laboratories of the caller, and names no other', async () => {
    gateway.requests.on(definitionRequests.listDefinitions, () => ({ definitions: all }));
    const { body, text } = await gateway.send('GET', '/api/definitions?lab=own', undefined, await eve());
    expect((body.items as { name: string }[]).map(({ name }) => name).sort()).toEqual([...names].sort());
    expect(text).not.toContain('far');
    const { body: whole } = await gateway.send(
      'GET',
      '/api/definitions',
      undefined,
      await eve([{ role: 'viewer' }]),
    );
    expect(whole.items).toHaveLength(all.length);
  });

  it('is read by the same rule, and else looks as if it did not exist', async () => {
    gateway.requests.on(definitionRequests.getDefinition, ({ type, name }) => {
      const found = all.find((each) => each.type === type && each.name === name);
      return { ...(found ?? of(type, name, [])), definition: null, errors: [] };
    });
    for (const { type, name } of all) {
      const reply = await gateway.send('GET', `/api/definitions/${type}/${name}`, undefined, await eve());
      expect([name, reply.status]).toEqual([name, names.includes(name) ? 200 : 404]);
      if (reply.status === 404) expect(reply.body.detail).toBe(`the packages define no ${type} "${name}"`);
    }
  });
});

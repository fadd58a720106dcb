import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { orchestratorRequests as requests, ServiceError, type RolloutRecord } from '@lab/contracts';
import { MemoryEnrolments } from '../memory-enrolments.js';
import { expectProblem, startHarness, type Harness } from '../twins.js';

const rollout: RolloutRecord = {
  ...{ id: 'r1', version: '0.2.0', state: 'halted', by: 'ada', reason: 'release', settle_s: 600 },
  created_at: '2026-03-01T10:00:00.000Z',
  ...{ ended_at: null, ended_by: null, waits_for: null },
  halt: { computer: 'bench_a', reason: 'no room', at: '2026-03-01T10:05:00.000Z' },
  computers: [
    {
      ...{ computer: 'bench_a', ring: 1, state: 'failed', version_before: '0.1.0', platform: 'linux-x64' },
      ...{ since: '2026-03-01T10:05:00.000Z', detail: 'no room' },
    },
  ],
  left_out: [{ computer: 'svc_computer', reason: 'by hand' }],
};
const path = '/api/agent-rollouts';
let folder: string;
let gateway: Harness;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lab-rollouts-'));
  writeFileSync(join(folder, 'svc-agent-0.2.0-linux-x64.tar.gz'), 'the archive');
  gateway = await startHarness({}, undefined, undefined, {
    enrolments: new MemoryEnrolments(),
    enrolment: { issuer: undefined, authorities: undefined, publicUrl: 'https://lab', brokers: undefined },
    agentPackages: folder,
  });
});
afterEach(async () => {
  await gateway.server.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('a rollout', () => {
  it('is started with the packages that the service offers', async () => {
    gateway.requests.on(requests.startRollout, () => rollout);
    const body = { version: '0.2.0', reason: 'release', by: 'ada' };
    const reply = await gateway.send('POST', path, body);
    expect([reply.status, reply.body]).toEqual([201, rollout]);
    const some = { ...body, computers: ['b', 'a'], canary: 'a', settle_s: 0 };
    expect((await gateway.send('POST', path, some)).status).toBe(201);
    const packages = [{ version: '0.2.0', platform: 'linux-x64' }];
    expect(gateway.requests.of(requests.startRollout).map((sent) => sent.body)).toEqual([
      { ...body, computers: null, canary: null, settle_s: 600, packages },
      { ...some, packages },
    ]);
  });

  it('is not started twice by a request that is repeated with its key', async () => {
    gateway.requests.on(requests.startRollout, () => rollout);
    const key = { 'idempotency-key': 'k1' };
    const body = { version: '0.2.0', reason: 'release' };
    expect((await gateway.send('POST', path, body, key)).status).toBe(201);
    expect((await gateway.send('POST', path, body, key)).status).toBe(201);
    expect(gateway.requests.of(requests.startRollout).length).toBe(1);
  });

  it.each([
    [{ reason: 'release' }, ['version']],
    [{ version: '0.2.0' }, ['reason']],
    [{ version: '0.2.0', reason: 'x', computers: [] }, ['computers']],
    [{ version: '0.2.0', reason: 'x', settle_s: -1, rings: 3 }, ['rings', 'settle_s']],
  ])('is not started with %j', async (body, paths) => {
    const reply = await gateway.send('POST', path, body);
    expectProblem(reply, 422, 'invalid');
    expect(reply.body.errors?.map((fault) => fault.path).sort()).toEqual(paths);
    expect(gateway.requests.sent).toEqual([]);
  });

  it('is refused in words while another one is open', async () => {
    gateway.requests.on(requests.startRollout, () => {
      throw new ServiceError('wrong_state', 'the rollout to 0.1.0 (r0) is running');
    });
    const reply = await gateway.send('POST', path, { version: '0.2.0', reason: 'release' });
    expectProblem(reply, 409, 'wrong_state');
    expect(reply.text).toContain('the rollout to 0.1.0 (r0) is running');
  });

  it('is listed, read, resumed and cancelled', async () => {
    gateway.requests.on(requests.listRollouts, () => ({ rollouts: [rollout] }));
    gateway.requests.on(requests.resumeRollout, () => ({ ...rollout, state: 'running' as const }));
    gateway.requests.on(requests.cancelRollout, () => ({ ...rollout, state: 'cancelled' as const }));
    expect((await gateway.send('GET', path)).body).toEqual([rollout]);
    expect((await gateway.send('GET', `${path}/r1`)).body).toEqual(rollout);
    expectProblem(await gateway.send('GET', `${path}/r2`), 404, 'not_found');
    const resumed = await gateway.send('POST', `${path}/r1/resume`, { reason: 'room again', by: 'bob' });
    expect([resumed.status, resumed.body['state']]).toEqual([200, 'running']);
    const cancelled = await gateway.send('POST', `${path}/r1/cancel`);
    expect([cancelled.status, cancelled.body['state']]).toEqual([200, 'cancelled']);
    expect(gateway.requests.of(requests.resumeRollout)[0]?.body).toEqual({
      ...{ id: 'r1', reason: 'room again', by: 'bob' },
    });
    expect(gateway.requests.of(requests.cancelRollout)[0]?.body).toEqual({
      ...{ id: 'r1', reason: '', by: 'unknown' },
    });
  });
});

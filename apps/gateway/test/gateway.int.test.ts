import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  agentEvents,
  agentRequests,
  orchestratorRequests,
  serviceRequests,
  ServiceError,
  type TaskRunRecord,
} from '@lab/contracts';
import type { Store } from '@lab/engine';
import { brokerTrouble, connectBus, type Bus, type Subscription } from '@lab/messaging';
import { BusClient } from '@lab/messaging/nest';
import { openGatewayStore, openRecords, openStore, type GatewayStore, type Records } from '@lab/persistence';
import { startNats, type NatsFixture } from '@lab/testkit';
import { asRole, testPostgres, type TestPostgres } from '@lab/testkit/testing';
import { RefusalLog } from '../src/refusals/refusal-log.js';
import { AuditRecorder } from '../src/audit/audit-recorder.js';
import { OpenToAll } from '../src/access/authentication.js';
import { announcementsOver } from '../src/ports/announcements-over-bus.js';
import { currentRequestId } from '../src/http/request-scope.js';
import { startServer, type RunningServer } from '../src/server.js';
import { definition, taskRow } from './rows.js';
import { MemoryKeys } from './memory-keys.js';
import { MemoryLines } from './memory-lines.js';
import { idleWebhooks } from './memory-webhooks.js';
import { noEnrolment } from './memory-enrolments.js';
import { MemoryDeviceFiles, memoryLog, MemoryEvents, MemoryFiles, send, type Reply } from './twins.js';

let nats: NatsFixture;
let postgres: TestPostgres;
let records: Records;
let kept: GatewayStore;
let store: Store;
let epoch: number;
/** The connections of the gateway, and the buses on which the stand-ins of orchestrator and agent answer. */
let gatewayBus: Bus;
let serviceBus: Bus;
let gateway: RunningServer;
let orchestrator: Subscription[];
const log = memoryLog({ debug: true });
const serviceLog = memoryLog({ debug: true });

const http = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
): Promise<Reply> => send(gateway.url, method, path, body, headers);

beforeAll(async () => {
  [nats, postgres] = await Promise.all([startNats(), testPostgres()]);
  [gatewayBus, serviceBus] = (await Promise.all(
    [
      { role: 'gateway', requestId: currentRequestId },
      { role: 'orchestrator', log: serviceLog },
    ].map((identity) => connectBus({ url: nats.url, name: 'test', ...identity })),
  )) as [Bus, Bus];
  store = await openStore({ url: asRole(postgres.url, 'orchestrator') });
  epoch = (await store.lead('test', 0)) ?? 0;
  records = openRecords({ url: asRole(postgres.url, 'gateway') });
  kept = openGatewayStore({ url: asRole(postgres.url, 'gateway') });
  gateway = await startServer(
    {
      requests: new BusClient(gatewayBus),
      announcements: announcementsOver(gatewayBus),
      broker: { trouble: () => brokerTrouble(gatewayBus, nats.url, 1_000) },
      records,
      events: new MemoryEvents(),
      lines: new MemoryLines(),
      files: new MemoryFiles(),
      deviceFiles: new MemoryDeviceFiles(),
      keys: new MemoryKeys(),
      ...idleWebhooks(log),
      ...noEnrolment(),
      authentication: new OpenToAll(),
      readiness: { lookEveryMs: 0, log },
      tokens: kept.tokens,
      packages: kept.packages,
      audit: new AuditRecorder(kept.audit, log),
      refusals: new RefusalLog(kept.refusals, () => undefined, log),
    },
    { host: '127.0.0.1', port: 0, log },
  );
  orchestrator = await standInOrchestrator();
});

afterAll(async () => {
  await gateway?.close();
  await Promise.all([gatewayBus, serviceBus].map((bus) => bus?.close()));
  await Promise.all([records?.close(), kept?.close(), store?.close()]);
  await Promise.all([nats?.stop(), postgres?.stop()]);
});

/** Accepts and cancels on-demand tasks in the real database, and knows the computer of one device. */
function standInOrchestrator(): Promise<Subscription[]> {
  return Promise.all([
    serviceBus.serve(orchestratorRequests.submitTask, {}, async (submission) => {
      const row = taskRow(submission.name, {
        type: submission.type,
        submissionId: submission.submission_id ?? null,
        inputParameters: submission.input_parameters ?? {},
      });
      await store.commit(epoch, [definition, { op: 'insertTaskRun', row }]);
      return { id: row.id, name: row.name };
    }),
    serviceBus.serve(orchestratorRequests.cancelTask, {}, async ({ name }) => {
      const task = await records.task(name);
      if (task === undefined) throw new ServiceError('not_found', `There is no task named "${name}".`);
      const patch = { state: 'cancelled' as const, endedAt: Date.now() };
      await store.commit(epoch, [{ op: 'updateTaskRun', id: task.id, patch }]);
      return { id: task.id, name };
    }),
    serviceBus.serve(orchestratorRequests.locateDevice, {}, ({ lab }) => {
      if (lab !== 'color_lab')
        throw new ServiceError('unknown_lab', `There is no laboratory named "${lab}".`);
      return { computer: 'bench_b', inc: agentInc, fence: 0 };
    }),
    serviceBus.serve(orchestratorRequests.listDevices, {}, () => ({ devices: [] })),
    serviceBus.serve(serviceRequests.leaderHealth, {}, () => ({
      service: 'orchestrator',
      instance: 'test',
      version: '1',
      status: 'ok' as const,
      uptime_s: 1,
      leads: {
        epoch,
        computers: { expected: 0, online: 0, missing: [], troubles: [] },
        commits: {},
        packages: { read: 0, faulty: 0 },
      },
    })),
  ]);
}

let agentInc = 1;

async function standInAgent(calls: string[]): Promise<{ unsubscribe(): Promise<unknown> }> {
  const inc = String(agentInc);
  const me = { computer: 'bench_b', inc };
  const served = await Promise.all([
    serviceBus.serve(agentRequests.readClock, me, () => ({ now_ms: performance.now() })),
    serviceBus.serve(agentRequests.callDevice, me, (call, { tokens }) => {
      calls.push(`${inc}:${tokens.device}.${call.function}`);
      if (call.function === 'fail') {
        throw new ServiceError('device_error', 'the pump is dry', {
          effect: 'maybe',
          authorStack: 'color_lab/x.ts:1:1',
        });
      }
      return { result: call.arguments };
    }),
  ]);
  return { unsubscribe: () => Promise.all(served.map((each) => each.unsubscribe())) };
}

describe('a task through the real broker and database', () => {
  it.each(['rinse 1', 'größe/日本 100%', `it's "quoted"`])(
    'is submitted, read, cancelled and read again with the name %s',
    async (name) => {
      const submitted = await http('POST', '/api/tasks', {
        name,
        type: 'clean_container',
        input_parameters: { duration: 2.5, note: '\u{1f9ea}' },
      });
      expect(submitted.status).toBe(201);
      expect(submitted.body).toMatchObject({
        name,
        state: 'queued',
        input_parameters: { duration: 2.5, note: '\u{1f9ea}' },
      });
      const path = submitted.headers.get('location') ?? '';
      const read = await http('GET', path);
      expect(read.body).toEqual(submitted.body);

      const cancelled = await http('POST', `${path}/cancel`);
      expect(cancelled.status).toBe(202);
      expect(cancelled.body).toMatchObject({ id: submitted.body.id, state: 'cancelled' });
      const list = (await http('GET', '/api/tasks?state=cancelled')).body.items as TaskRunRecord[];
      expect(list.map((task) => task.name)).toContain(name);
    },
  );

  it('is refused by the database with 409 when an unfinished task has the name', async () => {
    const body = { name: 'twice', type: 'clean_container' };
    expect((await http('POST', '/api/tasks', body)).status).toBe(201);
    const again = await http('POST', '/api/tasks', body);
    expect(again.status).toBe(409);
    expect(again.body.code).toBe('duplicate_name');
  });

  it('is answered with 404 for read, cancel and files when it does not exist', async () => {
    for (const [method, path] of [
      ['GET', '/api/tasks/none'],
      ['POST', '/api/tasks/none/cancel'],
      ['GET', '/api/tasks/none/files/x'],
      ['GET', '/api/protocols/none'],
      ['GET', '/api/campaigns/none'],
    ] as const) {
      expect((await http(method, path)).status, path).toBe(404);
    }
  });
});

describe('a device call through the real broker', () => {
  it('reaches the agent, follows it to its next incarnation and is never sent twice', async () => {
    const calls: string[] = [];
    const first = await standInAgent(calls);
    const path = '/api/rpc/color_lab/pump.1%20%3E/dose';
    const reply = await http('POST', path, { volume: 2 });
    expect({ status: reply.status, body: reply.body }).toEqual({ status: 200, body: { volume: 2 } });

    await first.unsubscribe();
    agentInc += 1;
    const second = await standInAgent(calls);
    expect((await http('POST', path, { volume: 3 })).status).toBe(200);
    expect(calls).toEqual(['1:pump.1 >.dose', '2:pump.1 >.dose']);

    const failed = await http('POST', '/api/rpc/color_lab/pump.1%20%3E/fail');
    expect(failed.status).toBe(502);
    expect(failed.body).toMatchObject({
      code: 'device_error',
      effect: 'maybe',
      author_stack: 'color_lab/x.ts:1:1',
    });
    expect(calls).toHaveLength(3);
    await second.unsubscribe();

    const gone = await http('POST', path, { volume: 4 });
    expect(gone.body).toMatchObject({ code: 'agent_unreachable', status: 503, effect: 'none' });
    expect(calls).toHaveLength(3);
  });

  it('is found in the logs of gateway, orchestrator and agent by the id of its request', async () => {
    agentInc += 1;
    const agent = await standInAgent([]);
    const path = '/api/rpc/color_lab/pump/dose';
    const first = await http('POST', path, { volume: 1 });
    const second = await http('POST', path, { volume: 2 }, { 'x-request-id': 'dose-2026.11_22' });
    const made = first.headers.get('x-request-id') ?? '';
    await agent.unsubscribe();
    expect(second.headers.get('x-request-id')).toBe('dose-2026.11_22');
    const about = (id: string, lines: typeof log.lines): unknown[] =>
      lines.filter(({ fields }) => fields?.['request_id'] === id).map(({ fields }) => fields);
    const located = expect.objectContaining({
      kind: orchestratorRequests.locateDevice.name,
      outcome: 'done',
    });
    const read = expect.objectContaining({ kind: agentRequests.readClock.name, computer: 'bench_b' });
    const called = expect.objectContaining({
      kind: agentRequests.callDevice.name,
      device: 'pump',
      outcome: 'done',
    });
    // The answer to the first call brings the reading of the clock that the second call carries.
    for (const [id, served] of [
      [made, [located, read, called]],
      ['dose-2026.11_22', [located, called]],
    ] as const) {
      await expect.poll(() => about(id, log.lines)).toHaveLength(1);
      expect(about(id, log.lines)).toMatchObject([{ method: 'POST', status: 200 }]);
      expect(about(id, serviceLog.lines)).toEqual(expect.arrayContaining([...served]));
    }
  });

  it('to an unknown laboratory is answered with 404', async () => {
    const reply = await http('POST', '/api/rpc/nowhere/pump/dose', {});
    expect(reply.body).toMatchObject({ code: 'unknown_lab', status: 404, effect: 'none' });
  });
});

describe('an emergency stop through the real broker', () => {
  it('reaches the agents first and is then recorded', async () => {
    const order: string[] = [];
    const agent = await serviceBus.subscribe(
      agentEvents.emergencyStop,
      {},
      ({ id }) => void order.push(`told ${id}`),
    );
    const leader = await serviceBus.serve(orchestratorRequests.engageStop, {}, async (stop) => {
      order.push(`recorded ${stop.id}`);
      const row = { ...stop, at: Date.now(), releasedAt: null, releasedBy: null };
      await store.commit(epoch, [{ op: 'putEmergencyStop', row }]);
      return { id: stop.id };
    });
    try {
      const reply = await http('POST', '/api/estop', { lab_name: 'color_lab', reason: 'spill', by: 'ada' });
      expect(reply.status).toBe(201);
      expect(reply.body).toMatchObject({
        scope: 'lab:color_lab',
        reason: 'spill',
        by: 'ada',
        released_at: null,
      });
      const { confirmed, complete, devices, ...recorded } = reply.body;
      // Nobody answers for the devices of this test.
      expect([confirmed, complete, devices]).toEqual([true, true, []]);
      const id = reply.body.id as string;
      expect(order.slice(0, 2)).toEqual([`told ${id}`, `recorded ${id}`]);
      expect((await http('GET', '/api/estop')).body.items).toEqual([recorded]);
    } finally {
      await Promise.all([agent, leader].map((each) => each.unsubscribe()));
    }
  });

  it('reaches the agents even when no orchestrator records it, and the answer says so', async () => {
    const heard: string[] = [];
    const agent = await serviceBus.subscribe(agentEvents.emergencyStop, {}, ({ id }) => void heard.push(id));
    try {
      const reply = await http('POST', '/api/estop');
      expect([reply.status, reply.body.engaged_at]).toEqual([202, null]);
      expect(new Set(heard)).toEqual(new Set([reply.body.id]));
    } finally {
      await agent.unsubscribe();
    }
  });
});

describe('when a part is away', () => {
  it('reads work without the orchestrator, and requests that need it get an explanation', async () => {
    expect((await http('GET', '/health/ready')).status).toBe(200);
    await Promise.all(orchestrator.map((subscription) => subscription.unsubscribe()));
    try {
      const refused = await http('POST', '/api/tasks', { name: 'late', type: 'clean_container' });
      expect(refused.body).toMatchObject({ status: 503, code: 'service_unavailable', effect: 'none' });
      expect(refused.text).not.toContain('svc.v1');
      expect((await http('GET', '/api/tasks')).status).toBe(200);
      expect((await http('GET', '/api/devices')).status).toBe(503);
      const health = await http('GET', '/health/ready');
      expect(health.status).toBe(503);
      expect(health.body.parts).toMatchObject({
        broker: { status: 'ok' },
        orchestrator: { status: 'unavailable' },
      });
    } finally {
      orchestrator = await standInOrchestrator();
    }
  });

  it('logs once in words that the broker is frozen, and once that the service is ready again', async () => {
    const told = (): string[] =>
      log.lines.flatMap(({ level, message }) =>
        message.startsWith('the service is') ? [`${level} ${message}`] : [],
      );
    await expect.poll(async () => (await http('GET', '/health/ready')).status, { timeout: 20_000 }).toBe(200);
    const before = told().length;
    await nats.pause();
    try {
      for (let looks = 0; looks < 2; looks += 1)
        expect((await http('GET', '/health/ready')).status).toBe(503);
    } finally {
      nats.resume();
    }
    await expect.poll(async () => (await http('GET', '/health/ready')).status, { timeout: 20_000 }).toBe(200);
    expect(told().slice(before)).toEqual([
      expect.stringMatching(
        /^warn the service is unavailable: broker: nats-server at \S+ accepts connections and does not answer: it is stopped, frozen or overloaded; orchestrator: none that leads answers$/,
      ),
      'info the service is ready',
    ]);
  });

  it('reads work without the broker, and the broker is used again when it is back', async () => {
    await nats.stop();
    const refused = await http('POST', '/api/tasks', { name: 'later', type: 'clean_container' });
    expect(refused.status).toBe(503);
    expect((await http('GET', '/api/tasks')).status).toBe(200);
    expect((await http('GET', '/health/ready')).body.parts).toMatchObject({
      broker: { status: 'unavailable' },
    });

    const back = [gatewayBus, serviceBus].map(
      (bus) =>
        new Promise<void>((resolve) => {
          const forget = bus.onStatus((status) => {
            if (status !== 'connected') return;
            forget();
            resolve();
          });
        }),
    );
    await nats.restart();
    await Promise.all(back);
    await serviceBus.flush();
    expect((await http('POST', '/api/tasks', { name: 'later', type: 'clean_container' })).status).toBe(201);
  });

  it('the gateway reports no defect', () => {
    expect(log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });
});

import { orchestratorRequests, ServiceError, type Submitted, type TaskSubmission } from '@lab/contracts';
import { ConfigError } from '@lab/runtime';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { byTokens, headersOf } from '../tokens.js';
import { memoryLog, startHarness, taskRecord, type Harness } from '../twins.js';
import { MemoryAudit } from '../memory-access.js';
import { AuditRecorder } from '../../src/audit/audit-recorder.js';
import { isOpenToNetwork } from '../../src/access/authentication-by.js';
import type { AuditEntry } from '@lab/persistence';

let gateway: Harness;
let ada: { authorization: string };

beforeAll(async () => {
  gateway = await startHarness({}, undefined, byTokens);
  gateway.requests.on(orchestratorRequests.pauseQueue, () => ({
    paused: true,
    paused_by: 'ada',
    paused_at: null,
    waiting: 0,
    drained_by: null,
    drained_at: null,
    queued: 0,
    running: 0,
  }));
  ada = await headersOf(gateway, 'ada', [{ role: 'operator' }]);
});
afterAll(() => gateway.server.close());
beforeEach(() => {
  gateway.audit.entries.length = 0;
  gateway.audit.failure = undefined;
});

describe('a request that changes something', () => {
  it('leaves an entry with actor, address and outcome under the id that the log uses', async () => {
    await gateway.send('POST', '/api/queue/pause', {}, ada);
    expect(gateway.audit.entries).toEqual([
      {
        id: expect.any(String) as string,
        at: expect.any(Number) as number,
        by: 'ada',
        kind: 'token',
        action: 'POST /api/queue/pause',
        subject: '/api/queue/pause',
        detail: { status: 202 },
        request_id: expect.stringMatching(/^[\da-f-]{36}$/) as string,
        ip: '127.0.0.1',
      },
    ]);
  });

  it('leaves an entry with its code when it is refused or fails', async () => {
    await gateway.send('POST', '/api/tasks/mix%201/cancel', undefined, ada);
    await gateway.send('POST', '/api/tasks', { name: 7 }, ada);
    expect(gateway.audit.entries.map(({ action, subject, detail }) => [action, subject, detail])).toEqual([
      ['POST /api/tasks/{task_name}/cancel', 'task_run/mix 1', { status: 503, code: 'service_unavailable' }],
      ['POST /api/tasks', '/api/tasks', { status: 422, code: 'invalid' }],
    ]);
  });

  it('leaves only the parts of the query that name the subject', async () => {
    await gateway.send('POST', '/api/tasks/mix/cancel?token=hers&protocol_run_name=mix%201', undefined, ada);
    expect(gateway.audit.entries.map(({ subject }) => subject)).toEqual(['task_run/mix 1/mix']);
  });

  it('never leaves a token or the contents of its body', async () => {
    const admin = await headersOf(gateway, 'root', [{ role: 'admin' }]);
    const { body } = await gateway.send(
      'POST',
      '/api/tokens',
      { name: 'eve', grants: [{ role: 'viewer' }], note: 'a secret of hers' },
      admin,
    );
    const text = JSON.stringify(gateway.audit.entries);
    expect(gateway.audit.entries).toHaveLength(1);
    expect(text).not.toContain(String(body.token));
    expect(text).not.toContain('a secret of hers');
  });

  it('is answered before its entry can be written, and the entry follows later', async () => {
    gateway.audit.failure = new ServiceError('store_unavailable', 'gone');
    expect((await gateway.send('POST', '/api/queue/pause', {}, ada)).status).toBe(202);
    expect(gateway.audit.entries).toEqual([]);
    gateway.audit.failure = undefined;
    await vi.waitFor(() => expect(gateway.audit.entries).toHaveLength(1), { timeout: 20_000 });
  });
});

describe('a submission', () => {
  const submit = () => gateway.send('POST', '/api/tasks', { name: 'mix', type: 'mix' }, ada);
  const sent = () =>
    gateway.requests.of(orchestratorRequests.submitTask).at(-1)?.body as Submitted<TaskSubmission>;

  it('gives its entry to the orchestrator, which commits it with the work', async () => {
    gateway.requests.on(orchestratorRequests.submitTask, () => {
      gateway.records.taskRuns.push(taskRecord({ name: 'mix' }));
      return { id: 'i', name: 'mix' };
    });
    expect((await submit()).status).toBe(201);
    expect(sent().audit).toEqual({
      id: expect.any(String) as string,
      at: expect.any(Number) as number,
      by: 'ada',
      kind: 'token',
      action: 'POST /api/tasks',
      subject: 'task_run/mix',
      detail: { status: 201 },
      request_id: expect.stringMatching(/^[\da-f-]{36}$/) as string,
      ip: '127.0.0.1',
    });
    expect(gateway.audit.entries).toEqual([]);
  });

  it('whose answer was lost is recorded under the id of the entry that may be committed', async () => {
    gateway.requests.on(orchestratorRequests.submitTask, () => {
      gateway.records.taskRuns.push(taskRecord({ name: 'mix' }));
      gateway.records.submissions.set('task_run/mix', String(sent().submission_id));
      throw new ServiceError('deadline_exceeded', 'late', { effect: 'maybe' });
    });
    expect((await submit()).status).toBe(201);
    expect(gateway.audit.entries).toEqual([sent().audit]);
  });

  it('that is refused leaves an entry of its own', async () => {
    gateway.requests.on(orchestratorRequests.submitTask, () => {
      throw new ServiceError('duplicate_name', 'there is one');
    });
    expect((await submit()).status).toBe(409);
    expect(gateway.audit.entries).toMatchObject([{ detail: { status: 409, code: 'duplicate_name' } }]);
    expect(gateway.audit.entries[0]?.id).not.toBe(sent().audit?.id);
  });
});

describe('a request that only reads or that nobody may make', () => {
  it('leaves no entry', async () => {
    await gateway.send('GET', '/api/me', undefined, ada);
    await gateway.send('POST', '/api/queue/pause', {});
    await gateway.send('POST', '/api/packages/refresh', {}, ada);
    expect(gateway.audit.entries).toEqual([]);
  });
});

describe('the audit', () => {
  const entry = (id: string): AuditEntry => ({
    id,
    at: 0,
    by: 'ada',
    kind: 'token',
    action: 'a',
    subject: 's',
    detail: {},
    request_id: 'r',
    ip: '127.0.0.1',
  });

  it('keeps the order of its entries while the database is away', async () => {
    const audit = new MemoryAudit();
    const recorder = new AuditRecorder(audit, memoryLog());
    audit.failure = new ServiceError('store_unavailable', 'gone');
    const written = ['1', '2', '3'].map((id) => recorder.record(entry(id)));
    await expect(recorder.announce(entry('4'))).rejects.toMatchObject({ code: 'store_unavailable' });
    audit.failure = undefined;
    await Promise.all(written);
    expect(audit.entries.map(({ id }) => id)).toEqual(['1', '2', '3']);
  });

  it('writes entries for which nobody waits together, and before a later one for which somebody waits', async () => {
    vi.useFakeTimers();
    const batches: number[] = [];
    const audit = new MemoryAudit();
    const append = audit.append.bind(audit);
    audit.append = (entries) => {
      batches.push(entries.length);
      return append(entries);
    };
    const recorder = new AuditRecorder(audit, memoryLog());
    recorder.recordLater(entry('1'));
    recorder.recordLater(entry('2'));
    await vi.advanceTimersByTimeAsync(49);
    expect(batches).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(batches).toEqual([2]);
    recorder.recordLater(entry('3'));
    await recorder.record(entry('4'));
    recorder.recordLater(entry('5'));
    await recorder.close();
    vi.useRealTimers();
    expect(audit.entries.map(({ id }) => id)).toEqual(['1', '2', '3', '4', '5']);
  });

  it('continues after an entry that can never be written, and the log contains that entry', async () => {
    const audit = new MemoryAudit();
    const append = audit.append.bind(audit);
    audit.append = (entries) =>
      entries.some(({ id }) => id === 'bad')
        ? Promise.reject(new ServiceError('invalid', 'cannot be stored'))
        : append(entries);
    const log = memoryLog();
    const recorder = new AuditRecorder(audit, log);
    await Promise.all(['1', 'bad', '2'].map((id) => recorder.record(entry(id))));
    expect(audit.entries.map(({ id }) => id)).toEqual(['1', '2']);
    expect(log.lines).toMatchObject([{ level: 'error', fields: { entry: { id: 'bad' } } }]);
  });

  it('goes to the log when the service ends while the database is away', async () => {
    const audit = new MemoryAudit();
    const log = memoryLog();
    const recorder = new AuditRecorder(audit, log);
    audit.failure = new ServiceError('store_unavailable', 'gone');
    const written = recorder.record(entry('1'));
    await recorder.close();
    await written;
    expect(log.lines).toMatchObject([{ level: 'error', fields: { entry: { id: '1' } } }]);
  });
});

describe('a gateway without authentication', () => {
  const off = { type: 'off', off_anywhere: false } as const;
  const here = 'http://127.0.0.1:8070';

  it.each(['127.0.0.1', '127.3.2.1', '::1', 'localhost'])('may listen on %s', (host) => {
    expect(isOpenToNetwork(off, host, here)).toBe(false);
  });

  it.each(['0.0.0.0', '::', '192.168.1.4', 'lab.example.org'])(
    'may listen on %s only with explicit permission or with tokens',
    (host) => {
      expect(() => isOpenToNetwork(off, host, here)).toThrow(ConfigError);
      expect(() => isOpenToNetwork(off, host, here)).toThrow(/SVC_AUTH=tokens/);
      expect(isOpenToNetwork({ ...off, off_anywhere: true }, host, here)).toBe(true);
      expect(isOpenToNetwork({ type: 'tokens', off_anywhere: false }, host, here)).toBe(false);
    },
  );

  it.each(['https://lab.example.org', 'http://192.168.1.4:8070', 'https://[2001:db8::1]'])(
    'may stand behind a proxy at %s only with explicit permission or with tokens',
    (url) => {
      expect(() => isOpenToNetwork(off, '127.0.0.1', url)).toThrow(/SVC_PUBLIC_URL.*authentication is off/s);
      expect(isOpenToNetwork({ ...off, off_anywhere: true }, '127.0.0.1', url)).toBe(true);
      expect(isOpenToNetwork({ type: 'tokens', off_anywhere: false }, '127.0.0.1', url)).toBe(false);
    },
  );

  it('may be reached at an address of this computer', () => {
    for (const url of ['http://localhost:80', 'http://[::1]:8070', 'http://127.0.0.1'])
      expect(isOpenToNetwork(off, '127.0.0.1', url)).toBe(false);
  });
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { orchestratorRequests as requests, ServiceError, type Submitted } from '@lab/contracts';
import { expectProblem, runRecord, startHarness, taskRecord, type Harness, type Reply } from '../twins.js';
import { emergencyStop } from '../color-lab-records.js';
import { fingerprintOf } from '../../src/idempotency/idempotency-key.js';

let gateway: Harness;
/** Ends the requests that were never answered. */
const endings: (() => void)[] = [];
const submission = { name: 'mix_1', type: 'color_mixing', owner: 'ada' };

beforeEach(async () => {
  gateway = await startHarness();
});
afterEach(async () => {
  for (const end of endings.splice(0)) end();
  await gateway.server.close();
});

const post = (body: object = submission, key = 'k-1', path = '/api/protocols'): Promise<Reply> =>
  gateway.send('POST', path, body, { 'Idempotency-Key': key });
const sent = (): number => gateway.requests.of(requests.submitProtocolRun).length;

/** The record of a run that a submission created. */
function made(run: { name: string; owner?: string }, submissionId: string): void {
  gateway.records.runs.push(runRecord({ ...run, created_at: new Date().toISOString() }));
  gateway.records.submissions.set(`protocol_run/${run.name}`, submissionId);
}

/** The ids of the submissions that the orchestrator received, in order. */
const ids = (): (string | undefined)[] =>
  gateway.requests
    .of(requests.submitProtocolRun)
    .map(({ body }) => (body as Submitted<object>).submission_id);

/** The orchestrator accepts, and the record exists from then on. */
function accepting(): void {
  gateway.requests.on(requests.submitProtocolRun, ({ name, owner = '', submission_id: id = '' }) => {
    made({ name, owner }, id);
    return { id: 'x', name };
  });
}

/** The orchestrator never answers. */
function silent(): void {
  gateway.requests.on(
    requests.submitProtocolRun,
    () =>
      new Promise((_, reject) => {
        endings.push(() => reject(new ServiceError('deadline_exceeded', 'late', { effect: 'maybe' })));
      }),
  );
}

describe('a request with an idempotency key', () => {
  it('is carried out once, and a repeat gets the same answer and a mark', async () => {
    accepting();
    const first = await post();
    const second = await post(submission, '"k-1"');
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.text).toBe(first.text);
    expect(second.headers.get('location')).toBe('/api/protocols/mix_1');
    expect([first, second].map(({ headers }) => headers.get('idempotent-replayed'))).toEqual([null, 'true']);
    expect(sent()).toBe(1);
  });

  it('is carried out again under another key or at another address', async () => {
    accepting();
    await post();
    await post({ ...submission, name: 'mix_2' }, 'k-2');
    gateway.requests.on(requests.cancelProtocolRun, ({ name }) => ({ id: 'x', name }));
    const cancelled = await gateway.send('POST', '/api/protocols/mix_1/cancel', undefined, {
      'Idempotency-Key': 'k-1',
    });
    expect(cancelled.status).toBe(202);
    expect(sent()).toBe(2);
  });

  it('is refused with another body, and while the first request is in progress', async () => {
    let answer = (): void => undefined;
    const begun = new Promise<void>((begin) => {
      gateway.requests.on(requests.submitProtocolRun, async ({ name }) => {
        begin();
        await new Promise<void>((resolve) => (answer = resolve));
        gateway.records.runs.push(runRecord({ name }));
        return { id: 'x', name };
      });
    });
    const first = post();
    await begun;
    const meanwhile = await post();
    expectProblem(meanwhile, 409, 'idempotency_key_in_progress');
    expect(meanwhile.headers.get('retry-after')).toBe('1');
    answer();
    expect((await first).status).toBe(201);
    expectProblem(await post({ ...submission, priority: 1 }), 422, 'idempotency_key_reused');
    expect(sent()).toBe(1);
  });

  it('frees its key when it had no effect', async () => {
    gateway.requests.on(requests.submitProtocolRun, () => {
      throw new ServiceError('backlog_full', 'too much');
    });
    expectProblem(await post(), 429, 'backlog_full');
    expectProblem(await post({ ...submission, priority: 'x' }), 422, 'invalid');
    accepting();
    expect((await post()).status).toBe(201);
  });

  it('is carried out after the death of its gateway unless the first request was carried out', async () => {
    silent();
    void post().catch(() => undefined);
    void post({ ...submission, name: 'mix_2' }, 'k-2').catch(() => undefined);
    await expect.poll(sent).toBe(2);
    gateway.keys.dead = true;
    made(submission, ids()[0] ?? '');
    const found = await post();
    expect([found.status, found.body]).toMatchObject([201, { name: 'mix_1' }]);
    expect(sent()).toBe(2);
    accepting();
    expect((await post({ ...submission, name: 'mix_2' }, 'k-2')).status).toBe(201);
    expect(sent()).toBe(3);
    expect(ids()[2]).toBe(ids()[1]);
  });

  it('does not claim work that somebody else created under the name after the death of its gateway', async () => {
    silent();
    void post().catch(() => undefined);
    await expect.poll(sent).toBe(1);
    gateway.keys.dead = true;
    // The other record has the same fields and the same time of creation.
    made(submission, 'of another request');
    gateway.requests.on(requests.submitProtocolRun, () => {
      throw new ServiceError('duplicate_name', 'taken');
    });
    expectProblem(await post(), 409, 'duplicate_name');
  });

  it('reports an unknown outcome, also when repeated', async () => {
    gateway.records.taskRuns.push(taskRecord({ name: 'rinse_1' }));
    gateway.requests.on(requests.cancelTask, () => {
      throw new ServiceError('deadline_exceeded', 'no answer', { effect: 'maybe' });
    });
    const cancel = (): Promise<Reply> =>
      gateway.send('POST', '/api/tasks/rinse_1/cancel', undefined, { 'Idempotency-Key': 'k' });
    expectProblem(await cancel(), 504, 'deadline_exceeded');
    for (let round = 0; round < 2; round += 1) {
      const reply = await cancel();
      expectProblem(reply, 409, 'outcome_unknown');
      expect(reply.body['effect']).toBe('maybe');
    }
    expect(gateway.requests.of(requests.cancelTask)).toHaveLength(1);
  });

  it('is carried out each time when it is an emergency stop, which must not wait for the database', async () => {
    gateway.requests.on(requests.engageStop, ({ id, scope }) => {
      gateway.records.stops.push({ ...emergencyStop, id, scope });
      return { id };
    });
    for (const lab of ['color_lab', 'other_lab']) {
      const { status, headers } = await post({ lab_name: lab, reason: 'smoke' }, 'k-1', '/api/estop');
      expect([status, headers.get('idempotent-replayed')]).toEqual([201, null]);
    }
    expect(gateway.records.stops).toHaveLength(2);
  });

  it('is refused with an invalid key', async () => {
    for (const key of ['', 'a b', 'x'.repeat(256)])
      expectProblem(await post(submission, key), 400, 'bad_request');
    expect(sent()).toBe(0);
  });

  it('may omit the key', async () => {
    accepting();
    for (const name of ['mix_1', 'mix_2'])
      expect((await gateway.send('POST', '/api/protocols', { ...submission, name })).status).toBe(201);
    expect(gateway.keys.kept.size).toBe(0);
    expect(new Set(ids()).size).toBe(2);
  });
});

it('two bodies that differ only in the order of their fields are the same request', () => {
  const of = (body: unknown, url = '/api/tasks'): string => fingerprintOf({ url, body });
  expect(of({ a: 1, b: { c: 2, d: [1, 2] } })).toBe(of({ b: { d: [1, 2], c: 2 }, a: 1 }));
  expect(of({ a: [1, 2] })).not.toBe(of({ a: [2, 1] }));
  expect(of({ a: 1 })).not.toBe(of([['a', 1]]));
  expect(of({}, '/api/tasks?x=1')).not.toBe(of({}));
  expect(of(undefined)).not.toBe(of({}));
});

import { describe, expect, it } from 'vitest';
import type { CampaignRecord, DryRunRecord, Problem, ProtocolRunRecord, TaskRunRecord } from '@lab/contracts';
import { eventually, isOver, type Answer } from '../api.js';
import { lab } from './lab.js';

/** Repeated requests, changes of queued work, clones and archives. */

const place = 'multiplication_lab';
const slow = (seconds: number) => ({ type: 'slow_multiplication', parameters: { wait: { seconds } } });
const forever = {
  protocol: 'slow_multiplication',
  max_protocol_runs: 0,
  global_parameters: slow(0.1).parameters,
};
const product = (name: string, number: number) => ({
  name,
  type: 'multiply',
  devices: { multiplier: { lab_name: place, name: 'multiplier_a' } },
  input_parameters: { number, factor: 2 },
});

/** Sends with an idempotency key. */
async function send<T>(key: string, method: string, path: string, body?: unknown): Promise<Answer<T>> {
  const response = await fetch(`${lab.api.url}${path}`, {
    method,
    headers: {
      'idempotency-key': key,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as T };
}

describe('a request with an idempotency key', () => {
  it('has its effect once, even when clients send it many times at once', async () => {
    const replies = await Promise.all(
      Array.from({ length: 5 }, () => send<TaskRunRecord>('once', 'POST', '/api/tasks', product('once', 3))),
    );
    const made = replies.filter(({ status }) => status === 201);
    expect(made.length).toBeGreaterThan(0);
    expect(replies.every(({ status }) => status === 201 || status === 409)).toBe(true);
    expect((await eventually(() => lab.api.task('once'), isOver)).state).toBe('completed');
    // The name is free again: without the key this would be another task.
    const again = await send<TaskRunRecord>('once', 'POST', '/api/tasks', product('once', 3));
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
    expect(again.headers.get('location')).toBe('/api/tasks/once');
    expect(again.body.id).toBe(made[0]?.body.id);
    const other = await send<Problem>('once', 'POST', '/api/tasks', product('once', 4));
    expect([other.status, other.body.code]).toEqual([422, 'idempotency_key_reused']);
  });
});

describe('a dry run', () => {
  const kept = ['tasks', 'protocols', 'campaigns', 'attempts', 'files', 'resources', 'audit', 'attention'];
  const records = (): Promise<unknown[]> =>
    Promise.all(kept.map(async (list) => (await lab.api.call('GET', `/api/${list}?limit=500`)).body));

  it('is answered like the submission and stores nothing', async () => {
    const { api } = lab;
    await api.call('POST', '/api/queue/pause');
    const asked: [path: string, body: { name: string }][] = [
      ['tasks', product('tried', 3)],
      ['tasks', product('tried', 3)],
      ['tasks', { ...product('tried_2', 3), input_parameters: { number: 'x' } } as { name: string }],
      ['protocols', { name: 'tried', ...slow(1) }],
      ['protocols', { name: 'tried', ...slow(1) }],
      ['protocols', { name: 'tried_2', type: 'nothing_of_the_kind' } as { name: string }],
      ['campaigns', { name: 'tried', ...forever }],
      ['campaigns', { name: 'tried_2', ...forever, optimize: true } as { name: string }],
    ];
    const accepted: string[] = [];
    for (const [path, body] of asked) {
      const before = await records();
      const tried = await api.call<Problem>('POST', `/api/${path}?dry_run=true`, body);
      expect(await records(), body.name).toEqual(before);
      const meant = await api.call<Problem>('POST', `/api/${path}`, body);
      const told = ({ code, detail, errors }: Problem): unknown => ({ code, detail, errors });
      if (meant.status === 201) {
        expect(tried).toMatchObject({ status: 200, body: { valid: true, resolved: body } });
        accepted.push(path);
      } else expect([tried.status, told(tried.body)]).toEqual([meant.status, told(meant.body)]);
    }
    expect(accepted).toEqual(['tasks', 'protocols', 'campaigns']);
    for (const path of accepted) await api.call('POST', `/api/${path}/tried/cancel`);
    await api.call('POST', '/api/queue/resume');
  });

  it('answers with the forecast of start and end', async () => {
    const { api } = lab;
    const campaign = { name: 'timed', ...forever, max_protocol_runs: 2 };
    const { body } = await api.call<DryRunRecord>('POST', '/api/campaigns?dry_run=true', campaign);
    expect(body.estimate).toMatchObject({ runs: 2, reason: null });
    const { starts_at: start, ends_at: end, tasks } = body.estimate;
    expect(Date.parse(end ?? '')).toBeGreaterThan(Date.parse(start ?? ''));
    expect(tasks.length).toBeGreaterThan(0);
    expect(body.warnings).toEqual([]);
  });
});

describe('queued work', () => {
  it('runs with its latest parameters', async () => {
    const { api } = lab;
    await api.call('POST', '/api/queue/pause');
    await api.submit('tasks', product('changed', 3));
    const reply = await api.call<TaskRunRecord>('PATCH', '/api/tasks/changed', {
      priority: 7,
      input_parameters: { number: 21 },
    });
    expect([reply.status, reply.body.priority, reply.body.input_parameters]).toMatchObject([
      200,
      7,
      { number: 21, factor: 2 },
    ]);
    const faulty = await api.call<Problem>('PATCH', '/api/tasks/changed', {
      input_parameters: { number: 'x' },
    });
    expect([faulty.status, faulty.body.errors?.[0]?.path]).toEqual([422, 'input_parameters.number']);
    await api.call('POST', '/api/queue/resume');
    const done = await eventually(() => api.task('changed'), isOver);
    expect(done.output_parameters).toMatchObject({ product: 42 });
    const late = await api.call<Problem>('PATCH', '/api/tasks/changed', { priority: 1 });
    expect([late.status, late.body.code]).toEqual([409, 'wrong_state']);
  });

  it('starts first after its priority rises', async () => {
    const { api } = lab;
    await api.call('POST', '/api/queue/pause');
    for (const name of ['first', 'second']) await api.submit('tasks', product(name, 3));
    await api.call('PATCH', '/api/tasks/second', { priority: 9 });
    await api.call('POST', '/api/queue/resume');
    const [first, second] = await Promise.all(
      ['first', 'second'].map((name) => eventually(() => api.task(name), isOver)),
    );
    expect(Date.parse(second?.started_at ?? '')).toBeLessThan(Date.parse(first?.started_at ?? ''));
  });

  it('of a campaign accepts a new number of runs and new parameters', async () => {
    const { api } = lab;
    await api.submit('campaigns', {
      name: 'growing',
      protocol: 'slow_multiplication',
      max_protocol_runs: 1,
      global_parameters: slow(1).parameters,
    });
    await eventually(
      () => api.campaign('growing'),
      ({ protocol_runs: runs }) => runs.length === 1,
    );
    const grown = await api.call<CampaignRecord>('PATCH', '/api/campaigns/growing', {
      max_protocol_runs: 2,
      global_parameters: slow(0.1).parameters,
    });
    expect([grown.status, grown.body.max_protocol_runs]).toEqual([200, 2]);
    expect((await eventually(() => api.campaign('growing'), isOver)).protocol_runs_completed).toBe(2);
    expect((await api.run('growing_run_2')).parameters).toMatchObject(slow(0.1).parameters);
  });
});

describe('a clone', () => {
  it('can be posted unchanged', async () => {
    const { api } = lab;
    await api.submit('protocols', { name: 'model', ...slow(0.1), priority: 3 });
    await eventually(() => api.run('model'), isOver);
    const { body } = await api.call<{ submission: { name: string }; left_out: string[] }>(
      'GET',
      '/api/protocols/model/clone',
    );
    expect(body).toMatchObject({ submission: { name: 'model_2', ...slow(0.1), priority: 3 }, left_out: [] });
    const posted = await api.call<ProtocolRunRecord>('POST', '/api/protocols', body.submission);
    expect(posted.status).toBe(201);
    expect((await eventually(() => api.run('model_2'), isOver)).state).toBe('completed');
  });
});

describe('an archived campaign', () => {
  const names = async (path: string): Promise<string[]> =>
    (await lab.api.all<{ name: string }>(path)).map(({ name }) => name);
  const act = <T>(path: string): Promise<Answer<T>> => lab.api.call<T>('POST', path, { by: 'ada' });

  it('leaves the lists with its runs and tasks, is readable by its name, and returns when restored', async () => {
    const { api } = lab;
    await api.submit('campaigns', {
      name: 'kept',
      protocol: 'slow_multiplication',
      max_protocol_runs: 1,
      global_parameters: slow(1).parameters,
    });
    expect((await act<Problem>('/api/campaigns/kept/archive')).body.code).toBe('wrong_state');
    await eventually(() => api.campaign('kept'), isOver);
    expect((await act<Problem>('/api/protocols/kept_run_1/archive')).body.code).toBe('wrong_state');
    const { status, body } = await act<CampaignRecord>('/api/campaigns/kept/archive');
    expect([status, typeof body.archived_at]).toEqual([200, 'string']);
    expect(await names('/api/campaigns')).not.toContain('kept');
    expect(await names('/api/tasks?campaign=kept')).toEqual([]);
    expect((await names('/api/tasks?campaign=kept&archived=all')).length).toBeGreaterThan(0);
    expect(await names('/api/campaigns/kept/runs')).toEqual(['kept_run_1']);
    expect(await api.run('kept_run_1')).toMatchObject({ state: 'completed', archived_at: body.archived_at });
    const taken = await api.submit('campaigns', { name: 'kept', ...forever });
    expect([taken.status, taken.body.code]).toEqual([409, 'duplicate_name']);
    expect((await act<CampaignRecord>('/api/campaigns/kept/restore')).body.archived_at).toBeNull();
    expect(await names('/api/campaigns')).toContain('kept');
    const audit = await api.all<{ action: string; by: string }>('/api/audit?subject=campaign/kept');
    // The requests have entries too, also those that were refused.
    const [requests, acts] = [true, false].map((isRequest) =>
      audit.filter(({ action }) => action.startsWith('POST ') === isRequest),
    );
    expect(acts?.map(({ action, by }) => [action, by])).toEqual([
      ['campaign.restore', 'ada'],
      ['campaign.archive', 'ada'],
    ]);
    expect(requests?.map(({ action }) => action)).toContain('POST /api/campaigns/{campaign_name}/archive');
  });
});

import type { LogLine } from '@lab/contracts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EventClient } from '../event-client.js';
import { logLine } from '../memory-lines.js';
import { expectProblem, runRecord, sharedHarness, startHarness, taskRecord, type Harness } from '../twins.js';

const gateway = sharedHarness();

const read = async (path: string): Promise<string[]> => {
  const { status, body } = await gateway.send('GET', path);
  expect(status).toBe(200);
  return (body.items as LogLine[]).map(({ message }) => message);
};

beforeEach(() => {
  gateway.records.taskRuns.push(
    taskRecord({ id: 't1', name: 'mix', protocol_run: 'run_1' }),
    taskRecord({ id: 't2', name: 'mix' }),
  );
  gateway.records.runs.push(runRecord({ name: 'run_1' }));
  gateway.records.logs = [
    logLine({ id: 1, task_run_id: 't1', task: 'mix', protocol_run: 'run_1', message: 'in the run' }),
    logLine({ id: 2, task_run_id: 't2', task: 'mix', level: 'error', message: 'on demand' }),
    logLine({ id: 3, source: 'device', lab: 'lab', device: 'arm', level: 'warn', message: 'moved' }),
  ];
});

describe('lines of tasks and devices', () => {
  it('are listed with the latest first and filtered by their origin', async () => {
    expect(await read('/api/logs')).toEqual(['moved', 'on demand', 'in the run']);
    expect(await read('/api/logs?task=mix&sort=id')).toEqual(['in the run', 'on demand']);
    expect(await read('/api/logs?level=warn&source=task,device')).toEqual(['moved', 'on demand']);
    expect(await read('/api/logs?text=OVE')).toEqual(['moved']);
    expect(await read('/api/tasks/mix/logs')).toEqual(['on demand']);
    expect(await read('/api/tasks/mix/logs?protocol_run_name=run_1')).toEqual(['in the run']);
    expect(await read('/api/protocols/run_1/logs?level=info')).toEqual(['in the run']);
    expect(await read('/api/labs/lab/devices/arm/logs?since=2026-11-20T00:00:00Z')).toEqual(['moved']);
    expect(await read('/api/labs/lab/devices/leg/logs')).toEqual([]);
  });

  it('are read page by page, and each list has its own cursor', async () => {
    const { body } = await gateway.send('GET', '/api/logs?limit=2');
    expect(body).toMatchObject({ items: [{ id: 3 }, { id: 2 }] });
    const cursor = String(body['next_cursor']);
    expect(await read(`/api/logs?limit=2&cursor=${cursor}`)).toEqual(['in the run']);
    const foreign = await gateway.send('GET', `/api/protocols/run_1/logs?cursor=${cursor}`);
    expectProblem(foreign, 400, 'bad_request');
  });

  it('are refused for an unknown origin, and with the same filter twice', async () => {
    expectProblem(await gateway.send('GET', '/api/tasks/rinse/logs'), 404, 'not_found');
    expectProblem(await gateway.send('GET', '/api/protocols/run_2/logs'), 404, 'not_found');
    for (const path of [
      '/api/logs?level=loud',
      '/api/logs?level=warn,error',
      '/api/logs?colour=red',
      '/api/protocols/run_1/logs?protocol_run=run_2',
      '/api/tasks/mix/logs?task_run=t1',
      '/api/labs/lab/devices/arm/logs?device=leg',
    ])
      expectProblem(await gateway.send('GET', path), 422, 'invalid');
  });
});

describe('a stream of lines', () => {
  const open: Harness[] = [];
  const clients: EventClient<LogLine>[] = [];

  const begin = async (...given: Parameters<typeof startHarness>): Promise<Harness> => {
    const made = await startHarness(...given);
    open.push(made);
    made.records.taskRuns.push(...gateway.records.taskRuns);
    made.records.runs.push(...gateway.records.runs);
    return made;
  };
  const follow = async (of: Harness, path: string, headers = {}): Promise<EventClient<LogLine>> => {
    const client = await EventClient.open<LogLine>(`${of.url}/api${path}`, headers);
    clients.push(client);
    return client;
  };
  afterEach(async () => {
    for (const client of clients.splice(0)) client.close();
    for (const { server } of open.splice(0)) await server.close();
  });
  const ids = (lines: readonly LogLine[]): number[] => lines.map(({ id }) => id);
  const inRun = { task_run_id: 't1', task: 'mix', protocol_run: 'run_1' };
  const ofArm = { source: 'device', lab: 'lab', device: 'arm' } as const;

  it('sends each client the new lines that match its filter', async () => {
    const service = await begin();
    service.lines.store({}, {});
    const paths = [
      '/logs/stream',
      '/logs/stream?level=warn&source=task',
      '/tasks/mix/logs/stream?protocol_run_name=run_1',
      '/protocols/run_1/logs/stream?text=OTHER',
      '/labs/lab/devices/arm/logs/stream',
    ];
    const followers = await Promise.all(paths.map((path) => follow(service, path)));
    service.lines.store(
      { ...inRun, level: 'error' },
      { ...inRun, message: 'another line' },
      { task_run_id: 't2', task: 'mix' },
      { ...ofArm, level: 'warn' },
    );
    const [all] = followers;
    expect(await all?.next(4)).toEqual(service.lines.lines.slice(2));
    const expected = [[3, 4, 5, 6], [3], [3, 4], [4], [6]];
    for (const [index, client] of followers.entries()) {
      if (client === all) continue;
      expect(ids(await client.next(expected[index]?.length ?? 0)), paths[index]).toEqual(expected[index]);
    }
  });

  it('continues after the last line of a client, skips lines outside the filter and repeats none', async () => {
    const service = await begin();
    const every = (from: number, to: number): Partial<LogLine>[] =>
      Array.from({ length: to - from + 1 }, (_, n) => ({
        ...((from + n) % 50 === 0 ? ofArm : inRun),
        // Enough lines that not all of them stay in memory.
        message: 'x'.repeat(8_000),
      }));
    const after = (id: number, last: number): number[] =>
      Array.from({ length: (last - id) / 50 }, (_, n) => id + (n + 1) * 50);
    service.lines.store(...every(1, 300));
    const client = await follow(service, '/labs/lab/devices/arm/logs/stream?after=0');
    expect(ids(await client.next(6))).toEqual(after(0, 300));
    service.lines.store(...every(301, 1_500));
    expect(ids(await client.next(24))).toEqual(after(300, 1_500));
    const again = await follow(service, '/labs/lab/devices/arm/logs/stream?after=7', {
      'last-event-id': '310',
    });
    expect(ids(await again.next(24))).toEqual(after(300, 1_500));
    const all = await follow(service, '/logs/stream?after=1');
    expect(ids(await all.next(1_499))).toEqual(Array.from({ length: 1_499 }, (_, n) => n + 2));
  });

  it('begins at the oldest existing line, refuses unknown numbers and ends with a gap', async () => {
    const service = await begin();
    service.lines.store({}, {}, {});
    service.lines.pruned = 2;
    const client = await follow(service, '/logs/stream?after=0');
    expect(ids(await client.next(1))).toEqual([3]);
    const pruned = await service.send('GET', '/api/logs/stream?after=1');
    expectProblem(pruned, 410, 'events_pruned');
    expect(pruned.body['detail']).toBe('Lines up to number 2 were removed.');
    service.lines.pruned = 9;
    service.lines.store({ id: 10 });
    await client.ended;
    expect(client.gap).toEqual({ after: 3, oldest: 9 });
    for (const query of [
      'after=11',
      'after=x',
      'level=loud',
      'limit=3',
      'sort=id',
      'cursor=x',
      'after=9&after=9',
    ])
      expectProblem(await service.send('GET', `/api/logs/stream?${query}`), 422, 'invalid');
    expectProblem(await service.send('GET', '/api/tasks/mix/logs/stream?task_run=t1'), 422, 'invalid');
    expectProblem(await service.send('GET', '/api/tasks/rinse/logs/stream'), 404, 'not_found');
    expectProblem(await service.send('GET', '/api/protocols/run_2/logs/stream'), 404, 'not_found');
    const head = await service.send('HEAD', '/api/logs/stream');
    expect(head.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  });

  it('shares its connection limit with the events, and reads nothing without clients', async () => {
    const service = await begin({ feeds: { clients: 2, heartbeatMs: 20 } });
    const first = await follow(service, '/logs/stream');
    const events = await follow(service, '/events');
    expectProblem(await service.send('GET', '/api/logs/stream'), 503, 'service_unavailable');
    first.close();
    events.close();
    await expect
      .poll(
        async () => {
          const before = service.lines.reads;
          await new Promise((resolve) => setTimeout(resolve, 600));
          return service.lines.reads - before;
        },
        { timeout: 10_000 },
      )
      .toBe(0);
    service.lines.store({}, {});
    const next = await follow(service, '/logs/stream');
    service.lines.store({});
    expect(ids(await next.next(1))).toEqual([3]);
    await service.server.close();
    await next.ended;
    expect(next.comments.at(-1)).toContain('stopping');
  });
});

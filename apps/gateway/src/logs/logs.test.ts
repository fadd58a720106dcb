import type { LogLine } from '@lab/contracts';
import { beforeEach, describe, expect, it } from 'vitest';
import { expectProblem, logLine, runRecord, sharedHarness, taskRecord } from '../../test/twins.js';

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
  it('are listed, the latest first, and found by what they are of', async () => {
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

  it('are read page by page, each list by its own cursor', async () => {
    const { body } = await gateway.send('GET', '/api/logs?limit=2');
    expect(body).toMatchObject({ items: [{ id: 3 }, { id: 2 }] });
    const cursor = String(body['next_cursor']);
    expect(await read(`/api/logs?limit=2&cursor=${cursor}`)).toEqual(['in the run']);
    const foreign = await gateway.send('GET', `/api/protocols/run_1/logs?cursor=${cursor}`);
    expectProblem(foreign, 400, 'bad_request');
  });

  it('are of nothing that there is not, and narrowed down by nothing twice', async () => {
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

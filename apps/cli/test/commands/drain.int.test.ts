import { orchestratorRequests as requests, ServiceError, type DrainRecord } from '@lab/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { agent } from '../../../gateway/test/color-lab-records.js';
import { startHarness, type Harness } from '../../../gateway/test/twins.js';
import { svcHere, trimmed, type Ran } from '../in-process.js';

/** `svc drain` with the real gateway, while a computer is silent. The test scripts the answers of the orchestrator. */

const at = '2026-11-20T09:30:00.000Z';
const drained: DrainRecord = {
  ...{ draining: true, campaign: null, by: 'ada', since: at, drained: true },
  ...{ unfinished_count: 0, unfinished: [] },
};
const unheard = { label: 'mix_1/mix', computer: 'bench_b', since: at, silent_since: at };
const left: DrainRecord = {
  ...drained,
  drained: false,
  unfinished_count: 5,
  unfinished: [
    { kind: 'protocol_run', name: 'mix_1', state: 'running', since: at, running: [unheard] },
    { kind: 'protocol_run', name: 'mix_2', state: 'needs_attention', since: at, running: [] },
    { kind: 'protocol_run', name: 'mix_3', state: 'paused', since: at, running: [] },
    { kind: 'protocol_run', name: 'mix_4', state: 'running', since: at, running: [] },
  ],
};

let gateway: Harness;
beforeAll(async () => {
  gateway = await startHarness();
});
afterAll(() => gateway?.server.close());
beforeEach(() => void gateway.requests.on(requests.drain, () => left));

const typed = async (...args: string[]): Promise<Ran> =>
  trimmed(await svcHere([...args, '--url', gateway.url]));
const svc = (...args: string[]): Promise<Ran> => typed('drain', ...args);

describe('svc drain', () => {
  it('says of which tasks nobody knows whether they go on, with the exit code 3', async () => {
    const { code, out, err } = await svc('--by', 'ada');
    expect(code).toBe(3);
    expect(err).toBe(
      'NOT CONFIRMED: mix_1/mix may go on. Computer bench_b is not heard since 2026-11-20 09:30:00Z.',
    );
    expect(out.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['drained by ada since 2026-11-20 09:30:00Z: nothing new begins until svc drain --end'],
      ['NOT ENDED', 'STATE', 'SINCE', 'RUNS'],
      [...['mix_1', 'running', '2026-11-20 09:30:00Z'], 'mix_1/mix on bench_b since 2026-11-20 09:30:00Z'],
      [
        ...['mix_2', 'needs_attention', '2026-11-20 09:30:00Z'],
        'nothing: it waits for a decision (svc attention)',
      ],
      ['mix_3', 'paused', '2026-11-20 09:30:00Z', 'nothing: it is paused (svc resume)'],
      ['mix_4', 'running', '2026-11-20 09:30:00Z', 'nothing: its next task waits (svc queue)'],
      ['... and 1 more'],
    ]);
  });

  it('goes on waiting while the orchestrator starts again, and tells each change once', async () => {
    const answers = [
      () => left,
      (): DrainRecord => {
        throw new ServiceError('internal', 'the orchestrator is starting');
      },
      () => drained,
    ];
    gateway.requests.on(requests.readDrain, () => (answers.shift() ?? (() => drained))());
    const { code, out, err } = await svc('--wait', '--timeout', '20');
    expect([code, out.split('\n')[1]]).toEqual([0, 'everything that has begun has ended']);
    expect(err.split('\n')).toEqual([
      '5 to end: mix_1 (running), mix_2 (needs_attention), mix_3 (paused), mix_4 (running)',
      'NOT CONFIRMED: mix_1/mix may go on. Computer bench_b is not heard since 2026-11-20 09:30:00Z.',
    ]);
  });

  it('ends the waiting when the service refuses the question', async () => {
    gateway.requests.on(requests.readDrain, () => {
      throw new ServiceError('forbidden', 'the role is gone');
    });
    expect(await svc('--wait')).toMatchObject({
      ...{ code: 3, out: '', err: expect.stringContaining('the role is gone') as string },
    });
  });
});

describe('svc agent drain', () => {
  const drain = {
    ...{ by: 'ada', reason: 'update', since: at, until: null },
    ...{ drained: false, used_by: ['mix_1/mix'], kept_by: ['mix_2'] },
  };
  const over = { ...drain, drained: true, used_by: [], kept_by: [] };
  beforeEach(() => {
    gateway.requests
      .on(requests.drainComputer, () => ({}))
      .on(requests.resumeComputer, () => ({}))
      .on(requests.listAgents, () => ({ agents: [{ ...agent, drain }] }));
  });

  it('says what still runs, and what keeps a device', async () => {
    const until = '2026-11-24T19:00+01:00';
    const asked = ['--reason', 'update', '--by', 'ada', '--until', until];
    const { code, out } = await typed('agent', 'drain', 'bench_b', ...asked);
    expect(code).toBe(0);
    expect(out.split('\n')).toEqual([
      'bench_b: draining, by ada: update',
      'still running: mix_1/mix',
      'runs that keep a device of it, in which a sample may be: mix_2',
    ]);
    expect(gateway.requests.of(requests.drainComputer).at(-1)?.body).toEqual({
      ...{ computer: 'bench_b', reason: 'update', by: 'ada', until: '2026-11-24T18:00:00.000Z' },
    });
    expect((await typed('agents')).out).toContain('draining, by ada: update');
    expect((await typed('agents', 'bench_b')).out).toMatch(/drain +draining, by ada: update/);
  });

  it('waits until the last task has ended', async () => {
    const answers = [drain, drain, { ...over, until: '2026-11-24T18:00:00.000Z' }];
    gateway.requests.on(requests.listAgents, () => ({
      agents: [{ ...agent, drain: answers.shift() ?? over }],
    }));
    const { code, out } = await typed('agent', 'drain', 'bench_b', '--reason', 'update', '--wait');
    expect([code, out]).toEqual([0, 'bench_b: drained, by ada until 2026-11-24 18:00:00Z: update']);
    expect(answers).toEqual([]);
  });

  it('needs a reason, and names a computer that nobody knows', async () => {
    expect((await typed('agent', 'drain', 'bench_b')).code).toBe(2);
    gateway.requests.on(requests.drainComputer, () => {
      throw new ServiceError('not_found', 'no laboratory names a computer "bench_x"');
    });
    const { code, err } = await typed('agent', 'drain', 'bench_x', '--reason', 'update');
    expect([code, err.includes('no laboratory names a computer "bench_x"')]).toEqual([3, true]);
  });

  it('is ended by svc agent resume', async () => {
    gateway.requests.on(requests.listAgents, () => ({ agents: [agent] }));
    expect((await typed('agent', 'resume', 'bench_b', '--by', 'bob')).out).toBe('bench_b: takes tasks');
    expect(gateway.requests.of(requests.resumeComputer).at(-1)?.body).toEqual({
      ...{ computer: 'bench_b', by: 'bob' },
    });
  });
});

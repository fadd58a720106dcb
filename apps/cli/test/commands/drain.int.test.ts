import {
  orchestratorRequests as requests,
  ServiceError,
  type AgentRecord,
  type DrainRecord,
} from '@lab/contracts';
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
  const online: AgentRecord = { ...agent, state: 'online', reason: null, tasks: ['mix_1/mix'] };
  const draining = ['agent', 'drain', 'bench_b', '--reason', 'update'];
  /** The records that the orchestrator answers, one after the other. The last one stays. */
  const answers = (...records: (AgentRecord | ServiceError)[]): void =>
    void gateway.requests.on(requests.listAgents, () => {
      const next = records.length > 1 ? records.shift() : records[0];
      if (next === undefined || next instanceof ServiceError) throw next ?? new Error('no answer is left');
      return { agents: [next] };
    });
  beforeEach(() => {
    gateway.requests.on(requests.drainComputer, () => ({})).on(requests.resumeComputer, () => ({}));
    answers({ ...online, drain });
  });

  it('says what still runs, and what keeps a device', async () => {
    const until = '2026-11-24T19:00+01:00';
    const { code, out } = await typed(...draining, '--by', 'ada', '--until', until);
    expect(code).toBe(0);
    expect(out.split('\n')).toEqual([
      'bench_b: draining, 1 still running, by ada since 2026-11-20 09:30:00Z: update',
      'still running: mix_1/mix',
      'runs that keep a device of it, in which a sample may be: mix_2',
    ]);
    expect(gateway.requests.of(requests.drainComputer).at(-1)?.body).toEqual({
      ...{ computer: 'bench_b', reason: 'update', by: 'ada', until: '2026-11-24T18:00:00.000Z' },
    });
  });

  it('waits until the last task has ended, also while the orchestrator starts again', async () => {
    const starting = new ServiceError('internal', 'the orchestrator is starting');
    const end = { ...online, tasks: [], drain: { ...over, until: '2026-11-24T18:00:00.000Z' } };
    answers({ ...online, drain }, starting, { ...online, drain }, end);
    expect(await typed(...draining, '--wait')).toEqual({
      ...{ code: 0, err: 'still running: mix_1/mix' },
      out: 'bench_b: drained, by ada since 2026-11-20 09:30:00Z until 2026-11-24 18:00:00Z: update',
    });
  });

  it('fails when the drain has ended while it waited', async () => {
    answers({ ...online, drain }, { ...online, drain: null });
    const { code, out, err } = await typed(...draining, '--wait');
    expect([code, out]).toEqual([3, 'bench_b: takes tasks']);
    expect(err).toContain('NOT DRAINED: the drain of bench_b has ended, so tasks may start there.');
  });

  it('says that nobody knows whether tasks go on while the computer is silent', async () => {
    const silent: AgentRecord = { ...online, state: 'offline', reason: 'it has not been heard', drain };
    const told = 'NOT CONFIRMED: mix_1/mix may go on. Computer bench_b is offline: it has not been heard';
    answers(silent);
    expect(await typed(...draining)).toMatchObject({ code: 3, err: told });
    answers(silent, { ...online, tasks: [], drain: over });
    expect(await typed(...draining, '--wait')).toMatchObject({
      ...{ code: 0, err: `still running: mix_1/mix\n${told}` },
    });
  });

  it('shows in svc agents, beside the reason why the agent is not online', async () => {
    answers({ ...online, drain });
    expect((await typed('agents')).out).toContain('draining, 1 still running, by ada since');
    answers({ ...online, state: 'incompatible', reason: 'update this agent', tasks: [], drain: over });
    expect((await typed('agents')).out).toContain(
      'drained, by ada since 2026-11-20 09:30:00Z: update; update this agent',
    );
  });

  it('leaves the version and the protocol of each agent visible', async () => {
    expect((await typed('agents')).out.split('\n').map((line) => line.split(/ {2,}/).slice(3, 5))).toEqual([
      ['VERSION', 'PROTOCOL'],
      ['0.1.0', '1 to 2'],
    ]);
    expect((await typed('agents', 'bench_b')).out).toMatch(/protocol +1 to 2/);
    answers({ ...online, version: null, protocol: null });
    expect((await typed('agents')).out.split('\n')[1]?.split(/ {2,}/).slice(3, 5)).toEqual(['-', '-']);
    expect((await typed('agents', 'bench_b')).out).not.toContain('protocol');
  });

  it('shows in the record of the agent, with what still runs and who keeps a device', async () => {
    const { out } = await typed('agents', 'bench_b');
    expect(out).toMatch(/drain +draining, 1 still running, by ada since 2026-11-20 09:30:00Z: update/);
    expect(out).toMatch(/still running +mix_1\/mix\n +kept by +mix_2/);
    answers({ ...online, drain: over });
    expect((await typed('agents', 'bench_b')).out).not.toContain('kept by');
  });

  it('needs a reason, and names a computer that nobody knows', async () => {
    expect((await typed('agent', 'drain', 'bench_b')).code).toBe(2);
    gateway.requests.on(requests.drainComputer, () => {
      throw new ServiceError('not_found', 'no laboratory names a computer "bench_x"');
    });
    const { code, err } = await typed('agent', 'drain', 'bench_x', '--reason', 'update');
    expect([code, err.includes('no laboratory names a computer "bench_x"')]).toEqual([3, true]);
  });
});

describe('svc agent resume', () => {
  const drain = {
    ...{ by: 'ada', reason: 'update', since: at, until: null, drained: true },
    ...{ used_by: [], kept_by: [] },
  };
  const resume = (computer = 'bench_b'): Promise<Ran> => typed('agent', 'resume', computer, '--by', 'bob');
  beforeEach(() => void gateway.requests.on(requests.resumeComputer, () => ({})));

  it('ends the drain of a computer', async () => {
    const records = [{ ...agent, drain }, agent];
    gateway.requests.on(requests.listAgents, () => ({ agents: [records.shift() ?? agent] }));
    expect(await resume()).toEqual({ code: 0, out: 'bench_b: takes tasks', err: '' });
    expect(gateway.requests.of(requests.resumeComputer).at(-1)?.body).toEqual({
      ...{ computer: 'bench_b', by: 'bob' },
    });
  });

  it('says that the computer was not drained', async () => {
    gateway.requests.on(requests.listAgents, () => ({ agents: [agent] }));
    expect(await resume()).toEqual({
      ...{ code: 0, out: 'bench_b: takes tasks', err: 'bench_b was not drained' },
    });
  });

  it('names a computer that nobody knows', async () => {
    gateway.requests
      .on(requests.listAgents, () => ({ agents: [] }))
      .on(requests.resumeComputer, () => {
        throw new ServiceError('not_found', 'no laboratory names a computer "bench_x"');
      });
    const { code, err } = await resume('bench_x');
    expect([code, err.includes('no laboratory names a computer "bench_x"')]).toEqual([3, true]);
  });
});

import type { ChildProcess } from 'node:child_process';
import type { OptimizerRecord } from '@lab/contracts';
import { expect, it } from 'vitest';
import { eventually, isOver } from '../api.js';
import { lab } from './lab.js';

/** Optimizer workers on separate addresses: `svc optimizer --ip`, and `optimizer_ip` of a campaign. */

/** Longest start of a process under load, in milliseconds. */
const limitMs = 120_000;

const campaign = (name: string, optimizer_ip: string, more: object = {}) => ({
  name,
  protocol: 'optimize_multiplication',
  optimize: true,
  optimizer_ip,
  max_protocol_runs: 8,
  max_concurrent_protocol_runs: 2,
  ...more,
});

/** The worker that serves a campaign, once one does. */
async function atWork(name: string): Promise<string | null> {
  const { body } = await eventually(
    () => lab.api.call<OptimizerRecord>('GET', `/api/campaigns/${name}/optimizer`),
    ({ body: { worker } }) => worker !== null,
    limitMs,
  );
  return body.worker;
}

/** Submits until the address is announced. */
function accepted(body: ReturnType<typeof campaign>): Promise<unknown> {
  return eventually(
    () => lab.api.submit('campaigns', body),
    ({ status }) => status === 201,
    limitMs,
  );
}

it('an address without a worker is refused, and the error names the existing addresses', async () => {
  const { status, body } = await lab.api.submit('campaigns', campaign('nobody there', '127.0.0.9'));
  expect({ status, code: body.code }).toEqual({ status: 503, code: 'optimizer_unavailable' });
  expect(body.detail).toMatch(/127\.0\.0\.9.*127\.0\.0\.1/);
});

it(
  'two workers on two addresses serve two campaigns, and a campaign waits for its killed worker',
  { timeout: 4 * limitMs },
  async () => {
    const start = (address: string): ChildProcess => lab.stack.beside('optimizer', '--ip', address);
    start('127.0.0.2');
    const second = start('127.0.0.3');
    // Reads each record as soon as the campaign is accepted, because the record of an ended campaign names no worker.
    await accepted(campaign('ascending', '127.0.0.2'));
    const one = await atWork('ascending');
    await accepted(
      campaign('descending', '127.0.0.3', {
        max_protocol_runs: 24,
        meta: { optimizer_overrides: { descending: true } },
      }),
    );
    expect(await atWork('descending')).not.toBe(one);
    second.kill('SIGKILL');
    const waiting = await eventually(
      () => lab.api.campaign('descending'),
      (record) => isOver(record) || record.reason?.code === 'waiting_for_optimizer',
      limitMs,
    );
    expect(waiting).toMatchObject({ state: 'running', reason: { code: 'waiting_for_optimizer' } });
    start('127.0.0.3');
    const [up, down] = await Promise.all(
      ['ascending', 'descending'].map((name) => eventually(() => lab.api.campaign(name), isOver, limitMs)),
    );
    expect(up).toMatchObject({ state: 'completed', protocol_runs_completed: 8 });
    expect(down).toMatchObject({ state: 'completed', protocol_runs_completed: 24, reason: null });
    expect(up?.protocol_runs[0]?.parameters).toEqual({
      first: { number: 2, factor: 3 },
      second: { factor: 8 },
    });
    expect(down?.protocol_runs.slice(0, 2).map(({ parameters }) => parameters)).toEqual([
      { first: { number: 8, factor: 5 }, second: { factor: 64 } },
      { first: { number: 8, factor: 5 }, second: { factor: 32 } },
    ]);
    const rows = down?.protocol_runs.map(({ parameters }) => JSON.stringify(parameters));
    expect(new Set(rows).size).toBe(24);
  },
);

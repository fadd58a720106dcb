import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { kill } from 'node:process';
import { expect, it } from 'vitest';
import { eventually, isOver } from '../api.js';
import { lab } from './lab.js';

/** Faults of the processes around an optimizer do not change the measurements of its campaign. */

interface Line {
  pid: number;
  msg: string;
}

function pidOf(name: string): number {
  const text = readFileSync(join(lab.stack.dataDir, 'run', 'processes.json'), 'utf8');
  const found = (JSON.parse(text) as { name: string; pid: number }[]).find((each) => each.name === name);
  if (found === undefined) throw new Error(`there is no process ${name}`);
  return found.pid;
}

/** The orchestrator that leads, by its last report. */
function leader(): string {
  const found = ['orchestrator', 'orchestrator-2'].find((name) => {
    const lines = readFileSync(join(lab.stack.dataDir, 'logs', `${name}.log`), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Line)
      .filter(({ pid, msg }) => pid === pidOf(name) && ['leading', 'standby', 'leads no more'].includes(msg));
    return lines.at(-1)?.msg === 'leading';
  });
  if (found === undefined) throw new Error('nobody leads');
  return found;
}

/** The processes that another one has started. */
function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return text === '' ? [] : text.split(' ').map(Number);
}

/** Longest restart of a process under load, in milliseconds. */
const limitMs = 120_000;

/** The grid of the protocol in search order. */
const grid = [2, 4, 8].flatMap((number) =>
  [3, 4, 5].flatMap((factor) =>
    [8, 16, 32, 64].map((second) => ({ first: { number, factor }, second: { factor: second } })),
  ),
);

it(
  'after kills of the optimizer, its worker, the leader and the broker, the campaign has run every row once and in its place',
  { timeout: 5 * limitMs },
  async () => {
    const runs = 24;
    const submitted = await lab.api.submit('campaigns', {
      name: 'grid',
      protocol: 'optimize_multiplication',
      max_protocol_runs: runs,
      max_concurrent_protocol_runs: 2,
      optimize: true,
    });
    expect(submitted).toMatchObject({ status: 201 });
    const measured = (count: number) =>
      eventually(
        () => lab.api.campaign('grid'),
        (campaign) => isOver(campaign) || campaign.protocol_runs_completed >= count,
        limitMs,
      );
    await measured(3);
    const worker = pidOf('optimizer');
    for (const child of childrenOf(worker)) kill(child, 'SIGKILL');
    await measured(8);
    kill(pidOf('optimizer'), 'SIGKILL');
    await measured(14);
    kill(pidOf(leader()), 'SIGKILL');
    await measured(19);
    kill(pidOf('nats-server'), 'SIGKILL');
    const campaign = await eventually(() => lab.api.campaign('grid'), isOver, limitMs);
    expect(campaign).toMatchObject({ state: 'completed', reason: null, protocol_runs_completed: runs });
    expect(pidOf('optimizer')).not.toBe(worker);
    expect(campaign.protocol_runs.map(({ name, parameters }) => [name, parameters])).toEqual(
      grid.slice(0, runs).map((parameters, index) => [`grid_run_${index + 1}`, parameters]),
    );
    const losses = grid
      .slice(0, runs)
      .map(({ first, second }) => Math.abs(first.number * first.factor * second.factor - 1_024));
    expect(campaign.optimizer?.best?.[0]).toMatchObject({ 'score.loss': Math.min(...losses) });
  },
);

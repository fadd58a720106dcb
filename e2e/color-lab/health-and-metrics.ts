import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { eventually, isOver } from '../api.js';
import { lab } from './lab.js';

interface Report {
  status: string;
  epoch: number | null;
  parts: Record<string, { status: string; detail?: string; since?: string }>;
}

async function pidOf(service: string): Promise<number> {
  const text = await readFile(join(lab.stack.dataDir, 'run', 'processes.json'), 'utf8');
  const processes = JSON.parse(text) as { name: string; pid: number }[];
  const found = processes.find(({ name }) => name === service);
  if (found === undefined) throw new Error(`${service} does not run`);
  return found.pid;
}

const ready = () => lab.api.call<Report>('GET', '/health/ready');
const metrics = async (): Promise<string> => (await lab.api.call<string>('GET', '/metrics')).body;

it('a complete stack is ready and names its leadership', async () => {
  const { status, body } = await ready();
  expect([status, body.status]).toEqual([200, 'ok']);
  expect(body.epoch).toBeGreaterThan(0);
  expect(Object.keys(body.parts)).toEqual([
    'gateway',
    'broker',
    'database',
    'orchestrator',
    'agents',
    'packages',
  ]);
});

it('every process reports its measurements, and the service counts completed work', async () => {
  const submission = {
    name: 'counted',
    type: 'score_color',
    input_parameters: {
      red: 1,
      green: 2,
      blue: 3,
      target_red: 1,
      target_green: 2,
      target_blue: 3,
    },
  };
  expect((await lab.api.submit('tasks', submission)).status).toBe(201);
  await eventually(() => lab.api.task('counted'), isOver);
  const text = await eventually(metrics, (told) =>
    /^svc_attempts_total\{[^}]*outcome="completed"\} [1-9]/m.test(told),
  );
  for (const service of ['gateway', 'orchestrator', 'agent', 'optimizer'])
    expect(text).toMatch(new RegExp(`^process_resident_memory_bytes\\{service="${service}",`, 'm'));
  expect(text).toMatch(/^svc_http_requests_total\{[^}]*route="\/api\/tasks",status="201"\} 1$/m);
  expect(text).toMatch(/^svc_agents\{[^}]*state="online"\} 1$/m);
  expect(text).toMatch(/^svc_devices\{[^}]*state="idle"\} [1-9]/m);
  expect(text).toMatch(/^svc_commit_seconds_count\{[^}]*\} [1-9]/m);
  expect(text).toMatch(/^svc_agent_degraded\{[^}]*\} 0$/m);
});

it('the readiness answer names a missing part and since when, and is positive again after the part returns', async () => {
  const before = Date.now();
  const pid = await pidOf('orchestrator');
  process.kill(pid, 'SIGSTOP');
  try {
    const { body } = await eventually(ready, ({ status }) => status === 503);
    expect(body).toMatchObject({ status: 'unavailable', epoch: null });
    expect(body.parts['orchestrator']?.status).toBe('unavailable');
    expect(Date.parse(body.parts['orchestrator']?.since ?? '')).toBeGreaterThanOrEqual(before);
    expect(body.parts['database']).toEqual({ status: 'ok' });
    expect((await lab.api.call('GET', '/health/live')).status).toBe(200);
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  await eventually(ready, ({ status, body }) => status === 200 && body.epoch !== null);
});

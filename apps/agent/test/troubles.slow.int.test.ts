import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { agentEvents, agentRequests, isServiceError, serviceRequests, type JsonValue } from '@lab/contracts';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Lab } from './lab.js';

let lab: Lab;
beforeEach(async () => {
  lab = await Lab.open();
});
afterEach(() => lab.close());

/** Bounds the size of the files that a process may write. Beyond it every write fails, as on a full disk. */
function limitFiles(pid: number | undefined, bytes: string): void {
  execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`]);
}

async function call(name: string, args: Record<string, JsonValue>): Promise<JsonValue | undefined> {
  const address = { computer: 'bench_c', inc: String(lab.inc('bench_c')), lab: 'lab', device: 'arm' };
  const call_id = randomUUID();
  for (;;) {
    const { now_ms: as_of_ms } = await lab.bus.request(agentRequests.readClock, address, {});
    const body = { call_id, function: name, arguments: args, as_of_ms };
    try {
      return (await lab.bus.request(agentRequests.callDevice, address, body)).result;
    } catch (error) {
      if (!isServiceError(error) || error.code !== 'late_message') throw error;
    }
  }
}

const move = (to: string): Promise<JsonValue | undefined> => call('move', { to });

it('an agent that cannot write its ledger makes no effect, says so with its computer, and goes on by itself', async () => {
  const trace = join(lab.dataDir, 'trace');
  const moves = (): number => (existsSync(trace) ? readFileSync(trace, 'utf8').split('move').length - 1 : 0);
  lab.assigned.set('bench_c', [lab.device('arm', { trace })]);
  const troubles: (string | null | undefined)[] = [];
  await lab.bus.subscribe(agentEvents.heartbeat, {}, ({ ledger_trouble: trouble }) => {
    troubles.push(trouble);
  });
  const { child } = await lab.agent('bench_c');
  await lab.deviceIs('arm', 'idle');
  await move('home');
  expect(moves()).toBe(1);

  limitFiles(child.pid, '1');
  const refused = 'the ledger of the agent cannot be written: computer bench_c cannot write ';
  await expect(move('edge')).rejects.toMatchObject({
    code: 'service_unavailable',
    effect: 'none',
    message: expect.stringContaining(refused) as string,
  });
  await expect(lab.start(lab.task({ mode: 'wait', ms: 1 }), 'bench_c')).rejects.toMatchObject({
    code: 'service_unavailable',
    message: expect.stringContaining(refused) as string,
  });
  expect(moves()).toBe(1);
  await lab.until(
    'a heartbeat names the trouble',
    () => troubles.at(-1)?.includes('computer bench_c') === true,
  );
  const health = await lab.bus.request(serviceRequests.health, { service: 'agent' }, {});
  expect(health).toMatchObject({ status: 'degraded', detail: troubles.at(-1) });

  limitFiles(child.pid, 'unlimited');
  await lab.until('the trouble is over', () => troubles.at(-1) === null);
  await move('home');
  expect(moves()).toBe(2);
});

it('a device in an infinite loop is reported with its call, until its process has ended', async () => {
  lab.assigned.set('bench_c', [lab.device('arm')]);
  await lab.agent('bench_c', { SVC_DEVICE_CALL_TIMEOUT_S: '18' });
  await lab.deviceIs('arm', 'idle');
  const began = Date.now();
  const lost = expect(call('hang', { why: 'a test' })).rejects.toMatchObject({ effect: 'maybe' });
  await lab.until('the silence is reported', () => lab.latest('arm')?.silent_since_ms !== undefined);
  const status = lab.latest('arm');
  expect(status).toMatchObject({
    state: 'busy',
    detail: 'hang; its process does not respond',
    doing: { function: 'hang', arguments: { why: 'a test' } },
  });
  expect(status?.silent_since_ms).toBeGreaterThanOrEqual(began);
  await lab.until('the process has ended', () => lab.latest('arm')?.silent_since_ms === undefined, 40_000);
  await lost;
}, 90_000);

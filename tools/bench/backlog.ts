// Measures how long it takes after an outage of the broker until the results of 1,000 tasks that ended meanwhile are stored.
// The agent, its ledger and its connection to the orchestrator are real. The task processes are simulated, because 1,000 do
// not fit on one machine. Argument: number of tasks.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  MemoryDeviceProcesses,
  MemoryFiles,
  MemoryModules,
  MemoryPeers,
  MemoryTaskProcesses,
  type TaskScript,
} from '@lab/actors/testing';
import { startNats, startServiceStack } from '@lab/testkit';
import { readFlags, whole } from '../shared/flags.js';
import { load, printMachine, printResult, rounded, until } from '../shared/measure.js';
import { benchPackages } from '../shared/paths.js';
import { clientOf } from '../shared/stack.js';
import { startAgent } from './load/agent.js';

const { tasks: count } = readFlags({ tasks: whole(1_000, { least: 1, most: 5_000, place: 0 }) });
const awayMs = 5_000;

const nats = await startNats({ login: 'lab:lab' });
const folder = await mkdtemp(join(tmpdir(), 'svc-backlog-'));
// The agent of the stack has another computer. Tasks without devices run on the agent of this process.
const stack = await startServiceStack({
  userDir: benchPackages,
  env: { SVC_NATS_URL: nats.url, SVC_COMPUTER: 'idle_computer' },
});
const api = clientOf(stack.url);

let end: () => void = () => undefined;
const ended = new Promise<void>((resolve) => (end = resolve));
let running = 0;
/** Every task runs until {@link end}. */
const script: TaskScript = async () => {
  running += 1;
  await ended;
  return { output_parameters: { done: true } };
};

let acknowledged = 0;
const { agent, bus, stop } = await startAgent(
  { computer: 'svc_computer', folder, natsUrl: nats.url },
  { attempts: count, poolMax: count, poolSize: 0 },
  ({ orchestrator }) => ({
    modules: new MemoryModules(),
    checkArguments: (_declared, values) => ({ values, faults: [] }),
    deviceProcesses: new MemoryDeviceProcesses(() => ({ functions: [] })),
    taskProcesses: new MemoryTaskProcesses(new Proxy({}, { get: () => script })),
    orchestrator: {
      register: (hello) => orchestrator.register(hello),
      uploadTicket: (file) => orchestrator.uploadTicket(file),
      downloadTicket: (file) => orchestrator.downloadTicket(file),
      reportResult: async (result) => {
        await orchestrator.reportResult(result);
        acknowledged += 1;
      },
    },
    peers: new MemoryPeers(),
    files: new MemoryFiles(),
  }),
);

printMachine();
try {
  await until(
    () => agent.inc,
    (inc) => inc !== undefined,
  );
  await load(count, 32, (index) =>
    api.post('/api/tasks', { body: { name: `waits ${index}`, type: 'noop' } }),
  );
  await until(
    () => running,
    (tasks) => tasks === count,
    120_000,
  );
  await nats.stop();
  end();
  await until(
    () => agent.attempts(),
    (attempts) => attempts.every(({ status }) => status === 'ended'),
  );
  await delay(awayMs);
  await nats.restart();
  const back = performance.now();
  await until(() => bus.connected, Boolean, 30_000, 5);
  const connected = performance.now();
  await until(
    () => acknowledged,
    (results) => results >= count,
    120_000,
    5,
  );
  const stored = performance.now();
  const open = await api.get('/api/tasks', { query: { limit: 1, state: 'running' } });
  if (open.items.length > 0) throw new Error('a result is acknowledged and not stored');
  printResult({
    results: count,
    stored_after_reconnect_ms: rounded(stored - connected, 0),
    stored_after_broker_is_back_ms: rounded(stored - back, 0),
    results_per_s: Math.round((count / (stored - connected)) * 1_000),
  });
} finally {
  end();
  await stop();
  await stack.dispose();
  await nats.stop();
  await rm(folder, { recursive: true, force: true });
}

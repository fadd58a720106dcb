// The broker is away while 1,000 tasks end: from the moment it is back, how long until every result is stored? The agent,
// its ledger and its way to the orchestrator are the real ones; only the task processes are not, for 1,000 would not fit.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, DiskLedger } from '@lab/actors';
import {
  MemoryDeviceProcesses,
  MemoryFiles,
  MemoryModules,
  MemoryPeers,
  MemoryTaskProcesses,
} from '@lab/actors/testing';
import { wireAgent } from '@lab/agent-wiring';
import { connectBus } from '@lab/messaging';
import { createLog, steadyClock, systemClock, systemIds, systemTimers } from '@lab/runtime';
import { startNats, startServiceStack } from '@lab/testkit';
import { FolderLedgerDisk } from '../../apps/agent/dist/ledger-disk.js';
import { benchPackages, finish, httpClient, load, printMachine, rounded, until } from './harness.mjs';

const wanted = Number.parseInt(process.argv[2] ?? '', 10) || 1_000;
const count = Math.min(5_000, Math.max(1, wanted));
const awayMs = 5_000;

const nats = await startNats();
const folder = await mkdtemp(join(tmpdir(), 'svc-backlog-'));
// The stack's own agent stands for another computer; tasks without devices go to the one of this process.
const stack = await startServiceStack({
  userDir: benchPackages,
  env: { SVC_NATS_URL: nats.url, SVC_COMPUTER: 'idle_computer' },
});
const http = httpClient(stack.url);

let end = () => undefined;
const ended = new Promise((resolve) => (end = resolve));
let running = 0;
/** Every task runs until {@link end}. */
const script = async () => {
  running += 1;
  await ended;
  return { output_parameters: { done: true } };
};

const log = createLog({ service: 'agent', level: 'error' });
const bus = await connectBus({ url: nats.url, role: 'agent', name: 'backlog', log });
let acknowledged = 0;
const { service, orchestrator } = wireAgent({
  bus,
  log,
  computer: 'svc_computer',
  version: '0.1.0',
  clock: steadyClock,
  wall: systemClock,
  timers: systemTimers,
});
const agent = new Agent(
  { computer: 'svc_computer', version: '0.1.0' },
  {
    clock: steadyClock,
    timers: systemTimers,
    ids: systemIds,
    random: { next: () => Math.random() },
    log,
    ledger: new DiskLedger(new FolderLedgerDisk(folder), { log, timers: systemTimers }),
    modules: new MemoryModules(),
    checkArguments: (_declared, values) => ({ values, faults: [] }),
    deviceProcesses: new MemoryDeviceProcesses(() => ({ functions: [] })),
    taskProcesses: new MemoryTaskProcesses(new Proxy({}, { get: () => script })),
    orchestrator: {
      register: (hello) => orchestrator.register(hello),
      uploadTicket: (file) => orchestrator.uploadTicket(file),
      reportResult: async (result) => {
        await orchestrator.reportResult(result);
        acknowledged += 1;
      },
    },
    peers: new MemoryPeers(),
    files: new MemoryFiles(),
    announcer: service,
  },
  { attempts: count, poolMax: count, poolSize: 0 },
);

printMachine();
try {
  await service.start(agent);
  await agent.start();
  await until(
    () => agent.inc,
    (inc) => inc !== undefined,
  );
  await load(count, 32, (index) => http.call('POST', '/api/tasks', { name: `waits ${index}`, type: 'noop' }));
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
  await new Promise((resolve) => setTimeout(resolve, awayMs));
  await nats.restart();
  const back = performance.now();
  await until(
    () => bus.connected,
    (connected) => connected,
    30_000,
    5,
  );
  const connected = performance.now();
  await until(
    () => acknowledged,
    (results) => results >= count,
    120_000,
    5,
  );
  const stored = performance.now();
  const open = await http.call('GET', '/api/tasks?limit=1&state=running');
  if (open.items.length > 0) throw new Error('a result was acknowledged and is not stored');
  finish({
    results: count,
    stored_after_reconnect_ms: rounded(stored - connected, 0),
    stored_after_broker_is_back_ms: rounded(stored - back, 0),
    results_per_s: Math.round((count / (stored - connected)) * 1_000),
  });
} finally {
  end();
  await agent.stop('the benchmark is over');
  await service.stop();
  await bus.close();
  http.close();
  await stack.dispose();
  await nats.stop();
  await rm(folder, { recursive: true, force: true });
}

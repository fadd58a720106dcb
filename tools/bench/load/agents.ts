// A process with many agents: node agents.mjs <first> <count>. Each is composed as apps/agent does, with its ledger on disk,
// its own connection and forked task processes; only its devices are simulated inside this process. They tell the parent
// of every call: [[key, milliseconds since 1970], ...].
import { join } from 'node:path';
import { argv, env } from 'node:process';
import { Agent, DiskLedger } from '@lab/actors';
import { wireAgent } from '@lab/agent-wiring';
import { ModuleCache, NpmPackages } from '@lab/hosting';
import { connectBus } from '@lab/messaging';
import { createLog, steadyClock, systemClock, systemIds, systemTimers } from '@lab/runtime';
import { checkArguments } from '../../../apps/agent/dist/check-arguments.js';
import { ForkedTaskProcesses } from '../../../apps/agent/dist/hosts.js';
import { FolderLedgerDisk } from '../../../apps/agent/dist/ledger-disk.js';
import { Spool } from '../../../apps/agent/dist/spool.js';

const [first, count] = argv.slice(2).map(Number);
const touched = [];
const touch = {
  name: 'touch',
  kind: 'effect',
  timeout_s: 10,
  parameters: { key: { type: 'str' } },
};

/** A device without a process: ready at once, and every call is answered in its own turn. */
class SimulatedDevice {
  #message = () => undefined;
  #exit = () => undefined;
  send(message) {
    setImmediate(() => this.#obey(message));
  }
  onMessage(listener) {
    this.#message = listener;
  }
  onExit(listener) {
    this.#exit = listener;
  }
  kill(signal) {
    setImmediate(() => this.#exit({ code: null, signal, lastStderr: null }));
  }
  #obey(message) {
    const call_id = message.call_id;
    if (message.type === 'init') this.#message({ type: 'ready', functions: [touch], can_stop: true });
    else if (message.type === 'ping') this.#message({ type: 'pong' });
    else if (message.type === 'stop') this.#message({ type: 'stopped', supported: true });
    else if (message.type === 'reconcile') this.#message({ type: 'reconciled', supported: true, idle: true });
    else if (message.type === 'report') this.#message({ type: 'result', call_id, value: {} });
    else if (message.type === 'cleanup') {
      this.#message({ type: 'cleaned_up' });
      this.#exit({ code: 0, signal: null, lastStderr: null });
    } else if (message.type === 'call') {
      touched.push([message.arguments.key, performance.timeOrigin + performance.now()]);
      this.#message({ type: 'result', call_id });
    }
  }
}

async function startAgent(computer) {
  const folder = join(env.LOAD_DATA_DIR, computer);
  const log = createLog({ service: 'agent', level: 'error' }).child({ computer });
  const bus = await connectBus({ url: env.LOAD_NATS_URL, role: 'agent', name: `${computer}/load`, log });
  const identity = { computer, version: 'load' };
  const { service, orchestrator, peers } = wireAgent({
    bus,
    log,
    clock: steadyClock,
    wall: systemClock,
    timers: systemTimers,
    ...identity,
  });
  const packages = new NpmPackages(join(folder, 'packages'), log);
  const agent = new Agent(
    identity,
    {
      clock: steadyClock,
      timers: systemTimers,
      ids: systemIds,
      random: { next: () => Math.random() },
      log,
      ledger: new DiskLedger(new FolderLedgerDisk(folder), { log, timers: systemTimers }),
      modules: new ModuleCache(join(folder, 'modules'), packages, bus, log),
      checkArguments,
      deviceProcesses: { start: () => new SimulatedDevice() },
      taskProcesses: new ForkedTaskProcesses(log),
      orchestrator,
      peers,
      files: new Spool(join(folder, 'spool')),
      announcer: service,
    },
    { poolSize: 0, poolMax: Number(env.LOAD_POOL_MAX) },
  );
  await service.start(agent);
  await agent.start();
  await agent.ready(30_000);
  return async () => {
    service.stopBeating();
    service.announceLeaving();
    await agent.stop('the load is over');
    await service.stop();
    await bus.close();
  };
}

const stops = await Promise.all(
  Array.from({ length: count }, (_, index) => startAgent(`bench_${first + index}`)),
);
process.send('ready');
const telling = setInterval(() => {
  // A parent that is gone needs no answer: its end is told by the disconnect.
  if (touched.length > 0) process.send(touched.splice(0), () => undefined);
}, 50);
process.once('disconnect', async () => {
  clearInterval(telling);
  await Promise.all(stops.map((stop) => stop()));
  process.exit(0);
});

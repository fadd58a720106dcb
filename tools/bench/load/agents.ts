// A process with many agents: node agents.js <first> <count>. Each agent is composed as in apps/agent, with a ledger on disk,
// a connection and forked task processes of its own. Only its devices are simulated in this process. The process sends its
// parent every call: [[key, milliseconds since 1970], ...].
import { join } from 'node:path';
import { argv, env } from 'node:process';
import { Agent, DiskLedger, type DeviceProcess, type ProcessExit } from '@lab/actors';
import { checkArguments, FolderLedgerDisk, ForkedTaskProcesses, InputCache, Spool } from '@lab/agent/parts';
import { wireAgent } from '@lab/agent-wiring';
import type { FromDevice, ToDevice } from '@lab/contracts';
import { ModuleCache, NpmPackages } from '@lab/hosting';
import { connectBus } from '@lab/messaging';
import { createLog, steadyClock, systemClock, systemIds, systemTimers } from '@lab/runtime';

const inputCacheBytes = 16 * 1024 ** 2;
const [first = 0, count = 0] = argv.slice(2).map(Number);
const touched: [key: unknown, at: number][] = [];
const touch = {
  name: 'touch',
  kind: 'effect' as const,
  timeout_s: 10,
  parameters: { key: { type: 'str' as const } },
};

/** A device without a process. It is ready at once, and answers every call in the next turn of the event loop. */
class SimulatedDevice implements DeviceProcess {
  #say: (message: FromDevice) => void = () => undefined;
  #exit: (exit: ProcessExit) => void = () => undefined;
  send(message: ToDevice): void {
    setImmediate(() => this.#obey(message));
  }
  onMessage(listener: (message: FromDevice) => void): void {
    this.#say = listener;
  }
  onExit(listener: (exit: ProcessExit) => void): void {
    this.#exit = listener;
  }
  kill(signal: NodeJS.Signals): void {
    setImmediate(() => this.#exit({ code: null, signal, lastStderr: null }));
  }
  #obey(message: ToDevice): void {
    switch (message.type) {
      case 'init':
        return this.#say({ type: 'ready', functions: [touch], can_stop: true });
      case 'ping':
        return this.#say({ type: 'pong' });
      case 'stop':
        return this.#say({ type: 'stopped', supported: true });
      case 'reconcile':
        return this.#say({ type: 'reconciled', supported: true, idle: true });
      case 'report':
        return this.#say({ type: 'result', call_id: message.call_id, value: {} });
      case 'cleanup':
        this.#say({ type: 'cleaned_up' });
        return this.#exit({ code: 0, signal: null, lastStderr: null });
      case 'call':
        touched.push([message.arguments['key'], performance.timeOrigin + performance.now()]);
        return this.#say({ type: 'result', call_id: message.call_id });
    }
  }
}

async function startAgent(computer: string): Promise<() => Promise<void>> {
  const folder = join(env['LOAD_DATA_DIR'] ?? '', computer);
  const log = createLog({ service: 'agent', level: 'error' }).child({ computer });
  const url = env['LOAD_NATS_URL'] ?? '';
  const bus = await connectBus({ url, role: 'agent', name: `${computer}/load`, log });
  const identity = { computer, version: 'load' };
  const time = { clock: steadyClock, wall: systemClock, timers: systemTimers };
  const { service, orchestrator, peers } = wireAgent({ bus, log, ...time, ...identity });
  const packages = new NpmPackages(join(folder, 'packages'), log);
  const agent = new Agent(
    identity,
    {
      ...time,
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
      files: new Spool(join(folder, 'spool'), new InputCache(join(folder, 'inputs'), inputCacheBytes)),
      announcer: service,
    },
    { poolSize: 0, poolMax: Number(env['LOAD_POOL_MAX']) },
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
process.send?.('ready');
const reporting = setInterval(() => {
  // A failed message needs no handling: the event `disconnect` says that the parent has gone.
  if (touched.length > 0) process.send?.(touched.splice(0), () => undefined);
}, 50);
process.once('disconnect', () => {
  clearInterval(reporting);
  void Promise.all(stops.map((stop) => stop())).then(() => process.exit(0));
});

// A process with many agents: node agents.js <first> <count>. Each agent is composed as in apps/agent, with a ledger on disk,
// a connection and forked task processes of its own. Only its devices are simulated in this process. The process sends its
// parent every call: [[key, milliseconds since 1970], ...].
import { join } from 'node:path';
import { argv, env } from 'node:process';
import type { DeviceProcess, ProcessExit } from '@lab/actors';
import { checkArguments, ForkedTaskProcesses, InputCache, Spool } from '@lab/agent/parts';
import { Python } from '@lab/hosting';
import type { FromDevice, ToDevice } from '@lab/contracts';
import { ModuleCache, NpmPackages } from '@lab/hosting';
import { startAgent } from './agent.js';

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

const python = new Python();

async function start(computer: string): Promise<() => Promise<void>> {
  const folder = join(env['LOAD_DATA_DIR'] ?? '', computer);
  const natsUrl = env['LOAD_NATS_URL'] ?? '';
  const limits = { poolSize: 0, poolMax: Number(env['LOAD_POOL_MAX']) };
  const { agent, stop } = await startAgent({ computer, folder, natsUrl }, limits, ({ bus, log }) => ({
    modules: new ModuleCache(
      join(folder, 'modules'),
      new NpmPackages(join(folder, 'packages'), log),
      bus,
      log,
    ),
    checkArguments,
    deviceProcesses: { start: () => new SimulatedDevice() },
    taskProcesses: new ForkedTaskProcesses({ program: () => python.program }, log),
    files: new Spool(join(folder, 'spool'), new InputCache(join(folder, 'inputs'), inputCacheBytes)),
  }));
  await agent.ready(30_000);
  return stop;
}

// One after the other: the broker ends a connection whose client, busy with others, does not say in time who it is.
const stops: (() => Promise<void>)[] = [];
while (stops.length < count) stops.push(await start(`bench_${first + stops.length}`));
process.send?.('ready');
const reporting = setInterval(() => {
  // A failed message needs no handling: the event `disconnect` says that the parent has gone.
  if (touched.length > 0) process.send?.(touched.splice(0), () => undefined);
}, 50);
process.once('disconnect', () => {
  clearInterval(reporting);
  void Promise.all(stops.map((stop) => stop())).then(() => process.exit(0));
});

// Measures HTTP calls of a query and of an effect of a device (the ledger records an effect first) beside a bare chain of
// HTTP, NATS and a forked process, in alternating rounds.
import { startNats } from '@lab/testkit';
import { load, p50AndP99, percentile, printMachine, printResult, rounded } from '../shared/measure.js';
import { benchPackages } from '../shared/paths.js';
import { RawSender } from '../shared/raw-sender.js';
import { devicesIdle, withStack } from '../shared/stack.js';
import { startFloor } from './floor/start.js';

const rounds = 5;
const sequentialCalls = 400;
const parallelCalls = 4_000;

class Figures {
  readonly one: number[] = [];
  readonly many: number[] = [];
  readonly rates: number[] = [];

  async measure(call: () => Promise<unknown>): Promise<void> {
    this.one.push(...(await load(sequentialCalls, 1, call)).durations);
    const { durations, perSecond } = await load(parallelCalls, 64, call);
    this.many.push(...durations);
    this.rates.push(perSecond);
  }

  get p50(): number {
    return percentile(this.one, 0.5);
  }

  get rate(): number {
    return percentile(this.rates, 0.5);
  }

  times(name: string): Record<string, number> {
    return {
      ...p50AndP99(name, this.one, 3),
      [`${name}p50_64_ms`]: rounded(percentile(this.many, 0.5)),
      [`${name}p99_64_ms`]: rounded(percentile(this.many, 0.99)),
    };
  }
}

printMachine();
const nats = await startNats();
const floorAgent = await startFloor('agent', nats.url);
const floor = await startFloor('http', nats.url);
try {
  await withStack({ userDir: benchPackages }, async (stack, api) => {
    const service = new RawSender(stack.url);
    const bareChain = new RawSender(`http://127.0.0.1:${floor.port}`);
    const calls = {
      bare: () => bareChain.post('/call', {}),
      query: () => service.post('/api/rpc/bench_lab/probe/ping', {}),
      effect: () => service.post('/api/rpc/bench_lab/probe/touch', {}),
    };
    await devicesIdle(api);
    // Afterwards the code of all chains is compiled.
    for (const call of Object.values(calls)) await load(8_000, 64, call);

    const figures = { bare: new Figures(), query: new Figures(), effect: new Figures() };
    for (let round = 0; round < rounds; round += 1)
      for (const name of ['bare', 'query', 'effect'] as const) await figures[name].measure(calls[name]);
    const { bare, query, effect } = figures;
    printResult({
      ...query.times(''),
      ...bare.times('floor_'),
      ratio_p50: rounded(query.p50 / bare.p50),
      calls_per_s_64: Math.round(query.rate),
      floor_calls_per_s_64: Math.round(bare.rate),
      ratio_throughput: rounded(query.rate / bare.rate),
      ...effect.times('effect_'),
      effect_ratio_p50: rounded(effect.p50 / bare.p50),
      effect_calls_per_s_64: Math.round(effect.rate),
    });
    service.close();
    bareChain.close();
  });
} finally {
  await floor.stop();
  await floorAgent.stop();
  await nats.stop();
}

// Measures HTTP calls of a query and of an effect of a device (the ledger records an effect first) beside a bare chain of
// HTTP, NATS and a forked process, in alternating rounds.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { startNats } from '@lab/testkit';
import { load, percentile, printMachine, printResult, rounded } from '../shared/measure.js';
import { benchPackages } from '../shared/paths.js';
import { RawSender } from '../shared/raw-sender.js';
import { devicesIdle, withStack } from '../shared/stack.js';

const rounds = 5;
const sequentialCalls = 400;
const parallelCalls = 4_000;

/** The bare chain: the least work that such a call can take. */
async function startFloor(): Promise<{ url: string; stop: () => Promise<void> }> {
  const nats = await startNats();
  const start = async (name: string) => {
    const child = fork(fileURLToPath(new URL(`floor/${name}.js`, import.meta.url)), {
      env: { ...process.env, FLOOR_NATS_URL: nats.url },
    });
    const [message] = (await once(child, 'message')) as [{ port?: number }];
    return { child, port: message.port };
  };
  const agent = await start('agent');
  const http = await start('http');
  return {
    url: `http://127.0.0.1:${http.port}`,
    async stop() {
      for (const { child } of [http, agent]) {
        child.disconnect();
        await once(child, 'exit');
      }
      await nats.stop();
    },
  };
}

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
}

printMachine();
const floor = await startFloor();
try {
  await withStack({ userDir: benchPackages }, async (stack, api) => {
    const service = new RawSender(stack.url);
    const bareChain = new RawSender(floor.url);
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
      p50_ms: rounded(query.p50, 3),
      p99_ms: rounded(percentile(query.one, 0.99)),
      floor_p50_ms: rounded(bare.p50, 3),
      floor_p99_ms: rounded(percentile(bare.one, 0.99)),
      ratio_p50: rounded(query.p50 / bare.p50),
      p50_64_ms: rounded(percentile(query.many, 0.5)),
      p99_64_ms: rounded(percentile(query.many, 0.99)),
      calls_per_s_64: Math.round(query.rate),
      floor_calls_per_s_64: Math.round(bare.rate),
      ratio_throughput: rounded(query.rate / bare.rate),
      effect_p50_ms: rounded(effect.p50, 3),
      effect_p99_ms: rounded(percentile(effect.one, 0.99)),
      effect_ratio_p50: rounded(effect.p50 / bare.p50),
      effect_calls_per_s_64: Math.round(effect.rate),
    });
    service.close();
    bareChain.close();
  });
} finally {
  await floor.stop();
}

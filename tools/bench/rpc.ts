// HTTP device RPC of a query and of an effect, which the ledger records first, beside a bare HTTP-to-NATS-to-fork chain, in
// alternating rounds.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { startNats, startServiceStack } from '@lab/testkit';
import {
  benchPackages,
  devicesIdle,
  finish,
  httpClient,
  load,
  percentile,
  printMachine,
  rounded,
} from './harness.mjs';

const rounds = 5;
const sequentialCalls = 400;
const parallelCalls = 4_000;

async function startFloor() {
  const nats = await startNats();
  const start = async (name) => {
    const child = fork(fileURLToPath(new URL(`floor/${name}.mjs`, import.meta.url)), {
      env: { ...process.env, FLOOR_NATS_URL: nats.url },
    });
    const [message] = await once(child, 'message');
    return { child, message };
  };
  const agent = await start('agent');
  const http = await start('http');
  return {
    url: `http://127.0.0.1:${http.message.port}`,
    async stop() {
      for (const { child } of [http, agent]) {
        child.disconnect();
        await once(child, 'exit');
      }
      await nats.stop();
    },
  };
}

printMachine();
const floor = await startFloor();
const stack = await startServiceStack({ userDir: benchPackages });
const ours = httpClient(stack.url);
const bare = httpClient(floor.url);
try {
  const calls = {
    bare: () => bare.call('POST', '/call', {}),
    query: () => ours.call('POST', '/api/rpc/bench_lab/probe/ping', {}),
    effect: () => ours.call('POST', '/api/rpc/bench_lab/probe/touch', {}),
  };
  await devicesIdle(ours);
  // All chains are compiled by the time they are measured.
  for (const call of Object.values(calls)) await load(8_000, 64, call);

  const figures = Object.fromEntries(
    Object.keys(calls).map((name) => [name, { one: [], rate: [], many: [] }]),
  );
  for (let round = 0; round < rounds; round++) {
    for (const [name, call] of Object.entries(calls)) {
      const one = await load(sequentialCalls, 1, call);
      const many = await load(parallelCalls, 64, call);
      figures[name].one.push(...one.durations);
      figures[name].many.push(...many.durations);
      figures[name].rate.push(many.perSecond);
    }
  }
  for (const [name, { one, many, rate }] of Object.entries(figures)) {
    console.log(
      `${name.padEnd(6)} 1 in flight: p50 ${rounded(percentile(one, 0.5), 3)} ms, p99 ${rounded(percentile(one, 0.99), 2)} ms; ` +
        `64 in flight: p50 ${rounded(percentile(many, 0.5))} ms, p99 ${rounded(percentile(many, 0.99))} ms, ` +
        `${Math.round(percentile(rate, 0.5))} calls/s (median of ${rounds} rounds)`,
    );
  }
  const { bare: floorFigures, query, effect } = figures;
  const [p50, effectP50, floorP50] = [query, effect, floorFigures].map(({ one }) => percentile(one, 0.5));
  finish({
    p50_ms: rounded(p50, 3),
    p99_ms: rounded(percentile(query.one, 0.99)),
    floor_p50_ms: rounded(floorP50, 3),
    floor_p99_ms: rounded(percentile(floorFigures.one, 0.99)),
    ratio_p50: rounded(p50 / floorP50),
    p50_64_ms: rounded(percentile(query.many, 0.5)),
    p99_64_ms: rounded(percentile(query.many, 0.99)),
    calls_per_s_64: Math.round(percentile(query.rate, 0.5)),
    floor_calls_per_s_64: Math.round(percentile(floorFigures.rate, 0.5)),
    ratio_throughput: rounded(percentile(query.rate, 0.5) / percentile(floorFigures.rate, 0.5)),
    effect_p50_ms: rounded(effectP50, 3),
    effect_p99_ms: rounded(percentile(effect.one, 0.99)),
    effect_ratio_p50: rounded(effectP50 / floorP50),
    effect_calls_per_s_64: Math.round(percentile(effect.rate, 0.5)),
  });
} finally {
  ours.close();
  bare.close();
  await stack.dispose();
  await floor.stop();
}

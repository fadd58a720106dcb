// HTTP device RPC of a query function beside a bare HTTP-to-NATS-to-fork chain, in alternating rounds.
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
  const callOurs = () => ours.call('POST', '/api/rpc/bench_lab/probe/ping', {});
  const callBare = () => bare.call('POST', '/call', {});
  await devicesIdle(ours);
  // Both chains are compiled by the time they are measured.
  for (const call of [callOurs, callBare]) await load(8_000, 64, call);

  const figures = { ours: { one: [], rate: [], many: [] }, bare: { one: [], rate: [], many: [] } };
  for (let round = 0; round < rounds; round++) {
    for (const [name, call] of [
      ['bare', callBare],
      ['ours', callOurs],
    ]) {
      const one = await load(sequentialCalls, 1, call);
      const many = await load(parallelCalls, 64, call);
      figures[name].one.push(...one.durations);
      figures[name].many.push(...many.durations);
      figures[name].rate.push(many.perSecond);
    }
  }
  for (const [name, { one, many, rate }] of Object.entries(figures)) {
    console.log(
      `${name.padEnd(5)} 1 in flight: p50 ${rounded(percentile(one, 0.5), 3)} ms, p99 ${rounded(percentile(one, 0.99), 2)} ms; ` +
        `64 in flight: p50 ${rounded(percentile(many, 0.5))} ms, p99 ${rounded(percentile(many, 0.99))} ms, ` +
        `${Math.round(percentile(rate, 0.5))} calls/s (median of ${rounds} rounds)`,
    );
  }
  const p50 = percentile(figures.ours.one, 0.5);
  const floorP50 = percentile(figures.bare.one, 0.5);
  finish({
    p50_ms: rounded(p50, 3),
    p99_ms: rounded(percentile(figures.ours.one, 0.99)),
    floor_p50_ms: rounded(floorP50, 3),
    floor_p99_ms: rounded(percentile(figures.bare.one, 0.99)),
    ratio_p50: rounded(p50 / floorP50),
    p50_64_ms: rounded(percentile(figures.ours.many, 0.5)),
    p99_64_ms: rounded(percentile(figures.ours.many, 0.99)),
    calls_per_s_64: Math.round(percentile(figures.ours.rate, 0.5)),
    floor_calls_per_s_64: Math.round(percentile(figures.bare.rate, 0.5)),
    ratio_throughput: rounded(percentile(figures.ours.rate, 0.5) / percentile(figures.bare.rate, 0.5)),
  });
} finally {
  ours.close();
  bare.close();
  await stack.dispose();
  await floor.stop();
}

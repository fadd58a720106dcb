// Submit to first device call at an even rate, tasks per second at saturation, and with a long queue: 50 agents, 200 devices.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { connect } from '@nats-io/transport-node';
import { finish, percentile, printMachine, rounded } from './harness.mjs';
import { startLaboratory, visitEvenly } from './load/laboratory.ts';

const { values: flags } = parseArgs({
  options: {
    agents: { type: 'string', default: '50' },
    processes: { type: 'string', default: '10' },
    seconds: { type: 'string', default: '60' },
    saturation: { type: 'string', default: '30' },
    queued: { type: 'string', default: '9900' },
  },
});
const numbers = Object.fromEntries(Object.entries(flags).map(([name, text]) => [name, Number(text)]));
if (Object.values(numbers).some((value) => !Number.isInteger(value) || value < 1 || value > 20_000))
  throw new Error('every option is a whole number from 1 to 20000');
const { agents, processes, seconds, saturation, queued } = numbers;
const perSecond = 50;
const outstanding = 200;

/** A bare request over the same broker to one forked child and back, ten times a second while something else happens. */
async function startFloor(natsUrl) {
  const child = fork(fileURLToPath(new URL('floor/agent.mjs', import.meta.url)), {
    env: { ...process.env, FLOOR_NATS_URL: natsUrl },
  });
  await once(child, 'message');
  const connection = await connect({ servers: natsUrl });
  const durations = [];
  const timer = setInterval(() => {
    const at = performance.now();
    connection.request('floor.call', '{}', { timeout: 5_000 }).then(
      () => durations.push(performance.now() - at),
      () => undefined,
    );
  }, 100);
  return {
    durations,
    async stop() {
      clearInterval(timer);
      await connection.close();
      child.disconnect();
      await once(child, 'exit');
    },
  };
}

/** Keeps as many visits under way as may be, for so long; visits per second whose station was touched. */
async function saturate(laboratory, stations) {
  let next = 0;
  let touched = 0;
  const end = performance.now() + saturation * 1000;
  await Promise.all(
    Array.from({ length: outstanding }, async (_, lane) => {
      while (performance.now() < end) {
        const key = `full_${(next += 1)}`;
        await laboratory.visit(key, stations[(next + lane) % stations.length]);
        while (!laboratory.calls.has(key) && performance.now() < end)
          await new Promise((resolve) => setTimeout(resolve, 10));
        if (laboratory.calls.delete(key)) touched += 1;
      }
    }),
  );
  return touched / saturation;
}

/** A station is kept, and so many visits wait for it. */
async function fillQueue(laboratory, station) {
  await laboratory.visit('keeper', station, { stay_s: 3_000 });
  let next = 0;
  await Promise.all(
    Array.from({ length: 32 }, async () => {
      while (next < queued) {
        const index = (next += 1);
        await laboratory.visit(`waits_${index}`, station, { owner: `owner_${index % 10}` });
      }
    }),
  );
}

printMachine();
const laboratory = await startLaboratory({ agents, processes });
let floor;
try {
  floor = await startFloor(laboratory.natsUrl);
  const [kept, ...stations] = laboratory.stations;
  // Two visits at a time to every agent: both of its task processes are there by then, and none starts while it is measured.
  await visitEvenly(laboratory, {
    prefix: 'warm',
    perSecond: 10,
    seconds: Math.ceil((agents * 2) / 10),
    stations: laboratory.stations
      .slice(0, agents)
      .flatMap((each, n) => [each, laboratory.stations[agents + n]]),
    stay_s: 1,
  });
  const before = laboratory.memory();
  floor.durations.length = 0;
  const even = await visitEvenly(laboratory, { prefix: 'even', perSecond, seconds, stations });
  const bare = [...floor.durations];
  const tasksPerSecond = await saturate(laboratory, stations);
  await visitEvenly(laboratory, { prefix: 'calm', perSecond: 10, seconds: 3, stations });
  const after = laboratory.memory();
  await fillQueue(laboratory, kept);
  const queue = await laboratory.client.call('GET', '/api/queue');
  const long = await visitEvenly(laboratory, { prefix: 'long', perSecond: 20, seconds: 10, stations });

  const figures = {
    agents,
    devices: laboratory.stations.length,
    submit_to_call_p50_ms: rounded(percentile(even.durations, 0.5)),
    submit_to_call_p99_ms: rounded(percentile(even.durations, 0.99)),
    bare_p50_ms: rounded(percentile(bare, 0.5)),
    bare_p99_ms: rounded(percentile(bare, 0.99)),
    tasks_per_s: Math.round(tasksPerSecond),
    queued: queue.queued,
    submit_to_call_queued_p50_ms: rounded(percentile(long.durations, 0.5)),
    submit_to_call_queued_p99_ms: rounded(percentile(long.durations, 0.99)),
    refused: even.refused + long.refused,
    missing: even.missing + long.missing,
    orchestrator_mb: [rounded(before.orchestrator, 0), rounded(after.orchestrator, 0)],
    agents_process_mb: [rounded(before.agents, 0), rounded(after.agents, 0)],
  };
  console.log(
    `${perSecond} tasks/s for ${seconds} s: submit to first device call p50 ${figures.submit_to_call_p50_ms} ms, p99 ${figures.submit_to_call_p99_ms} ms; a bare request beside it p50 ${figures.bare_p50_ms} ms, p99 ${figures.bare_p99_ms} ms`,
  );
  console.log(`${outstanding} tasks at once for ${saturation} s: ${figures.tasks_per_s} tasks/s`);
  console.log(
    `with ${figures.queued} tasks queued, 20 tasks/s: p50 ${figures.submit_to_call_queued_p50_ms} ms, p99 ${figures.submit_to_call_queued_p99_ms} ms`,
  );
  finish(figures);
} finally {
  await floor?.stop();
  await laboratory.stop();
}

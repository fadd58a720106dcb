// Measures a laboratory of 50 agents and 200 devices: the time from a submission to the first device call at an even rate,
// tasks per second at saturation, and the same time with a long queue.
import { setTimeout as delay } from 'node:timers/promises';
import { connect } from '@nats-io/transport-node';
import { readFlags, whole } from '../shared/flags.js';
import { load, p50AndP99, printMachine, printResult, rounded, timed } from '../shared/measure.js';
import { brokerAt } from './floor/broker.js';
import { startFloor } from './floor/start.js';
import { startLaboratory, visitEvenly, type Laboratory } from './load/laboratory.js';

const range = { least: 1, most: 20_000 };
const { agents, processes, seconds, saturation, queued } = readFlags({
  agents: whole(50, range),
  processes: whole(10, range),
  seconds: whole(60, range),
  saturation: whole(30, range),
  queued: whole(9_900, range),
});
const perSecond = 50;
const outstanding = 200;

interface Requests {
  durations: number[];
  stop(): Promise<void>;
}

/** Sends a bare request to a process over the same broker ten times a second, beside the other work. */
async function startRequests(natsUrl: string): Promise<Requests> {
  const floor = await startFloor('agent', natsUrl);
  const connection = await connect(brokerAt(natsUrl));
  const durations: number[] = [];
  const timer = setInterval(() => {
    timed(() => connection.request('floor.call', '{}', { timeout: 5_000 })).then(
      (ms) => durations.push(ms),
      () => undefined,
    );
  }, 100);
  return {
    durations,
    async stop() {
      clearInterval(timer);
      await connection.close();
      await floor.stop();
    },
  };
}

/** Keeps `outstanding` visits in progress. @returns visits per second that touched their station */
async function saturate(laboratory: Laboratory, stations: readonly string[]): Promise<number> {
  let next = 0;
  let touched = 0;
  const end = performance.now() + saturation * 1_000;
  await Promise.all(
    Array.from({ length: outstanding }, async (_, lane) => {
      while (performance.now() < end) {
        const key = `full_${(next += 1)}`;
        await laboratory.visit(key, stations[(next + lane) % stations.length] ?? '');
        while (!laboratory.calls.has(key) && performance.now() < end) await delay(10);
        if (laboratory.calls.delete(key)) touched += 1;
      }
    }),
  );
  return touched / saturation;
}

/** One visit keeps the station, and `queued` visits wait for it. */
async function fillQueue(laboratory: Laboratory, station: string): Promise<void> {
  await laboratory.visit('keeper', station, { stay_s: 3_000 });
  await load(queued, 32, (index) =>
    laboratory.visit(`waits_${index}`, station, { owner: `owner_${index % 10}` }),
  );
}

printMachine();
const laboratory = await startLaboratory({ agents, processes });
let floor: Requests | undefined;
try {
  floor = await startRequests(laboratory.natsUrl);
  const [kept = '', ...stations] = laboratory.stations;
  // Two visits at a time to each agent, so that both of its task processes exist before the measurement.
  await visitEvenly(laboratory, {
    prefix: 'warm',
    perSecond: 10,
    seconds: Math.ceil((agents * 2) / 10),
    stations: laboratory.stations
      .slice(0, agents)
      .flatMap((each, n) => [each, laboratory.stations[agents + n] ?? each]),
    stay_s: 1,
  });
  const before = laboratory.memory();
  floor.durations.length = 0;
  const even = await visitEvenly(laboratory, { prefix: 'even', perSecond, seconds, stations });
  const bare = [...floor.durations];
  const tasksPerSecond = Math.round(await saturate(laboratory, stations));
  await visitEvenly(laboratory, { prefix: 'calm', perSecond: 10, seconds: 3, stations });
  const after = laboratory.memory();
  await fillQueue(laboratory, kept);
  const queue = await laboratory.api.get('/api/queue');
  const long = await visitEvenly(laboratory, { prefix: 'long', perSecond: 20, seconds: 10, stations });

  printResult({
    agents,
    devices: laboratory.stations.length,
    ...p50AndP99('submit_to_call_', even.durations),
    ...p50AndP99('bare_', bare),
    tasks_per_s: tasksPerSecond,
    queued: queue.queued,
    ...p50AndP99('submit_to_call_queued_', long.durations),
    refused: even.refused + long.refused,
    missing: even.missing + long.missing,
    orchestrator_mb: [rounded(before.orchestrator, 0), rounded(after.orchestrator, 0)],
    agents_process_mb: [rounded(before.agents, 0), rounded(after.agents, 0)],
  });
} finally {
  await floor?.stop();
  await laboratory.stop();
}

// Measures whether a large store and many agents slow the service down: lists, single records, submissions and dispatch of two
// services in turn, one with 1,000 ended task runs and 4 agents, the other with 1,000,000 and 200. Also starts, memory,
// processor time, messages, and bytes on disk.
import { setTimeout as delay } from 'node:timers/promises';
import { readFlags, refuse, whole } from '../shared/flags.js';
import { percentile, printMachine, printResult, rounded, until } from '../shared/measure.js';
import { processorTimes, processTree, proportionalMb } from '../shared/processes.js';
import { RawSender } from '../shared/raw-sender.js';
import { startLaboratory, visitEvenly, type Laboratory } from './load/laboratory.js';
import { requestsTo, wholeReads } from './scale/requests.js';
import { fill, measureStore, withDatabase, type Store } from './scale/store.js';

const { tasks, agents, rounds } = readFlags({
  tasks: whole(1_000_000, { least: 1_000, most: 10_000_000 }),
  agents: whole(200, { least: 4, most: 1_000 }),
  rounds: whole(100, { least: 10, most: 10_000 }),
});
if (tasks % 100 !== 0) refuse(`--tasks is a multiple of 100, because campaigns are whole, not "${tasks}"`);
const starts = 3;
const agentsPerProcess = 20;
/** The work goes to as many agents of either service, because each needs a task process. */
const busyAgents = 4;
const perSecond = 10;
const warmUp = 5;
/** A request that reads all tasks takes a second. */
const wholeRounds = 5;
const idleS = 20;
const busyS = 20;

interface Subject {
  name: string;
  tasks: number;
  agents: number;
  laboratory: Laboratory;
  stations: string[];
  store: Store;
}

type Figures = Record<string, number>;

async function start(name: string, tasks: number, agents: number): Promise<Subject> {
  const begin = performance.now();
  const say = (what: string): void =>
    console.log(`${name}: ${what} after ${rounded((performance.now() - begin) / 1_000, 0)} s`);
  const laboratory = await startLaboratory({ agents, processes: Math.ceil(agents / agentsPerProcess) });
  say(`${agents} agents are online`);
  try {
    await fill(laboratory.dataDir, { tasks, agents, stations: laboratory.stations.length });
    say(`${tasks} task runs are stored`);
    const store = await withDatabase(laboratory.dataDir, measureStore);
    return { name, tasks, agents, laboratory, stations: laboratory.stations.slice(0, busyAgents), store };
  } catch (error) {
    await laboratory.stop();
    throw error;
  }
}

/** Milliseconds of processor time that the processes of the server take, meanwhile. */
async function processorMs({ laboratory }: Subject, work: () => Promise<unknown>): Promise<Figures> {
  const spent = (): Map<string, number> => {
    const all = [laboratory.pid, laboratory.brokerPid].map(processorTimes);
    return new Map(all.flatMap((each) => [...each]));
  };
  const before = spent();
  await work();
  const after = spent();
  return Object.fromEntries(
    ['gateway', 'orchestrator', 'database', 'broker'].map((kind) => [
      kind,
      ((after.get(kind) ?? NaN) - (before.get(kind) ?? NaN)) * 1_000,
    ]),
  );
}

const sum = (figures: Figures): number => Object.values(figures).reduce((total, each) => total + each, 0);

async function measureStarts(subjects: readonly Subject[]): Promise<Figures[]> {
  const seconds = subjects.map((): { ready_s: number[]; devices_s: number[] } => ({
    ready_s: [],
    devices_s: [],
  }));
  for (let round = 0; round < starts; round += 1)
    for (const [index, { laboratory }] of subjects.entries()) {
      const { ready_s, devices_s } = await laboratory.restart();
      seconds[index]?.ready_s.push(ready_s);
      seconds[index]?.devices_s.push(devices_s);
    }
  return seconds.map(({ ready_s, devices_s }) => ({
    ready_s: percentile(ready_s, 0.5),
    devices_s: percentile(devices_s, 0.5),
  }));
}

/** Sends each request to the services in turn, so that other work on the machine slows all of them down. */
async function measureRequests(subjects: readonly Subject[]): Promise<Figures[]> {
  const paths = await Promise.all(subjects.map(({ laboratory, tasks }) => requestsTo(laboratory.api, tasks)));
  const senders = subjects.map(({ laboratory }) => new RawSender(laboratory.url, 1));
  const figures = subjects.map((): Figures => ({}));
  const measure = async (name: string, path: (index: number) => string, count: number): Promise<void> => {
    const durations = subjects.map((): number[] => []);
    for (let round = -warmUp; round < count; round += 1)
      for (const [index, sender] of senders.entries()) {
        const { status, ms } = await sender.send({ method: 'GET', path: path(index) });
        // The service gives up after a second. The figure says so.
        if (status !== 200 && status !== 504) throw new Error(`${path(index)}: ${status}`);
        if (round >= 0) durations[index]?.push(ms);
      }
    for (const [index, own] of durations.entries())
      Object.assign(figures[index] ?? {}, {
        [`${name}_p50_ms`]: rounded(percentile(own, 0.5)),
        [`${name}_p95_ms`]: rounded(percentile(own, 0.95)),
      });
    console.log(
      `${name.padEnd(26)} p50 ${durations.map((own) => `${rounded(percentile(own, 0.5))} ms`).join(', ')}`,
    );
  };
  for (const name of Object.keys(paths[0] ?? {}))
    await measure(name, (index) => paths[index]?.[name] ?? '', rounds);
  for (const [name, path] of Object.entries(wholeReads)) await measure(name, () => path, wholeRounds);
  for (const sender of senders) sender.close();
  return figures;
}

/** One visit after the other: until the answer to its submission, and until the call of its station. */
async function measureVisits(subjects: readonly Subject[]): Promise<Figures[]> {
  const submissions = subjects.map((): number[] => []);
  const dispatches = subjects.map((): number[] => []);
  for (let round = -20; round < rounds * 2; round += 1)
    for (const [index, { laboratory, stations }] of subjects.entries()) {
      const key = `turn_${round + 20}`;
      const begin = performance.timeOrigin + performance.now();
      await laboratory.visit(key, stations[(round + 20) % stations.length] ?? '');
      const answered = performance.timeOrigin + performance.now();
      await until(() => laboratory.calls.has(key), Boolean, 30_000, 5);
      if (round < 0) continue;
      submissions[index]?.push(answered - begin);
      dispatches[index]?.push((laboratory.calls.get(key) ?? NaN) - begin);
    }
  return subjects.map((_, index) => {
    const [submit = [], dispatch = []] = [submissions[index], dispatches[index]];
    return {
      submit_p50_ms: rounded(percentile(submit, 0.5)),
      submit_p95_ms: rounded(percentile(submit, 0.95)),
      dispatch_p50_ms: rounded(percentile(dispatch, 0.5)),
      dispatch_p95_ms: rounded(percentile(dispatch, 0.95)),
    };
  });
}

/** Share of a core and bytes per second of the idle server, and what a task adds. */
async function measureCosts(subject: Subject): Promise<Figures> {
  const { laboratory, stations } = subject;
  const bytesBefore = await laboratory.brokerBytes();
  const idle = await processorMs(subject, () => delay(idleS * 1_000));
  const bytesIdle = await laboratory.brokerBytes();
  const busy = await processorMs(subject, () =>
    visitEvenly(laboratory, { prefix: 'cost', perSecond, seconds: busyS, stations }),
  );
  const bytesBusy = await laboratory.brokerBytes();
  const count = perSecond * busyS;
  const idleBytes = (bytesIdle - bytesBefore) / idleS;
  return {
    idle_cores: rounded(sum(idle) / idleS / 1_000, 4),
    idle_broker_kb_s: rounded(idleBytes / 1_000),
    task_processor_ms: rounded((sum(busy) - (sum(idle) / idleS) * busyS) / count),
    ...Object.fromEntries(
      Object.entries(busy).map(([kind, ms]) => [
        `task_${kind}_ms`,
        rounded((ms - ((idle[kind] ?? NaN) / idleS) * busyS) / count),
      ]),
    ),
    task_broker_kb: rounded((bytesBusy - bytesIdle - idleBytes * busyS) / count / 1_000),
  };
}

function measureMemory({ laboratory }: Subject): Figures {
  const { gateway, orchestrator, optimizer, svc, broker } = laboratory.memory();
  const database = processTree(laboratory.pid)
    .filter(({ command }) => command.includes('postgres'))
    .reduce((total, { pid }) => total + proportionalMb(pid), 0);
  const resident = { gateway, orchestrator, optimizer, svc, broker, database };
  return Object.fromEntries(Object.entries(resident).map(([name, mb]) => [`${name}_mb`, rounded(mb, 0)]));
}

printMachine();
const small = await start('small', 1_000, busyAgents);
const subjects = [small];
try {
  const large = await start('large', tasks, agents);
  subjects.push(large);
  const [smallRequests, largeRequests] = await measureRequests(subjects);
  const [smallVisits, largeVisits] = await measureVisits(subjects);
  const costs: Figures[] = [];
  for (const subject of subjects) costs.push(await measureCosts(subject));
  const memory = subjects.map(measureMemory);
  // Last: for minutes after a start, the orchestrator looks at all old events.
  const [smallStart, largeStart] = await measureStarts(subjects);
  const sizes = subjects.map(({ store }) => ({
    stored_mb: rounded(store.bytes / 1e6, 0),
    records: store.records,
  }));
  const grown = (of: (store: Store) => number): number => of(large.store) - of(small.store);
  printResult({
    small: { ...sizes[0], ...smallStart, ...smallRequests, ...smallVisits, ...costs[0], ...memory[0] },
    large: { ...sizes[1], ...largeStart, ...largeRequests, ...largeVisits, ...costs[1], ...memory[1] },
    bytes_per_record: rounded(grown(({ bytes }) => bytes) / grown(({ records }) => records), 0),
    bytes_per_task: rounded(grown(({ bytes }) => bytes) / (large.tasks - small.tasks), 0),
    bytes_of_a_task: Object.fromEntries(
      Object.keys(large.store.tables).map((name) => [
        name,
        rounded(grown(({ tables }) => tables[name] ?? 0) / (large.tasks - small.tasks), 0),
      ]),
    ),
  });
} finally {
  for (const { laboratory } of subjects) await laboratory.stop();
}

// Measures the time from a submission to the first device call, the gap between dependent tasks, and on-demand tasks per
// second.
import { load, p50AndP99, percentile, printMachine, printResult, rounded, until } from '../shared/measure.js';
import { benchPackages } from '../shared/paths.js';
import { RawSender } from '../shared/raw-sender.js';
import { devicesIdle, isOver, withStack } from '../shared/stack.js';

const submissions = 200;
const chains = 10;
const tasksPerBatch = 400;
const freshPerBatch = 60;
/** Pauses between two looks at the records, in milliseconds: shorter ones would take the processors from the tasks. */
const readMs = 25;
const openMs = 100;

const now = (): number => performance.timeOrigin + performance.now();

printMachine();
await withStack({ userDir: benchPackages }, async (stack, api) => {
  const sender = new RawSender(stack.url);
  const completed = <T extends { state: string; reason?: unknown }>(name: string, record: T): T => {
    if (record.state !== 'completed')
      throw new Error(`${name} is ${record.state}: ${JSON.stringify(record.reason)}`);
    return record;
  };

  const submitTouch = async (name: string): Promise<number> => {
    const at = now();
    const devices = { probe: { lab_name: 'bench_lab', name: 'probe' } };
    await sender.post('/api/tasks', { name, type: 'touch', devices });
    const read = () => api.get('/api/tasks/{task_name}', { path: { task_name: name } });
    const task = completed(name, await until(read, isOver, 10_000, readMs));
    return Number(task.output_parameters?.['called_at']) - at;
  };

  const gapsOfChain = async (name: string): Promise<number[]> => {
    await api.post('/api/protocols', { body: { name, type: 'chain', parameters: {} } });
    const read = () => api.get('/api/protocols/{protocol_run_name}', { path: { protocol_run_name: name } });
    const run = completed(name, await until(read, isOver, 30_000));
    return run.tasks.map((task) => Number(task.output_parameters?.['gap'])).filter((gap) => gap > 0);
  };

  /** Submits `count` tasks over 32 connections. @returns tasks per second until the last one has ended */
  const tasksPerSecond = async (type: string, count: number, batch: number | string): Promise<number> => {
    const begin = now();
    const prefix = `${type}_${batch}_`;
    await load(count, 32, (index) => sender.post('/api/tasks', { name: `${prefix}${index}`, type }));
    // Looking for one task that is not over costs the service far less than reading all records.
    const open = async () =>
      (await api.get('/api/tasks', { query: { state: 'created,queued,running', text: prefix, limit: 1 } }))
        .items;
    await until(open, ({ length }) => length === 0, 120_000, openMs);
    const { items } = await api.get('/api/tasks', { query: { text: prefix, limit: count } });
    const tasks = items.map((task) => completed(task.name, task));
    if (tasks.length !== count) throw new Error(`${tasks.length} of ${count} tasks are on record`);
    const end = Math.max(...tasks.map((task) => Date.parse(task.ended_at ?? '')));
    return (count / (end - begin)) * 1_000;
  };

  await devicesIdle(api);
  for (let index = 0; index < 20; index += 1) await submitTouch(`warm_${index}`);
  const submitToCall: number[] = [];
  for (let index = 0; index < submissions; index += 1) submitToCall.push(await submitTouch(`touch_${index}`));

  await gapsOfChain('warm_chain');
  const gaps: number[] = [];
  for (let index = 0; index < chains; index += 1) gaps.push(...(await gapsOfChain(`chain_${index}`)));

  await tasksPerSecond('noop', 100, 'warm');
  const rates: number[] = [];
  for (let batch = 0; batch < 3; batch += 1) rates.push(await tasksPerSecond('noop', tasksPerBatch, batch));
  const singleUse = await tasksPerSecond('noop_single', freshPerBatch, 0);
  await tasksPerSecond('noop_thread', freshPerBatch, 'warm');
  const threads = await tasksPerSecond('noop_thread', freshPerBatch, 0);
  sender.close();

  printResult({
    ...p50AndP99('submit_to_call_', submitToCall),
    ...p50AndP99('gap_', gaps),
    tasks_per_s: Math.round(percentile(rates, 0.5)),
    tasks_per_s_single_use: rounded(singleUse, 1),
    tasks_per_s_thread: rounded(threads, 1),
  });
});

// Submit to first device call, the gap between dependent tasks, and on-demand tasks per second.
import { startServiceStack } from '@lab/testkit';
import {
  benchPackages,
  devicesIdle,
  finish,
  httpClient,
  load,
  percentile,
  printMachine,
  rounded,
  until,
} from './harness.mjs';

const submissions = 200;
const chains = 10;
const tasksPerBatch = 400;
const singleUsePerBatch = 60;

const now = () => performance.timeOrigin + performance.now();
const ended = (record) => ['completed', 'failed', 'cancelled', 'needs_attention'].includes(record.state);

printMachine();
const stack = await startServiceStack({ userDir: benchPackages });
const client = httpClient(stack.url);
const get = (path) => client.call('GET', path);

async function submitTouch(name) {
  const at = now();
  await client.call('POST', '/api/tasks', {
    name,
    type: 'touch',
    devices: { probe: { lab_name: 'bench_lab', name: 'probe' } },
  });
  const task = await until(() => get(`/api/tasks/${name}`), ended, 10_000, 5);
  if (task.state !== 'completed') throw new Error(`${name} ${task.state}: ${JSON.stringify(task.reason)}`);
  return task.output_parameters.called_at - at;
}

async function gapsOfChain(name) {
  await client.call('POST', '/api/protocols', { name, type: 'chain', parameters: {} });
  const run = await until(() => get(`/api/protocols/${name}`), ended, 30_000);
  if (run.state !== 'completed') throw new Error(`${name} ${run.state}: ${JSON.stringify(run.reason)}`);
  return run.tasks.filter((task) => task.output_parameters.gap > 0).map((task) => task.output_parameters.gap);
}

/** Submits `count` tasks as fast as 32 connections allow; tasks per second until the last has ended. */
async function tasksPerSecond(type, count, batch) {
  const begin = performance.now();
  const name = (index) => `${type}_${batch}_${index}`;
  await load(count, 32, (index) => client.call('POST', '/api/tasks', { name: name(index), type }));
  const lastEnd = async () => {
    const { items } = await get(`/api/tasks?state=completed&limit=500`);
    return items.filter((task) => task.name.startsWith(`${type}_${batch}_`)).length;
  };
  await until(lastEnd, (completed) => completed >= count, 120_000, 50);
  return (count / (performance.now() - begin)) * 1000;
}

try {
  await devicesIdle(client);
  for (let index = 0; index < 20; index++) await submitTouch(`warm_${index}`);
  const submitToCall = [];
  for (let index = 0; index < submissions; index++) submitToCall.push(await submitTouch(`touch_${index}`));

  await gapsOfChain('warm_chain');
  const gaps = [];
  for (let index = 0; index < chains; index++) gaps.push(...(await gapsOfChain(`chain_${index}`)));

  await tasksPerSecond('noop', 100, 'warm');
  const rates = [];
  for (let batch = 0; batch < 3; batch++) rates.push(await tasksPerSecond('noop', tasksPerBatch, batch));
  const singleUse = await tasksPerSecond('noop_single', singleUsePerBatch, 0);

  console.log(
    `submit to first device call: p50 ${rounded(percentile(submitToCall, 0.5))} ms, p99 ${rounded(percentile(submitToCall, 0.99))} ms (${submissions} tasks)`,
  );
  console.log(
    `gap between dependent tasks: p50 ${rounded(percentile(gaps, 0.5))} ms, p99 ${rounded(percentile(gaps, 0.99))} ms (${gaps.length} gaps)`,
  );
  console.log(
    `on-demand tasks per second: reusable processes ${rates.map((rate) => Math.round(rate)).join(', ')}; single-use processes ${rounded(singleUse, 1)}`,
  );
  finish({
    submit_to_call_p50_ms: rounded(percentile(submitToCall, 0.5)),
    submit_to_call_p99_ms: rounded(percentile(submitToCall, 0.99)),
    gap_p50_ms: rounded(percentile(gaps, 0.5)),
    gap_p99_ms: rounded(percentile(gaps, 0.99)),
    tasks_per_s: Math.round(percentile(rates, 0.5)),
    tasks_per_s_single_use: rounded(singleUse, 1),
  });
} finally {
  client.close();
  await stack.dispose();
}

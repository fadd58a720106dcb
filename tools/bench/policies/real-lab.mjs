import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { startServiceStack } from '@lab/testkit';
import { devicesIdle, httpClient, until } from '../harness.mjs';

const example = fileURLToPath(new URL('../../../lab-packages/color_lab/examples/run.json', import.meta.url));
const isOver = ({ state }) => ['completed', 'failed', 'cancelled', 'needs_attention'].includes(state);

/**
 * Runs the color lab under one policy: all processes, simulated instruments. A few runs come first, so that durations are
 * known; then all the others begin at the same moment.
 *
 * @param policy `greedy` or `cpsat`
 * @returns seconds from the first start of a task to the end of the last, seconds to the end of each run on average, and
 *   tasks that did not complete
 */
export async function runColorLab(policy, runs, settings) {
  const variables = Object.entries(settings).map(([key, value]) => [
    `SVC_SCHEDULER_${key.toUpperCase()}`,
    String(value),
  ]);
  const stack = await startServiceStack({
    env: {
      SVC_LABS: 'color_lab',
      SVC_SCHEDULER_TYPE: policy,
      ...(policy === 'greedy' ? {} : Object.fromEntries(variables)),
    },
  });
  const http = httpClient(stack.url);
  try {
    await devicesIdle(http);
    const submission = JSON.parse(await readFile(example, 'utf8'));
    const all = async (names) => {
      await http.call('POST', '/api/queue/pause');
      for (const name of names) await http.call('POST', '/api/protocols', { ...submission, name });
      await http.call('POST', '/api/queue/resume');
      return Promise.all(
        names.map((name) => until(() => http.call('GET', `/api/protocols/${name}`), isOver, 300_000, 200)),
      );
    };
    await all(['known_1', 'known_2', 'known_3']);
    const records = await all(Array.from({ length: runs }, (_, index) => `run_${index + 1}`));
    const tasks = records.flatMap((run) => run.tasks);
    const first = Math.min(...tasks.map((task) => Date.parse(task.started_at)));
    const ends = records.map((run) => (Date.parse(run.ended_at) - first) / 1_000);
    return {
      makespan: Math.max(...ends),
      meanCompletion: ends.reduce((sum, end) => sum + end, 0) / ends.length,
      unfinished: tasks.filter((task) => task.state !== 'completed').length,
    };
  } finally {
    http.close();
    await stack.dispose();
  }
}

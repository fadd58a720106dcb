import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startServiceStack } from '@lab/testkit';
import { devicesIdle, httpClient, until } from '../harness.mjs';

/** Examples of submissions, by protocol. */
const examples = { color_mixing: 'run.json', lightfastness: 'lightfastness.json' };
const folder = fileURLToPath(new URL('../../../lab-packages/color_lab/examples', import.meta.url));
const isOver = ({ state }) => ['completed', 'failed', 'cancelled', 'needs_attention'].includes(state);

/**
 * Runs the color lab under one policy: all processes, simulated instruments. Three runs of each protocol come first, so that
 * durations are known; then all the others begin at the same moment.
 *
 * @param policy `greedy` or `cpsat`
 * @param load protocols and how many runs of each, in the order in which they are submitted
 * @returns seconds from the first start of a task to the end of the last, seconds to the end of each run on average, and
 *   tasks that did not complete
 */
export async function runColorLab(policy, load, settings) {
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
    const all = async (prefix, counts) => {
      const names = [];
      await http.call('POST', '/api/queue/pause');
      for (const [type, count] of counts) {
        const submission = JSON.parse(await readFile(join(folder, examples[type]), 'utf8'));
        for (let number = 1; number <= count; number += 1) {
          names.push(`${prefix}_${type}_${number}`);
          await http.call('POST', '/api/protocols', { ...submission, name: names.at(-1) });
        }
      }
      await http.call('POST', '/api/queue/resume');
      return Promise.all(
        names.map((name) => until(() => http.call('GET', `/api/protocols/${name}`), isOver, 300_000, 200)),
      );
    };
    await all(
      'known',
      load.map(([type]) => [type, 3]),
    );
    const records = await all('run', load);
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

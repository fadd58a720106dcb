import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProtocolRunSubmission } from '@lab/api-client';
import { until } from '../../shared/measure.js';
import { labPackages } from '../../shared/paths.js';
import { devicesIdle, isOver, withStack } from '../../shared/stack.js';

/** Protocols with their numbers of runs, in the order of submission. */
export type RunCounts = [protocol: string, count: number][];

export interface Completion {
  /** Seconds from the first start of a task to the end of the last run. */
  makespan: number;
  /** Mean seconds until the end of a run. */
  meanCompletion: number;
  /** Tasks that did not complete. */
  unfinished: number;
}

/** Examples of submissions, by protocol. */
const examples: Record<string, string> = {
  color_mixing: 'run.json',
  lightfastness: 'lightfastness.json',
};

/**
 * Runs the color lab under one policy, with all processes and simulated instruments. Three runs of each protocol come first,
 * so that the service knows the durations. Then all others begin at the same moment.
 *
 * @param policy `greedy` or `cpsat`
 * @param settings of the policy `cpsat`
 */
export async function runColorLab(
  policy: string,
  counts: RunCounts,
  settings: Record<string, number>,
): Promise<Completion> {
  const variables = Object.entries(settings).map(([key, value]) => [
    `SVC_SCHEDULER_${key.toUpperCase()}`,
    String(value),
  ]);
  const env = {
    SVC_LABS: 'color_lab',
    SVC_SCHEDULER_TYPE: policy,
    ...(policy === 'greedy' ? {} : (Object.fromEntries(variables) as Record<string, string>)),
  };
  return withStack({ env }, async (_stack, api) => {
    await devicesIdle(api);
    const runAll = async (prefix: string, all: RunCounts) => {
      const names: string[] = [];
      await api.post('/api/queue/pause');
      for (const [protocol, count] of all) {
        const file = join(labPackages, 'color_lab', 'examples', examples[protocol] ?? '');
        const submission = JSON.parse(await readFile(file, 'utf8')) as ProtocolRunSubmission;
        for (let number = 1; number <= count; number += 1) {
          const name = `${prefix}_${protocol}_${number}`;
          names.push(name);
          await api.post('/api/protocols', { body: { ...submission, name } });
        }
      }
      await api.post('/api/queue/resume');
      const ended = (name: string) =>
        until(
          () => api.get('/api/protocols/{protocol_run_name}', { path: { protocol_run_name: name } }),
          isOver,
          300_000,
          200,
        );
      return Promise.all(names.map(ended));
    };
    await runAll(
      'known',
      counts.map(([protocol]) => [protocol, 3]),
    );
    const records = await runAll('run', counts);
    const tasks = records.flatMap((run) => run.tasks);
    const first = Math.min(...tasks.map((task) => Date.parse(task.started_at ?? '')));
    const ends = records.map((run) => (Date.parse(run.ended_at ?? '') - first) / 1_000);
    return {
      makespan: Math.max(...ends),
      meanCompletion: ends.reduce((sum, end) => sum + end, 0) / ends.length,
      unfinished: tasks.filter((task) => task.state !== 'completed').length,
    };
  });
}

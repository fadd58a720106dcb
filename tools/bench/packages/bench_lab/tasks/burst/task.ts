import { BaseTask, type TaskResult } from '@lab/sdk';
import type Probe from '../../devices/probe/device.js';

interface Parameters {
  function: 'ping' | 'touch';
  count: number;
  at_once: number;
}

export default class Burst extends BaseTask<{ probe: Probe }, Parameters> {
  async _execute(
    { probe }: this['devices'],
    { function: name, count, at_once: lanes }: Parameters,
  ): Promise<TaskResult> {
    const durations: number[] = [];
    let begun = 0;
    const callInTurn = async (): Promise<void> => {
      while (begun < count) {
        begun += 1;
        const begin = performance.now();
        await probe[name]();
        durations.push(performance.now() - begin);
      }
    };
    const begin = performance.now();
    await Promise.all(Array.from({ length: lanes }, callInTurn));
    const seconds = (performance.now() - begin) / 1_000;
    durations.sort((a, b) => a - b);
    const percentile = (share: number): number => durations[Math.ceil(count * share) - 1] ?? 0;
    return [{ calls_per_s: count / seconds, p50_ms: percentile(0.5), p99_ms: percentile(0.99) }, {}, {}];
  }
}

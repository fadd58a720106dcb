/** Program of the search thread: one search at a time. The owner cancels a search through shared memory. */
import { parentPort } from 'node:worker_threads';
import { improve, lowerBound, type Schedule, type SearchResult } from '@lab/scheduling';
import { lowerThreadPriority } from '../priority/index.js';
import type { SearchNews, SearchOrder } from './search-messages.js';

/** Least milliseconds between two reported improvements, because the owner has to read each. */
const newsEveryMs = 50;

const port = parentPort;
if (port === null) throw new Error('This is the program of a worker thread.');
lowerThreadPriority();
const tell = (news: SearchNews): void => port.postMessage(news);

port.on('message', (order: SearchOrder) => {
  try {
    tell({ type: 'done', id: order.id, result: search(order) });
  } catch (error) {
    tell({ type: 'failed', id: order.id, reason: error instanceof Error ? error.message : String(error) });
  }
});

function search({ id, problem, timeLimitMs, cancelled, ...rest }: SearchOrder): SearchResult {
  const deadline = timeLimitMs === null ? Infinity : performance.now() + timeLimitMs;
  let untold: Schedule | null = null;
  let toldAt = -Infinity;
  const result = improve(problem, {
    ...rest,
    shouldStop: () => {
      const now = performance.now();
      if (untold !== null && now - toldAt >= newsEveryMs) {
        tell({ type: 'better', id, schedule: untold });
        untold = null;
        toldAt = now;
      }
      return now >= deadline || Atomics.load(cancelled, 0) !== 0;
    },
    onImprovement: (schedule) => (untold = schedule),
  });
  return Atomics.load(cancelled, 0) === 0 ? { ...result, lowerBound: lowerBound(problem) } : result;
}

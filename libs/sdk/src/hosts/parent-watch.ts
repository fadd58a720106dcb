import { Worker } from 'node:worker_threads';

/** How often it looks, in milliseconds. */
const everyMs = 1_000;

/**
 * Ends this process when the one that started it is gone, also while the code of an author computes and nothing else of
 * the process gets a turn: a thread looks for it.
 */
export function endWithParent(): void {
  const look = `
    const parent = process.ppid;
    setInterval(() => {
      try {
        process.kill(parent, 0);
        if (process.ppid === parent) return;
      } catch (error) {
        if (error.code === 'EPERM') return;
      }
      process.kill(process.pid, 'SIGKILL');
    }, ${everyMs});`;
  new Worker(look, {
    eval: true,
    resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1 },
  }).unref();
}

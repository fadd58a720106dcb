import { Worker } from 'node:worker_threads';

/** Interval of the check, in milliseconds. */
const everyMs = 1_000;

/**
 * Ends this process when its parent process is gone. A thread does the check, so that it also works while author code blocks
 * the event loop.
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

import { processEnvironment } from '@lab/runtime/light';

/** Milliseconds between two looks for the shell of npm. */
const lookMs = 250;

/**
 * Calls the listener with each signal to stop. npm starts a script in a shell and sends a signal to this shell alone. Some shells
 * end without a word to the program that they run. The end of the shell therefore counts as one signal.
 */
export function onStopSignal(listener: () => void): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, listener);
  if (processEnvironment()['npm_lifecycle_event'] === undefined) return;
  const shell = process.ppid;
  const looking = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(looking);
    listener();
  }, lookMs).unref();
}

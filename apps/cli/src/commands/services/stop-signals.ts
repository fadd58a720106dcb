import { processEnvironment } from '@lab/runtime/light';

/** Milliseconds between two looks for the shell of npm. */
const lookMs = 250;

/**
 * Calls the listener with each signal to stop. npm starts a script in a shell and sends a signal to this shell alone. Some shells
 * end without a word to the program that they run. The end of the shell therefore counts as a signal, unless one has come before:
 * Ctrl-C reaches the shell as well, and a second call would count as a second key press.
 */
export function onStopSignal(listener: () => void): void {
  const shell = process.ppid;
  const isRunByNpm = processEnvironment()['npm_lifecycle_event'] !== undefined;
  const looking = isRunByNpm ? setInterval(look, lookMs).unref() : undefined;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);

  function look(): void {
    if (process.ppid !== shell) stop();
  }
  function stop(): void {
    clearInterval(looking);
    listener();
  }
}

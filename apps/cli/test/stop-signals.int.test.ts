import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const program = fileURLToPath(new URL('./fixtures/stop-signals.mjs', import.meta.url));

/** Runs the program in a shell, as npm does. @returns how often it was told to stop until some time after the end of the shell */
async function stopsOf(env: Record<string, string>, isSignalled: boolean): Promise<number> {
  // A shell that has more to do afterwards does not become the program.
  const shell = spawn('sh', ['-c', '"$0" "$1"; true', process.execPath, program], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: shell.stdout })) {
    const [word, number] = line.split(' ');
    if (word === 'pid' && isSignalled) process.kill(Number(number), 'SIGINT');
    else if (word === 'pid' || (word === 'stop' && isSignalled)) shell.kill('SIGTERM');
    else if (word === 'stops') return Number(number);
  }
  throw new Error('the program ended without a word');
}

const byNpm = { npm_lifecycle_event: 'start' };

it.each([
  ['the end of the shell of npm counts as a signal', byNpm, false, 1],
  ['it does not count after a signal', byNpm, true, 1],
  ['the end of any other shell means nothing', {}, false, 0],
] as const)('%s', async (_, env, isSignalled, stops) => {
  expect(await stopsOf(env, isSignalled)).toBe(stops);
});

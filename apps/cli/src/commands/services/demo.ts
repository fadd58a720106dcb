import type { Command } from 'commander';
import { userError } from '../user-error.js';

export function addDemoCommand(program: Command): void {
  program
    .command('demo')
    .description('show the whole service at work: a campaign in a simulated color lab')
    .action(demo);
}

async function demo(): Promise<void> {
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => interrupted.abort(new Error('interrupted')));
  }
  try {
    const { runDemo } = await import('../../demo/run-demo.js');
    process.exitCode = (await runDemo(process.stdout, interrupted.signal)) ? 0 : 1;
  } catch (error) {
    process.stderr.write(`${interrupted.signal.aborted ? 'stopped' : userError(error)}\n`);
    process.exitCode = interrupted.signal.aborted ? 130 : 1;
  }
}

import { Argument, type Command } from 'commander';
import { userError } from '../user-error.js';
import { onStopSignal } from './stop-signals.js';

const demos = ['color', 'pylabrobot'] as const;

export function addDemoCommand(program: Command): void {
  program
    .command('demo')
    .description('show the whole service at work: campaigns in a simulated lab')
    .addArgument(
      new Argument(
        '[lab]',
        'a color lab, or a liquid handler and a plate reader of PyLabRobot, which needs Python',
      )
        .choices(demos)
        .default('color'),
    )
    .action(demo);
}

async function demo(lab: (typeof demos)[number]): Promise<void> {
  const interrupted = new AbortController();
  onStopSignal(() => interrupted.abort(new Error('interrupted')));
  try {
    const succeeded =
      lab === 'color'
        ? await (await import('../../demo/run-demo.js')).runDemo(process.stdout, interrupted.signal)
        : await (
            await import('../../demo/run-pylabrobot-demo.js')
          ).runPylabrobotDemo(process.stdout, interrupted.signal);
    process.exitCode = succeeded ? 0 : 1;
  } catch (error) {
    process.stderr.write(`${interrupted.signal.aborted ? 'stopped' : userError(error)}\n`);
    process.exitCode = interrupted.signal.aborted ? 130 : 1;
  }
}

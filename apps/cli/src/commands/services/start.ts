import { writeSync } from 'node:fs';
import { ApiClient } from '@lab/api-client';
import type { Command } from 'commander';
import type { Stack, StackOptions } from '../../stack/index.js';
import { userError } from '../user-error.js';
import { debugHostOption } from './apps.js';
import { onStopSignal } from './stop-signals.js';

interface StartFlags {
  port?: string;
  dataDir?: string;
  userDir?: string;
  config?: string;
  orchestrators?: string;
  debugHost?: string[];
}

/**
 * Milliseconds that a stop waits for the list of running tasks: less than `sameKeyPressMs`, so that the stop has begun when a
 * second key press counts.
 */
const lookMs = 600;
/** Greatest number of tasks that are named. */
const namedTasks = 5;

/** Signals within this time count as one: npm passes on the Ctrl-C that the terminal has also sent. */
const sameKeyPressMs = 750;

export function addStartCommand(program: Command): void {
  program
    .command('start')
    .description('start the whole service on this computer and keep it running')
    .option('--port <port>', 'port of the gateway (SVC_HTTP_PORT, default 8070)')
    .option('--data-dir <folder>', 'folder of all data of the service (SVC_DATA_DIR, default .svc)')
    .option('--user-dir <folder>', 'folder of lab packages (SVC_USER_DIR, default lab-packages)')
    .option('--config <file>', 'configuration file (SVC_CONFIG, default config.yml)')
    .option(
      '--orchestrators <n>',
      'number of orchestrators; one leads, the others are on standby (default 1)',
    )
    .option(...debugHostOption)
    .action((flags: StartFlags) => start(flags));
}

/** Runs the stack until a signal. Exit code 0 after an orderly stop, 1 if the stack could not be started. */
export async function start(flags: StartFlags, options: Pick<StackOptions, 'modules'> = {}): Promise<void> {
  const callOff = new AbortController();
  let stack: Stack | undefined;
  let stoppingSince: number | undefined;
  const stopped = new Promise<number>((resolve) => {
    const onSignal = (): void => {
      if (stack === undefined) {
        callOff.abort(new Error('interrupted'));
      } else if (stoppingSince === undefined) {
        stoppingSince = performance.now();
        stopSaying(stack).then(
          () => resolve(0),
          (error: unknown) => {
            print(userError(error));
            resolve(1);
          },
        );
      } else if (performance.now() - stoppingSince >= sameKeyPressMs) {
        stack.hurry();
      }
    };
    onStopSignal(onSignal);
  });
  try {
    const { eventText, startStack } = await import('../../stack/index.js');
    stack = await startStack({
      ...options,
      signal: callOff.signal,
      debugHosts: flags.debugHost,
      sources: {
        override: {
          SVC_HTTP_PORT: flags.port,
          SVC_DATA_DIR: flags.dataDir,
          SVC_USER_DIR: flags.userDir,
          SVC_CONFIG: flags.config,
          SVC_ORCHESTRATORS: flags.orchestrators,
        },
      },
      onEvent: (event) => {
        const text = eventText(event);
        if (text !== undefined) print(text);
      },
    });
  } catch (error) {
    if (callOff.signal.aborted) process.exit(0);
    print(userError(error));
    process.exit(1);
  }
  process.stdout.write(`ready ${stack.url}\n`);
  void questionsText(stack.url).then((text) => {
    if (text !== undefined) print(text);
  });
  process.exit(await stopped);
}

/** How many questions wait for a person, and the command that lists them; undefined: none, or the service does not say. */
async function questionsText(url: string): Promise<string | undefined> {
  try {
    const open = await new ApiClient(url).all('/api/attention', { query: { state: 'open', limit: 500 } });
    if (open.length === 0) return undefined;
    return `${open.length} ${open.length === 1 ? 'question waits' : 'questions wait'} for a decision: svc attention`;
  } catch {
    return undefined;
  }
}

async function stopSaying(stack: Stack): Promise<void> {
  // The signal may have reached every process. An agent that parked its instruments must not start again meanwhile.
  stack.endRestarts();
  print(await stoppingText(stack.url));
  await stack.stop();
}

/** Names the running tasks if the service answers at once: the stop must not depend on an answer. */
async function stoppingText(url: string): Promise<string> {
  try {
    const labels = (
      await new ApiClient(url, { retries: 0, timeoutMs: lookMs }).get('/api/tasks', {
        query: { state: 'running', limit: 500 },
      })
    ).items.map((task) => (task.protocol_run === null ? task.name : `${task.protocol_run}/${task.name}`));
    if (labels.length === 0) return 'stopping';
    const more = labels.length > namedTasks ? ` and ${labels.length - namedTasks} more` : '';
    return (
      `stopping; these tasks run and are stopped: ${labels.slice(0, namedTasks).join(', ')}${more}. ` +
      'Those that made no effect yet start again with the service, the others are asked about (svc attention)'
    );
  } catch {
    return 'stopping';
  }
}

/** Writes to standard error at once. A closed terminal is no reason to stop. */
function print(text: string): void {
  try {
    writeSync(2, `${text}\n`);
  } catch (error) {
    if (!['EPIPE', 'EIO', 'EAGAIN'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

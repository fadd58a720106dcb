import { writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type ConfigDefinition, ConfigError, type ConfigSources } from './config/index.js';
import { createLog, type Log, type LogLevelName, withoutCredentials } from './log/index.js';
import { boundGarbage, type ServiceMessage } from './process/index.js';
import { Shutdown } from './shutdown.js';

export interface ServiceContext<C> {
  readonly config: C;
  readonly log: Log;
  /** Add each resource here as soon as it runs. Resources are stopped in reverse order. */
  readonly shutdown: Shutdown;
  /** Ends the service in order with exit code 1 and prints the cause in one sentence, before or after it is ready. */
  fail(cause: unknown): void;
}

export interface ServiceOptions {
  /** Sources of the configuration, for command-line options. */
  sources?: ConfigSources;
  /** Milliseconds for the whole shutdown; afterwards the process exits with 1. Default 15 000. */
  stopTimeoutMs?: number;
}

/**
 * The main function of every app. It loads the configuration, starts, reports readiness, and stops in order on SIGINT,
 * SIGTERM, an IPC message `{type: 'stop'}`, or the end of the process that forked it. Exit codes: 0 after an orderly
 * stop; 1 when the start or the service failed (one sentence on standard error), a part did not stop, or an error was not caught.
 *
 * @param start resolves when the service works; its result is reported to the supervising parent as details
 */
export async function runService<C extends { readonly logLevel: LogLevelName }>(
  name: string,
  config: ConfigDefinition<C>,
  start: (context: ServiceContext<C>) => Promise<Record<string, unknown> | void>,
  options: ServiceOptions = {},
): Promise<void> {
  const service = new Service(name, options.stopTimeoutMs ?? 15_000);
  boundGarbage();
  try {
    const loaded = config.load(options.sources);
    const log = createLog({ service: name, level: loaded.logLevel });
    const shutdown = service.begin(log);
    const details =
      (await start({ config: loaded, log, shutdown, fail: (cause) => void service.failed(cause) })) ?? {};
    if (shutdown.signal.aborted) return;
    service.ready = true;
    log.info('ready', details);
    await tellParent({ type: 'ready', service: name, pid: process.pid, details });
  } catch (error) {
    await service.failed(error);
  }
}

class Service {
  /** The start is over. */
  ready = false;
  #shutdown: Shutdown | undefined;
  #log: Log | undefined;
  #leaving = false;

  constructor(
    private readonly name: string,
    private readonly stopTimeoutMs: number,
  ) {}

  begin(log: Log): Shutdown {
    const shutdown = new Shutdown(log);
    this.#shutdown = shutdown;
    this.#log = log;
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.on(signal, () => void this.#leave(signal, 0));
    if (process.connected === false) {
      // The parent had ended before this process could listen, so nobody would ever stop it.
      void this.#leave('the supervisor has gone', 0);
    } else if (process.channel !== undefined && process.channel !== null) {
      process.once('disconnect', () => void this.#leave('the supervisor has gone', 0));
      process.on('message', (message: unknown) => {
        if (typeof message === 'object' && message !== null && 'type' in message && message.type === 'stop') {
          void this.#leave('asked by the supervisor', 0);
        }
      });
    }
    for (const stream of [process.stdout, process.stderr]) {
      stream.on('error', (error: NodeJS.ErrnoException) => {
        // The reader of the pipe has ended, and with it the place to report to.
        if (error.code !== 'EPIPE') throw error;
      });
    }
    const fatal = (error: unknown): void => {
      log.error('an error was not caught; the process ends', { error });
      void this.#leave('an error was not caught', 1);
    };
    process.on('uncaughtException', fatal);
    process.on('unhandledRejection', fatal);
    return shutdown;
  }

  /** The start failed, or the service cannot go on: prints the cause in one sentence, stops the parts that had started, exits with 1. */
  async failed(error: unknown): Promise<void> {
    if (this.#leaving) return;
    const message = withoutCredentials(error instanceof Error ? error.message : String(error));
    const fate = this.ready ? 'ends' : 'cannot start';
    const sentence = error instanceof ConfigError ? message : `${this.name} ${fate}: ${message}`;
    this.#log?.debug(`the service ${fate}`, { error });
    printError(sentence);
    await tellParent({ type: 'failed', message: sentence });
    await this.#leave(`the service ${fate}`, 1);
  }

  async #leave(reason: string, code: number): Promise<void> {
    if (this.#leaving) return;
    this.#leaving = true;
    const deadline = delay(this.stopTimeoutMs, false, { ref: false });
    const clean = await Promise.race([this.#shutdown?.run(reason) ?? true, deadline]);
    this.#log?.info('stopped', { clean });
    process.exit(clean ? code : 1);
  }
}

/** Writes at once: the following exit would lose a line that is queued on a pipe. */
function printError(text: string): void {
  try {
    writeSync(2, `${text}\n`);
  } catch (error) {
    if (!['EPIPE', 'EAGAIN'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

function tellParent(message: ServiceMessage): Promise<void> {
  const send = process.send?.bind(process);
  if (send === undefined || !process.connected) return Promise.resolve();
  return new Promise((resolve) => {
    // An error here means that the parent has ended. The disconnect event handles that.
    send(message, undefined, undefined, () => resolve());
  });
}

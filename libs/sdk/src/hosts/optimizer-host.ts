/**
 * The process of the optimizer of one campaign. A worker starts it and exchanges the messages `toOptimizer` and `fromOptimizer`
 * of contracts with it. It ends when author code fails outside a call, and when the worker is gone.
 */
import type { JsonObject, ModuleReference } from '@lab/contracts';
import { makeOptimizer, namesOf, runtimeParamsOf, setRuntimeParams, type Lent } from './author-optimizer.js';
import { describeError } from './author-error.js';
import { Channel } from './channel.js';
import { Concealment } from './concealment.js';
import { captureConsole } from './console-capture.js';
import { NotJson } from './json-value.js';
import { toOptimizerMessage, type AskedOfOptimizer, type FromOptimizer, type LogLevel } from './messages.js';
import { refuseForeignRows } from './given-rows.js';
import { plainFault, Unfit } from './optimizer-refusal.js';
import { OptimizerSession } from './optimizer-session.js';
import { endWithParent } from './parent-watch.js';

/** Makes the services that a process lends to its optimizer. `environment`: the environment variables of the process. */
export type Lend = (environment: NodeJS.ProcessEnv) => Omit<Lent, 'protocol'>;

/** Serves the channel of this process until the worker is gone. */
export function hostOptimizer(lend: Lend): void {
  new OptimizerHost(lend(process.env)).serve();
}

class OptimizerHost {
  readonly #channel = new Channel<FromOptimizer>();
  readonly #concealment = new Concealment(process.env);
  #module: Pick<ModuleReference, 'package'> = { package: '' };
  #session: OptimizerSession | undefined;
  /** Runs the calls one at a time, in order of arrival. */
  #last: Promise<void> = Promise.resolve();
  #flushOutput: () => void = () => undefined;

  constructor(private readonly lent: Omit<Lent, 'protocol'>) {}

  serve(): void {
    this.#flushOutput = captureConsole((level, text) => this.#log(level, text));
    process.setSourceMapsEnabled(true);
    endWithParent();
    this.#channel.onMessage((raw) => {
      try {
        const message = toOptimizerMessage(raw);
        this.#last = this.#last.then(() => this.#answer(message));
      } catch (error) {
        this.#log('error', `message ignored: ${describeError(error, this.#module).message}`);
      }
    });
    this.#channel.onGone(() => process.exit(0));
    // Ctrl-C in a terminal reaches every process of the group, but the worker decides when its optimizers end.
    process.on('SIGINT', () => this.#log('debug', 'SIGINT left to the worker'));
    process.on('uncaughtException', (error) => this.#crash(error, 'an error was thrown outside a call'));
    process.on('unhandledRejection', (error) =>
      this.#crash(error, 'a promise was rejected and nobody handled it'),
    );
  }

  async #answer(message: AskedOfOptimizer): Promise<void> {
    const { call_id } = message;
    try {
      const value = await this.#perform(message);
      this.#flushOutput();
      const { node: version } = process.versions;
      this.#channel.send({ type: 'result', call_id, value: this.#concealment.value(value), version });
    } catch (error) {
      this.#flushOutput();
      this.#channel.send(this.#concealment.value(this.#failure(call_id, error)));
    }
  }

  async #perform(message: AskedOfOptimizer): Promise<JsonObject> {
    if (message.type === 'make') return this.#make(message);
    const session = this.#session;
    if (session === undefined) throw new Error('the optimizer was not made');
    switch (message.type) {
      case 'tell':
        return { measured: await session.tell(message.trials) };
      case 'propose':
        return (await session.propose(
          message.runs,
          message.insights,
          message.schedule,
        )) as unknown as JsonObject;
      case 'configure':
        return { runtime_params: session.configure(message.runtime_params) };
      case 'best':
        return { rows: await session.best() };
      case 'explain':
        return { belief: await session.explain() };
    }
  }

  async #make(message: AskedOfOptimizer & { type: 'make' }): Promise<JsonObject> {
    if (this.#session !== undefined) throw new Error('make came twice');
    const { module, path, overrides, protocol, integers = [] } = message;
    this.#module = module;
    this.#concealment.learn(overrides);
    const lent = { ...this.lent, protocol };
    const made = await makeOptimizer(path, module.source, overrides, integers, lent);
    const { optimizer, fields, args } = made;
    this.#concealment.learn(args);
    const known = Object.keys(runtimeParamsOf(optimizer));
    const kept = Object.entries(message.runtime_params).filter(([key]) => known.includes(key));
    if (kept.length > 0) setRuntimeParams(optimizer, Object.fromEntries(kept));
    const inputs = namesOf(optimizer.get_input_names(), 'get_input_names');
    const outputs = namesOf(optimizer.get_output_names(), 'get_output_names');
    const additional = namesOf(optimizer.get_additional_names?.() ?? [], 'get_additional_names');
    this.#session = new OptimizerSession(optimizer, { inputs, outputs }, (text) => this.#log('warn', text));
    if (message.given !== undefined) await refuseForeignRows(optimizer, inputs, message.given);
    return {
      input_names: inputs,
      output_names: outputs,
      additional_names: additional,
      fields: fields as unknown as JsonObject[],
      runtime_params: runtimeParamsOf(optimizer),
      arguments: args,
    };
  }

  #failure(call_id: string, error: unknown): FromOptimizer & { type: 'failure' } {
    if (error instanceof Unfit) {
      const faults = error.faults.map(plainFault);
      return { type: 'failure', call_id, code: 'invalid', error: { message: error.message }, faults };
    }
    const described =
      error instanceof NotJson ? { message: error.message } : describeError(error, this.#module);
    return { type: 'failure', call_id, code: 'optimizer_error', error: described, faults: [] };
  }

  #log(level: LogLevel, text: string): void {
    this.#channel.log(level, this.#concealment.text(text));
  }

  #crash(error: unknown, what: string): void {
    const { message, stack } = describeError(error, this.#module);
    this.#log('error', `the process of the optimizer ends: ${what}: ${stack ?? message}`);
    this.#flushOutput();
    void this.#channel.exit(1);
  }
}

import { z } from 'zod';
import {
  regularExpression,
  simulationOf,
  TextDevice,
  textSettings,
  type TextEntry,
} from '../commands/index.js';
import type { Protocol } from '../device/index.js';
import { scpiMessages } from '../framing/index.js';
import type { Twin } from '../transport/index.js';
import { scpiTwin } from './scpi-twin.js';

/** The init parameters of an instrument with SCPI. */
export const scpiSettings = z.strictObject({
  ...textSettings,
  /** `false`: the instrument does not say which one it is. */
  identity: z
    .union([
      z.literal(false),
      z.strictObject({ ask: z.string().min(1).default('*IDN?'), expect: regularExpression.default('.') }),
    ])
    .default({ ask: '*IDN?', expect: '.' }),
  /** The question for the next error, asked after each function that is no query; `false`: the instrument has no error queue. */
  error_queue: z.union([z.literal(false), z.string().min(1)]).default('SYST:ERR?'),
});
export type ScpiSettings = z.output<typeof scpiSettings>;

/** Errors that are read from the queue of an instrument after one function. */
const mostErrors = 20;

/** The instrument has refused a command (SCPI-1999, 21.8), with the code and the text of its error queue. */
export class ScpiError extends Error {
  override readonly name = 'ScpiError';
}

/**
 * An instrument with SCPI, over TCP (port 5025 on most) or a serial port. All of it stands in its init parameters. A subclass may
 * declare functions of its own, which call `this.ask` and `this.write`.
 */
export class ScpiDevice extends TextDevice<ScpiSettings> {
  /** A semicolon begins another command. */
  // eslint-disable-next-line no-control-regex -- control characters are what is forbidden
  protected override readonly forbidden = /[\u0000-\u001f\u007f;]/;

  protected override schema(): z.ZodType<ScpiSettings> {
    return scpiSettings;
  }

  protected override protocol({ identity, terminator }: ScpiSettings, transport: string): Protocol {
    return {
      framer: () => scpiMessages(terminator),
      ...this.identified(identity === false ? undefined : identity),
      recovery: identity === false && transport === 'tcp' ? 'reopened' : 'drained',
    };
  }

  protected override twin({
    functions,
    safe_state: writes,
    simulate,
    terminator,
    ...settings
  }: ScpiSettings): Twin {
    const { answers, latency } = simulationOf(simulate);
    const identity = settings.identity === false ? undefined : settings.identity.ask;
    const errorQueue = settings.error_queue === false ? undefined : settings.error_queue;
    return scpiTwin(
      {
        ...{ functions, writes, terminator, answers, time: this.time },
        answerTerminator: terminator,
        latencyMs: latency * 1_000,
      },
      { identity, errorQueue },
    );
  }

  protected override after({ kind }: TextEntry): (() => Promise<undefined>)[] {
    const { error_queue: queue } = this.settings;
    return kind === 'query' || queue === false ? [] : [() => this.checkErrors(queue)];
  }

  /** Empties the error queue. @throws ScpiError with all that was in it */
  protected async checkErrors(queue: string): Promise<undefined> {
    const errors: string[] = [];
    while (errors.length < mostErrors) {
      const error = String(await this.ask(queue));
      if (/^[+-]?0\b/.test(error)) break;
      errors.push(error);
    }
    if (errors.length > 0) throw new ScpiError(`the instrument reports ${errors.join('; ')}`);
    return undefined;
  }
}

import { z } from 'zod';
import type { Protocol } from '../device/index.js';
import { delimited } from '../framing/index.js';
import type { Twin } from '../transport/index.js';
import { regularExpression } from './answer.js';
import { simulationOf, TextDevice, textSettings } from './text-device.js';
import { TextTwin } from './text-twin.js';

/** The init parameters of a device with plain commands. */
export const plainSettings = z.strictObject({
  ...textSettings,
  /** What ends a command, and an answer. */
  terminator: z.string().min(1).max(8).default('\r\n'),
  /** What ends an answer, if it differs. */
  answer_terminator: z.string().min(1).max(8).optional(),
  /** A command whose answer says which instrument it is. After a lost answer, the device waits for this answer. */
  identity: z.strictObject({ ask: z.string().min(1), expect: regularExpression.default('.') }).optional(),
});
export type PlainSettings = z.output<typeof plainSettings>;

/**
 * An instrument with commands of plain text, such as a balance or a syringe pump on a serial port. All of it stands in its init
 * parameters.
 */
export class PlainDevice extends TextDevice<PlainSettings> {
  protected override schema(): z.ZodType<PlainSettings> {
    return plainSettings;
  }

  protected override protocol(
    { answer_terminator: end, identity, terminator }: PlainSettings,
    transport: string,
  ): Protocol {
    return {
      framer: () => delimited(end ?? terminator),
      ...this.identified(identity),
      recovery: identity === undefined && transport === 'tcp' ? 'reopened' : 'drained',
    };
  }

  protected override twin(settings: PlainSettings): Twin {
    const {
      answer_terminator: end,
      functions,
      identity,
      safe_state: writes,
      simulate,
      terminator,
    } = settings;
    const { answers, latency } = simulationOf(simulate);
    const known = identity === undefined ? {} : { [identity.ask]: 'twin' };
    return new TextTwin({
      ...{ functions, writes, terminator, time: this.time },
      answerTerminator: end ?? terminator,
      answers: { ...known, ...answers },
      latencyMs: latency * 1_000,
    });
  }
}

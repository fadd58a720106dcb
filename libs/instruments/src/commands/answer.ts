import type { JsonValue } from '@lab/sdk';
import { z } from 'zod';

const types = ['float', 'int', 'bool', 'str', 'floats', 'block', 'none'] as const;

/** A regular expression in a text. */
export const regularExpression = z.string().superRefine((text, context) => {
  try {
    new RegExp(text);
  } catch (error) {
    context.addIssue({ code: 'custom', message: `is no regular expression: ${String(error)}` });
  }
});

/** How the answer to a command is read. */
export const answerSpec = z
  .union([
    z.enum(types),
    z.strictObject({
      /**
       * `float`, `int`, `bool` (1, 0, ON, OFF), `str`, `floats` (with commas between them), `block` (a block of IEEE 488.2, returned in
       * base64), `none` (the answer says only that the command was taken).
       */
      type: z.enum(types),
      /** What the whole answer must look like. Its first group, if it has one, is the value. */
      pattern: regularExpression.optional(),
      /** The value is multiplied by it. */
      scale: z.number().optional(),
      /** For people. */
      unit: z.string().max(50).optional(),
    }),
  ])
  .transform((given): AnswerSpec => (typeof given === 'string' ? { type: given } : given));
export interface AnswerSpec {
  type: (typeof types)[number];
  pattern?: string | undefined;
  scale?: number | undefined;
  unit?: string | undefined;
}

/** A message is no answer to the command. */
export class WrongAnswer extends Error {
  override readonly name = 'WrongAnswer';
}

const number = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;
/** SCPI-1999, 7.2.1.4 and 7.2.1.5: these numbers stand for infinity and for not a number. */
const leastSpecialNumber = 9.9e37;

/**
 * Reads an answer.
 *
 * @param frame without its terminator
 * @param whole the frame as text, without space around it
 * @throws {@link WrongAnswer} that says what came and what was wanted
 */
export function readAnswer(
  { type, pattern, scale = 1 }: AnswerSpec,
  frame: Buffer,
  whole = frame.toString('utf8').trim(),
): JsonValue | undefined {
  if (type === 'block') return blockOf(frame).toString('base64');
  const text = pattern === undefined ? whole : matched(pattern, whole);
  switch (type) {
    case 'none':
      return undefined;
    case 'str':
      return pattern === undefined && /^(".*"|'.*')$/.test(text) ? unquoted(text) : text;
    case 'bool':
      if (/^(1|ON)$/i.test(text)) return true;
      if (/^(0|OFF)$/i.test(text)) return false;
      throw wrong(text, '1, 0, ON or OFF');
    case 'floats':
      return text === '' ? [] : text.split(',').map((each) => scaled(numberOf(each.trim()), scale));
    case 'int':
      if (!/^[+-]?\d+$/.test(text)) throw wrong(text, 'a whole number');
      return scaled(Number(text), scale);
    case 'float':
      return scaled(numberOf(text), scale);
  }
}

function numberOf(text: string): number {
  if (!number.test(text)) throw wrong(text, 'a number');
  const value = Number(text);
  if (Math.abs(value) >= leastSpecialNumber)
    throw wrong(text, 'a number: the instrument says that it has none, or an overload');
  return value;
}

const scaled = (value: number, scale: number): number => (scale === 1 ? value : value * scale);

function matched(pattern: string, text: string): string {
  const found = new RegExp(pattern).exec(text);
  if (found === null) throw wrong(text, `what matches ${pattern}`);
  return found[1] ?? found[0];
}

function unquoted(text: string): string {
  const quote = text.charAt(0);
  return text.slice(1, -1).replaceAll(quote + quote, quote);
}

function blockOf(frame: Buffer): Buffer {
  if (frame[0] !== 0x23) throw wrong(frame.toString('latin1', 0, 40), 'a block that begins with #');
  const digits = Number(frame.toString('latin1', 1, 2));
  return frame.subarray(2 + digits);
}

const wrong = (text: string, wanted: string): WrongAnswer =>
  new WrongAnswer(`the instrument answered ${JSON.stringify(text.slice(0, 200))}, not ${wanted}`);

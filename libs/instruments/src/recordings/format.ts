import type { JsonObject } from '@lab/sdk';
import { z } from 'zod';

/** The head of a recording: its first line. */
const head = z.object({
  svc_recording: z.literal(1),
  /** Address of the instrument. */
  label: z.string(),
  /** `<lab>.<device>`. */
  of: z.string(),
  /** ISO 8601. */
  at: z.string(),
});

/** The other lines. `ms` is monotonic, from the begin of the recording. `call` is the id of the device call. */
const line = { ms: z.number(), call: z.string().optional() };
/** `out` goes to the instrument. */
const dir = z.enum(['out', 'in']);

const bytes = z.object({
  ...line,
  dir,
  hex: z.string().regex(/^([0-9a-f]{2})+$/, 'must be bytes in hexadecimal, in lower case'),
});
/**
 * A request has a number in `exchange`, and its answers have the same one. What the instrument says by itself has none. `error`
 * stands in place of an answer: `message` for people, and what the protocol needs to tell the error from others.
 */
const exchange = z.int().positive();
const jsonObject = z.custom<JsonObject>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
);
const message = z.object({ ...line, dir, exchange: exchange.optional(), message: jsonObject });
const failed = z.object({
  ...line,
  dir: z.literal('in'),
  exchange,
  error: z.looseObject({ message: z.string() }),
});
const event = z.object({
  ...line,
  /** `open`, `end` (the instrument, or the network), `close` (the device), `full` (the recording reached its size). */
  event: z.enum(['open', 'end', 'close', 'full']),
  why: z.string().optional(),
});
const entry = z.union([bytes, message, failed, event]);

export type RecordingHead = z.output<typeof head>;
export type RecordingEntry = z.output<typeof entry>;
/** An entry without its time. */
export type NewEntry =
  | Omit<z.output<typeof bytes>, 'ms'>
  | Omit<z.output<typeof message>, 'ms'>
  | Omit<z.output<typeof failed>, 'ms'>
  | Omit<z.output<typeof event>, 'ms'>;

/** The traffic of an instrument, in the order in which it happened. */
export interface Recording {
  /** The file, for messages. */
  name: string;
  head: RecordingHead;
  /** The entry at index 0 is line 2 of the file. */
  entries: RecordingEntry[];
}

/**
 * Reads a recording. A last line that is not whole, as a crash leaves it, is passed over.
 *
 * @param name of the file, for messages
 * @throws Error that names the line at fault
 */
export function readRecording(text: string, name: string): Recording {
  const lines = text.split('\n');
  const isWhole = lines.at(-1) === '';
  const full = lines.slice(0, -1);
  if (!isWhole && isJson(lines.at(-1) ?? '')) full.push(lines.at(-1) ?? '');
  const [first, ...rest] = full.map((text, index) => {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      throw new Error(`${name}:${index + 1}: the line is no JSON`);
    }
  });
  const read = head.safeParse(first);
  if (!read.success)
    throw new Error(
      `${name}:1: the file is no recording: its first line needs "svc_recording": 1, label, of and at`,
    );
  const entries = rest.map((each, index) => {
    const { success, data } = entry.safeParse(each);
    if (success) return data;
    throw new Error(
      `${name}:${index + 2}: the line is neither traffic ({"ms", "dir": "out" or "in", and "hex", or "message" with "exchange"}) ` +
        'nor an event ({"ms", "event"})',
    );
  });
  return { name, head: read.data, entries };
}

/** Whether the instrument answers messages. Otherwise it answers bytes. */
export function hasMessages({ entries }: Recording): boolean {
  return entries.some((each) => 'message' in each || 'error' in each);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

import { NotBegun, type JsonObject, type JsonValue } from '@lab/sdk';
import { ExchangeError } from '../errors/index.js';
import { excerpt, fill, fillText, holds, takeAnswer, valueAt, type Ask } from '../messages/index.js';
import type { MqttMessage } from './mqtt-port.js';
import type { CommandEntry, MessageTemplate, MqttSettings } from './settings.js';
import type { States } from './states.js';

/** A message with the arguments at their places. */
export function messageOf(template: MessageTemplate, usualQos: 0 | 1 | 2, values: JsonObject): MqttMessage {
  const { topic, payload, qos, retain } = template;
  return {
    topic: fillText(topic, values, oneLevel),
    payload: fill(payload as JsonValue, values) ?? '',
    qos: qos ?? usualQos,
    retain,
  };
}

function oneLevel(value: string | number | boolean): string {
  const text = String(value);
  if (/[/#+\0]/.test(text)) throw new TypeError(`${text} cannot be a level of a topic: it has one of / # +`);
  return text;
}

/**
 * Publishes the message of a function once, and waits for what its entry says.
 *
 * @throws Error that says what the instrument answered, or that it is not there
 */
export async function carryOut(
  entry: CommandEntry & { kind: string },
  presence: MqttSettings['presence'],
  states: States,
  given: JsonObject,
  ask: Ask,
  signal: AbortSignal,
): Promise<JsonValue | undefined> {
  const message = messageOf(entry.publish, entry.kind === 'effect' ? 2 : 1, given);
  checkPresence(presence, states);
  const end = ending(entry, states, signal);
  try {
    const answer = await ask(entry.request ? { ...message, request: true } : message);
    if (!entry.request) {
      await end.reached;
      return undefined;
    }
    const payload = answer['payload'] ?? null;
    if (entry.failed !== undefined && holds(entry.failed, payload)) {
      const why = valueAt(payload, entry.failed.reason ?? '') ?? payload;
      throw new ExchangeError(`the instrument answered that it failed: ${excerpt(why, 300)}`);
    }
    await end.reached;
    return takeAnswer(entry.answer, payload);
  } finally {
    end.forget();
  }
}

/** @throws Error when the instrument said, or the broker for it, that it is not there */
function checkPresence(presence: MqttSettings['presence'], states: States): void {
  if (presence === undefined) return;
  const found = states.raw(presence.state);
  if (found !== undefined && holds({ path: '', equals: presence.equals }, found)) return;
  const said = found === undefined ? 'it has not said that it is there' : `it said ${excerpt(found)}`;
  throw new NotBegun(
    `the instrument is not there: on the topic of ${presence.state}, ${said}; nothing was sent`,
  );
}

/** Waits from now on for the messages that end a call. */
function ending(
  { until, unless }: CommandEntry,
  states: States,
  signal: AbortSignal,
): { reached: Promise<void>; forget: () => void } {
  if (until === undefined) return { reached: Promise.resolve(), forget: () => undefined };
  let forget = (): void => undefined;
  const reached = new Promise<void>((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    const stop = states.listen((name, value) => {
      const meets = (condition: typeof until | undefined): boolean =>
        condition?.state === name && holds({ path: '', equals: condition.equals }, value);
      if (meets(until)) resolve();
      else if (meets(unless)) {
        reject(new ExchangeError(`the instrument says that it failed: ${name} is ${excerpt(value)}`));
      }
    });
    forget = () => {
      stop();
      signal.removeEventListener('abort', abort);
    };
  });
  // The request may fail first. Then nobody waits for this promise.
  reached.catch(() => undefined);
  return { reached, forget: () => forget() };
}

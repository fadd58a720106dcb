import { isUtf8 } from 'node:buffer';
import { NotBegun, type JsonObject, type JsonValue } from '@lab/sdk';
import {
  NotRecorded,
  withCallId,
  withoutCallId,
  type Mask,
  type MessageReplay,
  type NewEntry,
  type Traffic,
  type Turn,
} from '../recordings/index.js';
import { PeerError, targetOf, type Link, type LinkAnswer, type LinkRequest } from './link.js';

/**
 * Recordings of exchanges with other systems. A request is `{method, path, body}` as in recordings of HTTP, with the query in its path. A
 * form is `form` in place of `body`: a list of `{name, text}` for fields, and of these with `file`, the name of the file, for files. An
 * answer is `{status, body}`. A body that is no JSON is `text`, or `base64` if it is no text; an empty one is left out. Headers are in no
 * recording, because one of them may have a token.
 */

type Hide = <Value>(value: Value) => Value;

/**
 * A link whose exchanges are recorded. A line is in the file before its request leaves.
 *
 * @param mask hides secrets
 * @param callId the id of the call that the running code serves
 */
export function recordedLink(
  link: Link,
  traffic: Traffic,
  mask: Mask,
  callId: () => string | undefined,
): Link {
  return {
    async ask(request) {
      const id = callId();
      const of = { exchange: traffic.nextExchange(), ...(id === undefined ? {} : { call: id }) };
      const hide: Hide = (value) => mask.value(withoutCallId(value, id));
      const record = async (entry: () => NewEntry | Promise<NewEntry>): Promise<void> => {
        try {
          if (!traffic.isOver) traffic.add(await entry());
        } catch (error) {
          traffic.fail(error);
        }
      };
      await record(async () => ({ dir: 'out', message: hide(await requestOf(request, mask)), ...of }));
      try {
        const answer = await link.ask(request);
        await record(() => ({ dir: 'in', message: hide(answerOf(answer, mask)), ...of }));
        return answer;
      } catch (error) {
        const effect = error instanceof PeerError && error.reached ? 'maybe' : 'none';
        const message = error instanceof Error ? error.message : String(error);
        await record(() => ({ dir: 'in', error: { message: mask.text(message), effect }, ...of }));
        throw error;
      }
    },
  };
}

/**
 * A link that answers from a recording. A request that the recording does not have fails with `NotBegun`.
 *
 * @param callId the id of the call that the running code serves
 */
export function replayedLink(replay: MessageReplay, mask: Mask, callId: () => string | undefined): Link {
  return {
    async ask(request) {
      const id = callId();
      const asked = mask.value(withoutCallId(await requestOf(request, mask), id));
      let turn: Turn;
      try {
        turn = replay.turn(asked);
      } catch (error) {
        throw error instanceof NotRecorded ? new NotBegun(error.message, { cause: error }) : error;
      }
      const { answers, error, line } = turn;
      const [answer] = answers;
      if (error !== undefined) throw new PeerError(error.message, error['effect'] !== 'none');
      if (answer === undefined) throw new PeerError(`the recording has no answer to its line ${line}`, true);
      return recordedAnswer(withCallId(answer, id));
    },
  };
}

async function requestOf(request: LinkRequest, mask: Mask): Promise<JsonObject> {
  const { method, json, form } = request;
  const target = { method, path: targetOf(request) };
  if (json !== undefined) return { ...target, body: json };
  if (form === undefined) return target;
  const parts: JsonValue[] = [];
  for (const [name, value] of form) {
    if (typeof value === 'string') parts.push({ name, text: value });
    else {
      const bytes = Buffer.from(await value.arrayBuffer());
      parts.push({ name, file: value.name, ...rawContent(bytes, mask) });
    }
  }
  return { ...target, form: parts };
}

function answerOf({ status, body }: LinkAnswer, mask: Mask): JsonObject {
  if (body.length === 0) return { status };
  const content = rawContent(body, mask);
  if (content['text'] === undefined) return { status, ...content };
  try {
    return { status, body: JSON.parse(String(content['text'])) as JsonValue };
  } catch {
    return { status, ...content };
  }
}

/** Bytes as a text, or in base64 if they are none. In base64 nobody would see a secret, so it is masked before. */
function rawContent(bytes: Buffer, mask: Mask): JsonObject {
  if (isUtf8(bytes)) return { text: bytes.toString('utf8') };
  return { base64: mask.bytes(bytes).toString('base64') };
}

function recordedAnswer({ status, body, text, base64 }: JsonObject): LinkAnswer {
  const bytes =
    typeof base64 === 'string'
      ? Buffer.from(base64, 'base64')
      : Buffer.from(typeof text === 'string' ? text : body === undefined ? '' : JSON.stringify(body));
  return { status: Number(status), body: bytes };
}

import type { JsonObject } from '@lab/sdk';
import {
  NotRecorded,
  type Mask,
  type MessageReplay,
  type RecordedError,
  type Traffic,
} from '@lab/instruments';
import type { Wire } from '../wire/index.js';
import type { CallLimits, Channel, Method } from './channel.js';
import { SilaConnectionError, SilaError, type SilaErrorKind } from './errors.js';
import type { Address } from '../network/index.js';

/**
 * Recordings of calls. A request is `{call, message}`: the path of the method, and the message as JSON with binaries in base64.
 * `metadata` has the keys of the metadata of a call. Their values may admit to the server, so no recording has them.
 */

function requestOf({ path, request }: Method, message: Wire, { context = {} }: CallLimits = {}): JsonObject {
  const metadata = Object.keys(context).sort();
  return { call: path, message: request.json(message), ...(metadata.length === 0 ? {} : { metadata }) };
}

function errorToRecord(error: unknown): RecordedError {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof SilaError) return { message, kind: error.kind, identifier: error.identifier };
  return { message, code: error instanceof SilaConnectionError ? error.code : 'CANCELLED' };
}

function errorOfRecord({ message, kind, identifier, code }: RecordedError): Error {
  if (typeof kind !== 'string') return new SilaConnectionError(String(code), message);
  const name = String(identifier);
  const text = name !== '' && message.startsWith(`${name}: `) ? message.slice(name.length + 2) : message;
  return new SilaError(kind as SilaErrorKind, name, text);
}

/**
 * A channel whose calls are recorded. A line is in the file before its request leaves.
 *
 * @param mask hides secrets
 * @param callId the id of the call that the running code serves
 */
export function recordedChannel(
  channel: Channel,
  traffic: Traffic,
  mask: Mask,
  callId: () => string | undefined,
): Channel {
  /** Records a request. @returns records what comes of it */
  const begin = (method: Method, message: Wire, limits?: CallLimits) => {
    const id = callId();
    const of = { exchange: traffic.nextExchange(), ...(id === undefined ? {} : { call: id }) };
    if (!traffic.isOver)
      traffic.add({ dir: 'out', message: mask.value(requestOf(method, message, limits)), ...of });
    return {
      answered: (wire: Wire): Wire => {
        if (!traffic.isOver)
          traffic.add({ dir: 'in', message: mask.value(method.response.json(wire)), ...of });
        return wire;
      },
      failed: (error: unknown): unknown => {
        traffic.add({ dir: 'in', error: mask.value(errorToRecord(error)), ...of });
        return error;
      },
    };
  };
  return {
    address: channel.address,
    label: channel.label,
    async unary(method, message, limits) {
      const { answered, failed } = begin(method, message, limits);
      try {
        return answered(await channel.unary(method, message, limits));
      } catch (error) {
        throw failed(error);
      }
    },
    async *stream(method, message, limits) {
      const { answered, failed } = begin(method, message, limits);
      try {
        for await (const wire of channel.stream(method, message, limits)) yield answered(wire);
      } catch (error) {
        throw failed(error);
      }
    },
    async converse(method, requests) {
      const begun = requests.map((message) => begin(method, message));
      try {
        const answers = await channel.converse(method, requests);
        for (const [index, answer] of answers.entries()) begun[index]?.answered(answer);
        return answers;
      } catch (error) {
        throw begun[0]?.failed(error) ?? error;
      }
    },
    explain: (error) => channel.explain(error),
    close: () => channel.close(),
  };
}

/** A channel that answers from a recording. A request that the recording does not have fails, and was certainly not carried out. */
export function replayedChannel(replay: MessageReplay, address: Address, mask: Mask): Channel {
  function* answersTo(method: Method, message: Wire, limits?: CallLimits): Generator<Wire, number, void> {
    let turn;
    try {
      turn = replay.turn(mask.value(requestOf(method, message, limits)));
    } catch (error) {
      throw error instanceof NotRecorded ? new SilaConnectionError('UNIMPLEMENTED', error.message) : error;
    }
    for (const answer of turn.answers) yield method.response.decode(method.response.encode(answer));
    if (turn.error !== undefined) throw errorOfRecord(turn.error);
    return turn.line;
  }
  const first = (method: Method, message: Wire, limits?: CallLimits): Wire => {
    const { done, value } = answersTo(method, message, limits).next();
    if (done !== true) return value;
    throw new SilaConnectionError('DATA_LOSS', `the recording has no answer to its line ${value}`);
  };
  return {
    address,
    label: 'the recorded SiLA server',
    unary: async (method, message, limits) => first(method, message, limits),
    async *stream(method, message, limits) {
      yield* answersTo(method, message, limits);
    },
    converse: async (method, requests) => requests.map((message) => first(method, message)),
    explain: (error) => Promise.resolve(error),
    close: () => undefined,
  };
}

import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { NotBegun, type JsonObject } from '@lab/sdk';
import { excerpt } from './answers.js';
import { ExchangeError, failure, messageOf } from '../errors/index.js';
import type { Message, OpenPort, PortEvents } from './port.js';
import type { Mask } from './secrets.js';
import type { TrafficLine } from './traffic-file.js';

/**
 * `strict`: the requests come in the order of the recording. `lenient`: a request may skip others, and a request that was
 * answered before gets its last answer again.
 */
export type ReplayOrder = 'strict' | 'lenient';

/**
 * A way to open a port that answers from a recording. Requests must equal those of the recording. What the instrument said by
 * itself is said again, after the request that it followed.
 *
 * @throws Error that names the line, when the file is no recording
 */
export async function replayed(file: string, order: ReplayOrder, mask: Mask): Promise<OpenPort> {
  const replay = new Replay(file, parse(file, await readFile(file, 'utf8')), order, mask);
  return (events) => Promise.resolve(replay.open(events));
}

class Replay {
  /** Indices of requests that were made. */
  readonly #made = new Set<number>();
  /** Indices of events that were said. */
  readonly #said = new Set<number>();

  constructor(
    private readonly file: string,
    private readonly lines: readonly TrafficLine[],
    private readonly order: ReplayOrder,
    private readonly mask: Mask,
  ) {}

  open(events: PortEvents): Awaited<ReturnType<OpenPort>> {
    setImmediate(() => this.#say(-1, events));
    return {
      exchange: async (request) => {
        const at = this.#find(this.mask.value(request));
        this.#made.add(at);
        const answer = this.#answerTo(at);
        setImmediate(() => this.#say(at, events));
        if (typeof answer['error'] === 'string') {
          throw failure(answer['error'], answer['effect'] !== 'none');
        }
        return answer;
      },
      close: () => Promise.resolve(),
    };
  }

  #find(request: Message): number {
    const isSame = (index: number): boolean => {
      const line = this.lines[index];
      return line?.dir === 'out' && isDeepStrictEqual(payloadOf(line), request);
    };
    const waiting = [...this.lines.keys()].filter(
      (index) => this.lines[index]?.dir === 'out' && !this.#made.has(index),
    );
    const found = this.order === 'strict' ? waiting.slice(0, 1).find(isSame) : waiting.find(isSame);
    if (found !== undefined) return found;
    const again = this.order === 'lenient' ? [...this.#made].reverse().find(isSame) : undefined;
    if (again !== undefined) return again;
    const [next] = waiting;
    const expected =
      next === undefined
        ? 'has no further request'
        : `has at line ${next + 1} ${excerpt(payloadOf(this.lines[next]!))}`;
    throw new NotBegun(`the recording ${this.file} ${expected}, and the device asks ${excerpt(request)}`);
  }

  #answerTo(at: number): Message {
    const exchange = this.lines[at]?.['exchange'];
    const answer = this.lines
      .slice(at + 1)
      .find((line) => line.dir === 'in' && line['exchange'] === exchange);
    if (answer === undefined) {
      throw new ExchangeError(`the recording ${this.file} has no answer to its line ${at + 1}`);
    }
    return payloadOf(answer);
  }

  /** Repeats what the instrument said by itself between a request and the next one. */
  #say(after: number, events: PortEvents): void {
    for (let index = after + 1; index < this.lines.length; index += 1) {
      const line = this.lines[index];
      if (line === undefined || line.dir === 'out') return;
      if ('exchange' in line || this.#said.has(index)) continue;
      this.#said.add(index);
      if (typeof line['lost'] === 'string') events.lost(new Error(line['lost']));
      else events.heard(payloadOf(line));
    }
  }
}

function payloadOf(line: TrafficLine): JsonObject {
  const own = ['t', 'dir', 'call', 'exchange'];
  return Object.fromEntries(Object.entries(line).filter(([key]) => !own.includes(key)));
}

function parse(file: string, text: string): TrafficLine[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line, index) => {
      const wrong = (why: string): Error =>
        new Error(`${file}:${index + 1} is no line of a recording: ${why}`);
      let value: unknown;
      try {
        value = JSON.parse(line);
      } catch (error) {
        throw wrong(messageOf(error));
      }
      const { dir } = (value ?? {}) as { dir?: unknown };
      if (dir !== 'out' && dir !== 'in') throw wrong('dir must be "out" or "in"');
      return value as TrafficLine;
    });
}

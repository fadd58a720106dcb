import type { Recording, ReplayMode } from '../recordings/index.js';
import { realTime, type Line, type LineEvents, type Time, type Transport } from './transport.js';

/** A request of a recording and what came after it. */
interface Turn {
  out: Buffer;
  /** What the instrument sent before the next request. */
  in: Buffer[];
  /** Number of the line in the file. */
  line: number;
  /** Why the line ended after it. */
  ended?: string;
}

/**
 * Plays the instrument of a recording.
 *
 * - `strict`: everything must be sent as recorded, byte by byte and in order, or the line ends with a sentence that says what was
 *   expected. For tests.
 * - `lenient`: a request gets the answer that it got in the recording, in any order: the next one that was not given yet, else the
 *   last one. A request that the recording does not have gets no answer.
 */
export class Replay implements Transport {
  readonly label: string;
  readonly #turns: Turn[];
  /** Bytes that came before any request. */
  readonly #greeting: Buffer[] = [];
  readonly #byRequest = new Map<string, { turns: Turn[]; next: number }>();
  /** Strict: the next turn, and how many of its bytes have been sent. */
  #at = 0;
  #sent = 0;

  constructor(
    recording: Recording,
    private readonly mode: ReplayMode,
    private readonly time: Time = realTime,
  ) {
    this.label = `replay of ${recording.head.label}`;
    this.#turns = turnsOf(recording, this.#greeting);
    for (const turn of this.#turns) {
      const key = turn.out.toString('latin1');
      const known = this.#byRequest.get(key);
      if (known === undefined) this.#byRequest.set(key, { turns: [turn], next: 0 });
      else known.turns.push(turn);
    }
  }

  /** Requests of the recording that nobody has sent, for `strict`. */
  get left(): number {
    return this.#turns.length - this.#at;
  }

  open(events: LineEvents): Promise<Line> {
    let isOpen = true;
    const later = (work: () => void): void =>
      void this.time.after(0, () => {
        if (isOpen) work();
      });
    const end = (why: string): void =>
      later(() => {
        isOpen = false;
        events.ended(why);
      });
    const play = (turn: Turn): void => {
      for (const bytes of turn.in) later(() => events.bytes(bytes));
      if (turn.ended !== undefined) end(turn.ended);
    };
    if (this.#at === 0) for (const bytes of this.#greeting) later(() => events.bytes(bytes));
    return Promise.resolve({
      write: (bytes, _call, taken) => {
        later(() => {
          taken?.();
          if (this.mode === 'lenient') {
            const turn = this.#answerTo(bytes);
            if (turn !== undefined) play(turn);
            return;
          }
          const wrong = this.#compare(bytes, play);
          if (wrong !== undefined) end(wrong);
        });
      },
      close: () => {
        isOpen = false;
        return Promise.resolve();
      },
    });
  }

  #answerTo(bytes: Buffer): Turn | undefined {
    const known = this.#byRequest.get(bytes.toString('latin1'));
    if (known === undefined) return undefined;
    const turn = known.turns[known.next];
    if (known.next < known.turns.length - 1) known.next += 1;
    return turn;
  }

  /** @returns what is wrong; undefined: nothing */
  #compare(bytes: Buffer, play: (turn: Turn) => void): string | undefined {
    let rest = bytes;
    while (rest.length > 0) {
      const turn = this.#turns[this.#at];
      if (turn === undefined) return `the recording is over, but ${shown(rest)} was sent`;
      const wanted = turn.out.subarray(this.#sent, this.#sent + rest.length);
      if (!rest.subarray(0, wanted.length).equals(wanted))
        return `line ${turn.line} of the recording sends ${shown(turn.out)}, but ${shown(bytes)} was sent`;
      rest = rest.subarray(wanted.length);
      this.#sent += wanted.length;
      if (this.#sent < turn.out.length) continue;
      this.#at += 1;
      this.#sent = 0;
      play(turn);
    }
    return undefined;
  }
}

function turnsOf({ entries }: Recording, greeting: Buffer[]): Turn[] {
  const turns: Turn[] = [];
  for (const [index, entry] of entries.entries()) {
    const last = turns.at(-1);
    if ('hex' in entry) {
      const bytes = Buffer.from(entry.hex, 'hex');
      if (entry.dir === 'out') turns.push({ out: bytes, in: [], line: index + 2 });
      else (last?.in ?? greeting).push(bytes);
    } else if ('event' in entry && entry.event === 'end' && last !== undefined) {
      last.ended = entry.why ?? 'closed';
    }
  }
  return turns;
}

/** Bytes for people. */
export function shown(bytes: Buffer): string {
  const some = bytes.subarray(0, 64);
  const more = bytes.length > some.length ? '…' : '';
  const isText = some.every((byte) => (byte >= 0x20 && byte < 0x7f) || byte === 0x0a || byte === 0x0d);
  return isText ? `${JSON.stringify(some.toString('latin1'))}${more}` : `${some.toString('hex')}${more}`;
}

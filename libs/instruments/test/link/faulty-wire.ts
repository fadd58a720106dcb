import type { Framer, Line, LineEvents, Time, Transport } from '../../src/kit.js';

/** What happens to one request and its answer. */
export interface Fault {
  /** The bytes of the request never arrive. */
  requestLost: boolean;
  /** The bytes of the answer never arrive. */
  answerLost: boolean;
  /** Milliseconds that the instrument takes. */
  delay: number;
  /** Places at which the answer is cut into pieces. */
  cuts: readonly number[];
  /** Milliseconds between the pieces. */
  gap: number;
  /** The answer comes twice. */
  twice: boolean;
  /** Place of a byte of the answer that is changed; negative: none. */
  garbled: number;
  /** The byte is left out instead. */
  dropped: boolean;
  /** The line breaks: before the request arrives, or after it. */
  breaks: 'never' | 'before' | 'after';
}

export const noFault: Fault = {
  requestLost: false,
  answerLost: false,
  delay: 1,
  cuts: [],
  gap: 0,
  twice: false,
  garbled: -1,
  dropped: false,
  breaks: 'never',
};

export interface WireOptions {
  time: Time;
  /** What happens to each request, in turn; afterwards all goes well. */
  faults: readonly Fault[];
  /** Cuts requests. */
  framer: () => Framer;
  /** The instrument. @returns its answer with all that surrounds it; null: none */
  answer: (request: Buffer) => Buffer | null;
  /** Longest delay of the answer to a request, in milliseconds. */
  longest?: (request: Buffer) => number;
  /** Bytes of an old line arrive on the next one, as on a serial port. */
  carriesOver: boolean;
  /** Answers may overtake each other. */
  reorders: boolean;
}

/** A line on which bytes are late, lost, doubled, changed, and cut in pieces. */
export class FaultyWire implements Transport {
  readonly label = 'faulty wire';
  #events: LineEvents | undefined;
  #count = 0;
  /** When the last byte so far arrives. */
  #last = 0;

  constructor(private readonly options: WireOptions) {}

  open(events: LineEvents): Promise<Line> {
    const { framer: framerOf, time } = this.options;
    const framer = framerOf();
    this.#events = events;
    return Promise.resolve({
      write: (bytes, _call, taken) => {
        if (this.#events !== events) return;
        for (const request of framer.take(bytes)) this.#request(request, events);
        if (taken !== undefined) time.after(0, () => taken());
      },
      close: () => {
        if (this.#events === events) this.#events = undefined;
        return Promise.resolve();
      },
    });
  }

  #request(request: Buffer, events: LineEvents): void {
    const { answer: answerTo, faults, longest, reorders, time } = this.options;
    const fault = faults[this.#count] ?? noFault;
    this.#count += 1;
    const end = (): void =>
      void time.after(0, () => {
        if (this.#events !== events) return;
        this.#events = undefined;
        events.ended('cut');
      });
    if (fault.breaks === 'before') end();
    if (fault.requestLost || fault.breaks === 'before') return;
    const answer = answerTo(request);
    if (fault.breaks === 'after') end();
    if (answer === null || fault.answerLost) return;
    let at = time.now() + Math.min(fault.delay, longest?.(request) ?? Infinity);
    if (!reorders) at = Math.max(at, this.#last);
    for (let copy = 0; copy < (fault.twice ? 2 : 1); copy += 1) {
      for (const piece of pieces(damaged(answer, copy === 0 ? fault : noFault), fault.cuts)) {
        time.after(at - time.now(), () => this.#arrive(piece, events));
        this.#last = Math.max(this.#last, at);
        at += fault.gap;
      }
    }
  }

  #arrive(bytes: Buffer, events: LineEvents): void {
    if (this.options.carriesOver) this.#events?.bytes(bytes);
    else if (this.#events === events) events.bytes(bytes);
  }
}

function damaged(bytes: Buffer, { dropped, garbled }: Fault): Buffer {
  if (garbled < 0) return bytes;
  const place = garbled % bytes.length;
  if (dropped) return Buffer.concat([bytes.subarray(0, place), bytes.subarray(place + 1)]);
  const changed = Buffer.from(bytes);
  changed[place] = (changed[place] ?? 0) ^ (1 + (garbled % 255));
  return changed;
}

function pieces(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  const found: Buffer[] = [];
  let from = 0;
  for (const place of [...places, bytes.length]) {
    if (place > from) found.push(bytes.subarray(from, place));
    from = Math.max(from, place);
  }
  return found;
}

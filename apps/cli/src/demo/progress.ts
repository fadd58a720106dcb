import { createLogUpdate } from 'log-update';
import { faint, progressBar } from '../watch/style.js';

/** Parts of a bar that an output other than a terminal gets a line for. */
const linesPerBar = 4;
const barWidth = 40;

interface Bar {
  label: string;
  done: number;
  total: number;
}

/** Where the display writes; a terminal is redrawn in place. */
export type ProgressOutput = Pick<NodeJS.WriteStream, 'write' | 'isTTY'>;

/**
 * One display of how far several jobs are. A terminal shows all bars in place. Another output, such as the log of a build,
 * gets one line for each quarter of a bar.
 */
export class Progress {
  readonly #bars: Bar[];
  readonly #draw: ((text: string) => void) & { done(): void };
  readonly #told = new Map<string, number>();
  #step = '';

  /** @param bars in the order in which they are shown, each with its number of steps */
  constructor(
    private readonly output: ProgressOutput,
    bars: readonly Omit<Bar, 'done'>[],
  ) {
    this.#bars = bars.map((bar) => ({ ...bar, done: 0 }));
    this.#draw = createLogUpdate(output as NodeJS.WriteStream);
  }

  /** Says what happens now. */
  step(text: string): void {
    if (text === this.#step) return;
    this.#step = text;
    if (this.output.isTTY) this.#redraw();
    else this.output.write(`${text}\n`);
  }

  /** Moves a bar. Does nothing when the bar is there already. */
  move(label: string, done: number): void {
    const bar = this.#bars.find((each) => each.label === label);
    if (bar === undefined || bar.done === done) return;
    bar.done = done;
    if (this.output.isTTY) {
      this.#redraw();
      return;
    }
    const part = Math.floor((done / bar.total) * linesPerBar);
    if (part === (this.#told.get(label) ?? 0)) return;
    this.#told.set(label, part);
    this.output.write(`${label}: ${done} of ${bar.total}\n`);
  }

  /** Leaves the display as it is, so that further text stands below it. */
  end(): void {
    if (this.output.isTTY) this.#draw.done();
  }

  #redraw(): void {
    const width = Math.max(...this.#bars.map(({ label }) => label.length));
    const lines = this.#bars.map(
      ({ label, done, total }) =>
        `${label.padEnd(width)}  ${progressBar(done / total, barWidth)} ${done}/${total}`,
    );
    this.#draw([...lines, faint(this.#step)].join('\n'));
  }
}

import { describe, expect, it } from 'vitest';
import { Progress } from '../../src/demo/progress.js';

function written(isTTY: boolean) {
  const texts: string[] = [];
  const output = { isTTY, columns: 100, rows: 40, write: (text: string) => texts.push(text) > 0 };
  return { texts, output };
}

const bars = [
  { label: 'at random', total: 24 },
  { label: 'optimized', total: 24 },
];

describe('the progress of a demo', () => {
  it('is one line for each quarter of a bar and for each new step, without a terminal', () => {
    const { texts, output } = written(false);
    const progress = new Progress(output, bars);
    for (const step of ['starting', 'starting', 'serving']) progress.step(step);
    for (let run = 0; run <= 24; run += 1) {
      progress.move('at random', run);
      progress.move('at random', run);
    }
    progress.end();
    expect(texts).toEqual([
      'starting\n',
      'serving\n',
      'at random: 6 of 24\n',
      'at random: 12 of 24\n',
      'at random: 18 of 24\n',
      'at random: 24 of 24\n',
    ]);
  });

  it('shows all bars and the present step in place, on a terminal', () => {
    const { texts, output } = written(true);
    const progress = new Progress(output, bars);
    progress.step('serving');
    progress.move('optimized', 12);
    const last = texts.at(-1) ?? '';
    // The second frame moves the cursor up or erases lines before it writes.
    expect(last).toContain('\u001b[');
    expect(texts.join('')).toMatch(/at random {2}░{40} 0\/24/);
    expect(texts.join('')).toMatch(/optimized {2}█{20}░{20} 12\/24/);
    const before = texts.length;
    progress.move('optimized', 12);
    expect(texts.length).toBe(before);
  });
});

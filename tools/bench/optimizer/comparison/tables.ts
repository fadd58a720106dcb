/** Measured tables of chemistry and materials: see ../data/README.md. */
import { readFileSync } from 'node:fs';
import { linearEquality, type Input } from '@lab/optimization';
import { inTools } from '../../../shared/paths.js';
import { maximize, minimize, type Problem } from '../problems.js';
import { inGroup, known, type ComparedProblem } from './problem.js';

const measured = inGroup('measured tables');

/** A table of the folder `data`: the names of the inputs, and their values with the measurement in each row. */
function tableOf(file: string): { names: string[]; rows: { at: number[]; value: number }[] } {
  const [head = '', ...lines] = readFileSync(inTools(`bench/optimizer/data/${file}`), 'utf8')
    .trim()
    .split('\n');
  const rows = lines.map((line) => line.split(',').map(Number));
  return {
    names: head.split(',').slice(0, -1),
    rows: rows.map((row) => ({ at: row.slice(0, -1), value: row.at(-1) ?? NaN })),
  };
}

const outputOf = (objective: Problem['outputs'][number]['objective']): Problem['outputs'] => [
  { key: 'run.result', objective },
];

/**
 * The values of a grid. A point of the grid that was not measured has the mean of the measured points one step away along one
 * input.
 */
function grid(file: string): Problem {
  const { names, rows } = tableOf(file);
  const levels = names.map((_, i) => [...new Set(rows.map(({ at }) => at[i] ?? NaN))].sort((a, b) => a - b));
  const values = new Map(rows.map(({ at, value }) => [at.join(), value]));
  const meanBeside = (at: readonly number[]): number => {
    const found = at.flatMap((each, i) => {
      const place = levels[i]?.indexOf(each) ?? NaN;
      return [place - 1, place + 1].flatMap(
        (beside) => values.get(at.with(i, levels[i]?.[beside] ?? NaN).join()) ?? [],
      );
    });
    return found.reduce((sum, value) => sum + value, 0) / found.length;
  };
  return {
    inputs: names.map((name, i): Input => ({
      kind: 'discrete',
      key: `run.${name}`,
      values: levels[i] ?? [],
    })),
    outputs: outputOf(maximize),
    evaluate: (conditions) => [values.get(conditions.join()) ?? meanBeside(conditions.map(Number))],
  };
}

/**
 * The mean of the measurements, weighted by a normal density of the distance (Nadaraya and Watson 1964), for inputs from 0 to 1.
 *
 * @param width deviation of the density: the one with the least squared error of left-out rows
 */
function smoothed(file: string, width: number): Problem {
  const { names, rows } = tableOf(file);
  return {
    inputs: names.map((name): Input => ({ kind: 'continuous', key: `run.${name}`, bounds: [0, 1] })),
    outputs: outputOf(minimize),
    evaluate: (values) => {
      let [total, weights] = [0, 0];
      for (const { at, value } of rows) {
        let square = 0;
        for (let i = 0; i < at.length; i += 1) square += (Number(values[i]) - (at[i] ?? NaN)) ** 2;
        const weight = Math.exp(-square / (2 * width ** 2));
        total += weight * value;
        weights += weight;
      }
      return [total / weights];
    },
  };
}

const blend = smoothed('photo-pce10.csv', 0.05);
const colours = smoothed('colors-bob.csv', 0.2);

/** Noise has the deviation of replicates in the table. The optima of smoothed tables are the best of 60 local searches. */
export const tables: ComparedProblem[] = [
  measured('fullerenes', known(grid('fullerenes.csv'), 0.95313, [14.2, 4.2, 100]), {
    evals: 30,
    initial: 6,
    noise: { deviations: [0.0115] },
  }),
  measured('suzuki', known(grid('suzuki.csv'), 96.9, [90, 5, 1.8, 3]), { evals: 40, initial: 8 }),
  measured('photovoltaic_blend', known(blend, 0.019289774, [0, 0, 0.083378, 0.916622]), {
    evals: 50,
    initial: 10,
    constraints: [
      linearEquality(
        blend.inputs.map(({ key }) => key),
        [1, 1, 1, 1],
        1,
      ),
    ],
    noise: { deviations: [0.022] },
  }),
  measured('colours', known(colours, 0.039393613, [1, 0, 0, 1, 0.862272]), { evals: 40, initial: 10 }),
];

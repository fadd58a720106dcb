/** Two plots of a comparison, as SVG text for the guide. */
import { qualitiesOf, type Played } from './report.js';
import { isShare } from './problem.js';
import { quantile } from './statistics.js';

/** One problem of each kind, for the plot of traces. */
export const traced: readonly string[] = [
  'hartmann6',
  'rosenbrock4',
  'hartmann6_noise2',
  'branin_outliers',
  'hartmann6_batch4',
  'direct_arylation',
];

const width = 760;
/** Ours, then the peer: dark enough on white, and told apart without colours by the shape and the dashes. */
const colours = ['#1f5fa8', '#b3541e'] as const;
/** Smaller regrets are drawn here: a campaign may reach the optimum itself. */
const least = 1e-6;

const round = (value: number): number => Math.round(value * 10) / 10;
const escaped = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;');
const label = (x: number, y: number, text: string, anchor = 'start'): string =>
  `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}">${escaped(text)}</text>`;
const line = (x1: number, y1: number, x2: number, y2: number, style: string): string =>
  `<line x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}" ${style}/>`;

function document(height: number, title: string, parts: readonly string[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" font-family="sans-serif" font-size="12">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    ...parts,
    '</svg>',
    '',
  ].join('\n');
}

const legend = (y: number, peer: string): string[] => [
  `<circle cx="220" cy="${y - 4}" r="5" fill="${colours[0]}"/>`,
  label(230, y, 'this optimizer'),
  `<circle cx="350" cy="${y - 4}" r="5" fill="none" stroke="${colours[1]}" stroke-width="2"/>`,
  label(360, y, peer),
];

const logOf = (regret: number): number => Math.log10(Math.max(least, regret));

/** Median and quartiles of the regret at the end, a row for each problem that both have played with an end in sight. */
export function endsPlot(all: readonly Played[], peer: string): string {
  const rows = all.flatMap((played) => {
    if (isShare(played.compared)) return [];
    const both = ['ours', peer].map((method) => {
      const values = qualitiesOf(played.entries.get(method) ?? []);
      return [0.25, 0.5, 0.75].map((q) => quantile(values, q));
    });
    return both.flat().every(Number.isFinite) ? [{ name: played.compared.name, both }] : [];
  });
  const logs = rows.flatMap(({ both }) => both.flat().map(logOf));
  const [low, high] = [Math.floor(Math.min(...logs, 0)), Math.ceil(Math.max(...logs, 1))];
  const at = (regret: number): number => 200 + ((logOf(regret) - low) / (high - low)) * (width - 220);
  const bottom = 40 + 22 * rows.length;
  const grid = Array.from({ length: high - low + 1 }, (_, k) => low + k).flatMap((power) => [
    line(at(10 ** power), 30, at(10 ** power), bottom, 'stroke="#ddd"'),
    label(at(10 ** power), bottom + 16, `1e${power}`, 'middle'),
  ]);
  const marks = rows.flatMap(({ name, both }, row) => {
    const y = 48 + 22 * row;
    return [
      label(190, y + 4, name, 'end'),
      ...both.flatMap(([q1 = NaN, middle = NaN, q3 = NaN], k) => {
        const level = y - 3 + 6 * k;
        const fill = k === 0 ? `fill="${colours[0]}"` : `fill="#fff" stroke="${colours[1]}" stroke-width="2"`;
        return [
          line(at(q1), level, at(q3), level, `stroke="${colours[k as 0 | 1]}" stroke-width="1.5"`),
          `<circle cx="${round(at(middle))}" cy="${level}" r="4" ${fill}/>`,
        ];
      }),
    ];
  });
  return document(bottom + 40, `Regret at the end of campaigns, beside ${peer}`, [
    ...legend(20, peer),
    ...grid,
    ...marks,
    label(
      width / 2 + 90,
      bottom + 34,
      'regret at the end: median and quartiles, smaller is better',
      'middle',
    ),
  ]);
}

/** Median regret of the runs so far, a panel for each problem. */
export function tracesPlot(all: readonly Played[], peer: string): string {
  const [columns, panelWidth, panelHeight] = [3, width / 3, 190];
  const panels = all.flatMap((played, i) => {
    const [left, top] = [(i % columns) * panelWidth + 45, Math.floor(i / columns) * panelHeight + 55];
    const [inner, tall] = [panelWidth - 60, panelHeight - 55];
    const medians = ['ours', peer].map((method) => {
      const traces = (played.entries.get(method) ?? []).flatMap(({ trace }) => (trace ? [trace] : []));
      const runs = Math.min(played.compared.evals, ...traces.map(({ length }) => length));
      return traces.length === 0
        ? []
        : Array.from({ length: runs }, (_, run) =>
            logOf(
              quantile(
                traces.map((trace) => trace[run] ?? Infinity),
                0.5,
              ),
            ),
          );
    });
    const values = medians.flat().filter(Number.isFinite);
    const [low, high] = [Math.floor(Math.min(...values, 0)), Math.ceil(Math.max(...values, 1))];
    const y = (value: number): number => top + ((high - value) / (high - low)) * tall;
    const curve = (median: readonly number[], k: number): string => {
      const points = median.flatMap((value, run) =>
        Number.isFinite(value)
          ? [`${round(left + (run / (played.compared.evals - 1)) * inner)},${round(y(value))}`]
          : [],
      );
      const dashes = k === 0 ? '' : ' stroke-dasharray="5 3"';
      return `<polyline points="${points.join(' ')}" fill="none" stroke="${colours[k as 0 | 1]}" stroke-width="2"${dashes}/>`;
    };
    return [
      label(left, top - 8, played.compared.name),
      ...[low, high].map((power) => label(left - 6, y(power) + 4, `1e${power}`, 'end')),
      line(left, top, left, top + tall, 'stroke="#888"'),
      line(left, top + tall, left + inner, top + tall, 'stroke="#888"'),
      label(left + inner, top + tall + 15, `${played.compared.evals} runs`, 'end'),
      ...medians.map(curve),
    ];
  });
  const height = Math.ceil(all.length / columns) * panelHeight + 40;
  return document(height, `Median regret by the number of runs, beside ${peer}`, [
    ...legend(20, peer),
    ...panels,
  ]);
}

import type { SimulatedUnitRecord, SimulationRecord } from '@lab/contracts';

const size = { row: 22, bar: 16, label: 190, chart: 960, top: 58, bottom: 30, right: 20 };
/** Least width of a bar, in pixels. */
const narrowest = 0.4;
const ticks = 8;

/**
 * Draws the use of devices and resources over time as one SVG file. The file has no scripts or external references,
 * and a text for each bar.
 */
export function ganttSvg(record: SimulationRecord): string {
  const units = record.units.filter(({ timeline }) => timeline.length > 0);
  const end = Math.max(record.end, 0.001);
  const x = (seconds: number): number => round(size.label + (seconds / end) * size.chart);
  const width = size.label + size.chart + size.right;
  const height = size.top + Math.max(1, units.length) * size.row + size.bottom;
  const hues = new Map(
    record.protocol_runs.map(({ name }, index): [string, number] => [name, Math.round(index * 137.5) % 360]),
  );
  const title = `Simulation with ${record.scheduler}: ${record.tasks_total} tasks, makespan ${record.makespan} s`;
  const description = `Outcome ${record.outcome}. ${units.length} devices and resources were used; on average ${record.parallelism.average} tasks ran at a time, at most ${record.parallelism.max}. Each row is a device or resource, each bar a task on it.`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title desc" font-family="system-ui, sans-serif" font-size="12">`,
    `<title id="title">${text(title)}</title>`,
    `<desc id="desc">${text(description)}</desc>`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    `<text x="10" y="22" font-size="15" font-weight="600" fill="#111">${text(title)}</text>`,
    ...axis(end, x, height),
    ...units.flatMap((unit, index) => row(unit, size.top + index * size.row, x, hues)),
    '</svg>',
    '',
  ].join('\n');
}

function axis(end: number, x: (seconds: number) => number, height: number): string[] {
  const digits = end >= 100 ? 0 : end >= 1 ? 1 : 3;
  return Array.from({ length: ticks + 1 }, (_, index) => {
    const seconds = (end * index) / ticks;
    return (
      `<line x1="${x(seconds)}" x2="${x(seconds)}" y1="${size.top - 6}" y2="${height - size.bottom}" stroke="#ddd"/>` +
      `<text x="${x(seconds)}" y="${size.top - 12}" text-anchor="middle" fill="#444">${seconds.toFixed(digits)} s</text>`
    );
  });
}

function row(
  unit: SimulatedUnitRecord,
  y: number,
  x: (seconds: number) => number,
  hues: ReadonlyMap<string, number>,
): string[] {
  const share = `${Math.round(unit.utilisation * 100)} %`;
  return [
    `<g><text x="${size.label - 8}" y="${y + size.bar - 4}" text-anchor="end" fill="#111">${text(unit.name)}<title>${text(`${unit.kind} ${unit.name}: in use ${share} of the time`)}</title></text>`,
    ...unit.timeline.map(({ what, by, start, end }) => {
      const from = x(start);
      const wide = Math.max(narrowest, round(x(end) - from));
      const style =
        what === 'use'
          ? `fill="hsl(${hues.get(by?.split('/')[0] ?? '') ?? 0} 55% 58%)" stroke="#333" stroke-width="0.4"`
          : what === 'hold'
            ? `fill="hsl(${hues.get(by ?? '') ?? 0} 40% 90%)"`
            : 'fill="#999"';
      const word = what === 'use' ? (by ?? '') : what === 'hold' ? `kept by ${by ?? ''}` : 'out of order';
      return `<rect x="${from}" y="${y}" width="${wide}" height="${size.bar}" ${style}><title>${text(`${word}: ${start} s to ${end} s`)}</title></rect>`;
    }),
    '</g>',
  ];
}

/** Escapes a name as text. Characters that XML cannot contain are left out. */
function text(value: string): string {
  return (
    value
      // eslint-disable-next-line no-control-regex -- control characters are exactly what XML cannot carry
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
  );
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

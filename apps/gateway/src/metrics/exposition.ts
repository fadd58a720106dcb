import type { MetricFamily } from '@lab/contracts';

/** Media type of the text format of Prometheus, version 0.0.4. */
export const expositionType = 'text/plain; version=0.0.4; charset=utf-8';

/** Metrics of one process. */
export interface Measured {
  service: string;
  instance: string;
  families: readonly MetricFamily[];
}

type Sample = MetricFamily['samples'][number];

/**
 * The text that Prometheus reads. Each value has labels of its process. Families of the same name are merged under the
 * description of the first process.
 */
export function exposition(all: readonly Measured[]): string {
  const byName = new Map<string, { family: MetricFamily; lines: string[] }>();
  for (const { service, instance, families } of all) {
    for (const family of families) {
      const known = byName.get(family.name) ?? { family, lines: [] };
      byName.set(family.name, known);
      if (known.family.type !== family.type) continue;
      for (const sample of family.samples) {
        const labels = { service, instance, ...sample.labels };
        if (family.type === 'histogram') known.lines.push(...histogramLines(family, sample, labels));
        else known.lines.push(line(family.name, labels, sample.value));
      }
    }
  }
  const blocks = [...byName.values()]
    .filter(({ lines }) => lines.length > 0)
    .map(({ family: { name, help, type }, lines }) =>
      [`# HELP ${name} ${escaped(help)}`, `# TYPE ${name} ${type}`, ...lines].join('\n'),
    );
  return `${blocks.join('\n')}\n`;
}

function histogramLines(
  { name, bounds = [] }: MetricFamily,
  { value, counts = [] }: Sample,
  labels: Record<string, string>,
): string[] {
  let total = 0;
  const buckets = counts.map((count, index) => {
    total += count;
    const bound = bounds[index];
    return line(`${name}_bucket`, { ...labels, le: bound === undefined ? '+Inf' : String(bound) }, total);
  });
  return [...buckets, line(`${name}_sum`, labels, value), line(`${name}_count`, labels, total)];
}

function line(name: string, labels: Record<string, string>, value: number): string {
  const text = Object.entries(labels).map(
    ([label, of]) => `${label}="${escaped(of).replaceAll('"', '\\"')}"`,
  );
  return `${name}{${text.join(',')}} ${String(value)}`;
}

const escaped = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');

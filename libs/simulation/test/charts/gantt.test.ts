import type { SimulationRecord } from '@lab/contracts';
import { describe, expect, it } from 'vitest';
import { ganttSvg } from '../../src/charts/gantt-svg.js';
import { ganttText } from '../../src/charts/gantt-text.js';

const run = (name: string): SimulationRecord['protocol_runs'][number] => ({
  name,
  type: 't',
  campaign: null,
  priority: 0,
  state: 'completed',
  submitted: 0,
  start: 0,
  end: 10,
});
const unit = (
  name: string,
  timeline: SimulationRecord['units'][number]['timeline'],
): SimulationRecord['units'][number] => ({
  kind: name.includes('.') ? 'device' : 'resource',
  name,
  busy: 5,
  held: 0,
  out: 0,
  utilisation: 0.5,
  timeline,
});

const record: SimulationRecord = {
  scheduler: 'greedy',
  jitter: 0,
  seed: 1,
  outcome: 'completed',
  makespan: 10,
  end: 10,
  parallelism: { max: 2, average: 1.5 },
  tasks_total: 4,
  tasks_by_state: { completed: 4 },
  waiting: { dependency: 0, busy: 0, priority: 0, held: 0, no_device: 0, planned: 0 },
  protocol_runs: [run('one'), run('two & <three>')],
  tasks: [],
  units: [
    unit('lab.arm', [
      { what: 'use', by: 'one/load', start: 0, end: 2 },
      { what: 'use', by: 'two & <three>/load', start: 2, end: 5 },
      { what: 'out', by: null, start: 6, end: 10 },
    ]),
    unit('lab.idle', []),
    unit('lab.station', [
      { what: 'use', by: 'one/load', start: 0, end: 2 },
      { what: 'hold', by: 'one', start: 2, end: 8 },
      { what: 'use', by: 'rinse_001', start: 8, end: 10 },
    ]),
    unit('beaker', [{ what: 'use', by: 'one/load', start: 0, end: 10 }]),
  ],
  stuck: [],
  events: [],
  planning: { plans: 1, total_ms: 1, max_ms: 1 },
};

describe('the chart for terminals', () => {
  it('has a line for each used unit and a column for each interval', () => {
    expect(ganttText(record, 32)).toEqual([
      'lab',
      '    arm     AAAABBBBBB..xxxxxxxx',
      '    station AAAA------------####',
      'resources',
      '    beaker  AAAAAAAAAAAAAAAAAAAA',
      '            0.0 s         10.0 s',
      '',
      '  A one',
      '  B two & <three>',
      '  # on-demand task   - kept by a run   x out of order   . free',
    ]);
  });

  it('fits the given width', () => {
    for (const width of [40, 80, 200])
      for (const line of ganttText(record, width).slice(0, 6)) expect(line.length).toBeLessThanOrEqual(width);
  });

  it('is drawn also without any task', () => {
    expect(ganttText({ ...record, units: [], end: 0 })).toEqual(['nothing ran']);
  });
});

describe('the chart as SVG', () => {
  const svg = ganttSvg(record);

  it('is one file with a title, a description and words for each bar, and no scripts', () => {
    expect(svg.match(/<rect /g)).toHaveLength(1 + 7);
    expect(svg).toContain('<title id="title">Simulation with greedy: 4 tasks, makespan 10 s</title>');
    expect(svg).toContain('role="img" aria-labelledby="title desc"');
    expect(svg).toContain('<title>kept by one: 2 s to 8 s</title>');
    expect(svg).not.toMatch(/<script|href|url\(/);
  });

  it('escapes names', () => {
    expect(svg).toContain('two &amp; &lt;three&gt;/load');
    expect(svg).not.toContain('<three>');
    const open = [...svg.matchAll(/<(\w+)(?:\s[^>]*[^/>])?>/g)].map((match) => match[1]);
    const closed = [...svg.matchAll(/<\/(\w+)>/g)].map((match) => match[1]);
    expect(open.sort()).toEqual(closed.sort());
  });
});

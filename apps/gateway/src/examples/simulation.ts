import type { SimulationScenario, WhatIfRecord } from '@lab/contracts';

export const simulationScenarios: Record<string, { summary: string; value: SimulationScenario }> = {
  day: {
    summary: 'Six runs, three at a time, and a station that is out of order at first',
    value: {
      labs: ['color_lab'],
      scheduler: { type: 'cpsat' },
      jitter: 0.1,
      seed: 42,
      protocols: [{ type: 'color_mixing', iterations: 6, max_concurrent: 3 }],
      losses: [{ device: 'color_lab.station_2', at: 0, for: 3 }],
    },
  },
  campaign: {
    summary: 'A campaign, with tasks that take longer than declared and fail now and then',
    value: {
      campaigns: [{ protocol: 'color_mixing', max_protocol_runs: 12, max_concurrent_protocol_runs: 3 }],
      durations: { mix_colors: 1.2 },
      failures: [{ task: 'color_mixing.mix_colors', probability: 0.05, effects: false }],
    },
  },
};

export const whatIfRecord: WhatIfRecord = {
  at: '2026-11-20T09:30:00.000Z',
  scheduler: 'greedy',
  name: 'mix_1',
  estimated_start: '2026-11-20T09:30:04.000Z',
  estimated_end: '2026-11-20T09:30:06.300Z',
  tasks: [
    {
      name: 'mix_colors',
      type: 'mix_colors',
      devices: { station: 'color_lab.station_1' },
      resources: { beaker: 'beaker_1' },
      estimated_start: '2026-11-20T09:30:04.250Z',
      estimated_end: '2026-11-20T09:30:05.050Z',
    },
  ],
  others: [
    {
      kind: 'protocol_run',
      name: 'sweep_run_3',
      campaign: 'sweep',
      without: '2026-11-20T09:30:05.000Z',
      with: '2026-11-20T09:30:05.250Z',
      delay: 0.25,
    },
  ],
  notes: [],
};

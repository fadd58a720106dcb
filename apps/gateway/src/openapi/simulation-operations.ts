import type { ErrorCode, SimulationScenario, WhatIfRecord } from '@lab/contracts';
import { json, ref, type Description } from './description.js';
import { protocolRunSubmissions } from './examples.js';

const simulating: ErrorCode[] = [
  'malformed_json',
  'payload_too_large',
  'unsupported_media_type',
  'invalid',
  'backlog_full',
  'service_unavailable',
  'disconnected',
  'deadline_exceeded',
];

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

/** Operations that play work through, by method and path. */
export const simulationOperations: Record<string, Description> = {
  'POST /api/simulations': {
    tag: 'Simulation',
    summary: 'Play a scenario through',
    description:
      'With the laboratories and protocols that are loaded, and the engine and policies that run the real ones, on a clock that jumps from one event to the next. Nothing is stored or started. At most 2,000 tasks, 30 s and two simulations at a time.',
    body: { schema: ref('SimulationScenario'), required: true, examples: simulationScenarios },
    success: { status: 200, description: 'What would happen.', content: json(ref('SimulationRecord')) },
    problems: simulating,
  },
  'POST /api/protocols/simulate': {
    tag: 'Simulation',
    summary: 'Ask what would become of a protocol run if it was submitted now',
    description:
      'Plays on from what runs, waits and is held at this moment, with the durations learned so far, once without the run and once with it. Nothing is stored or started.',
    body: { schema: ref('ProtocolRunSubmission'), required: true, examples: protocolRunSubmissions },
    success: {
      status: 200,
      description: 'When its tasks would start and end, and whom it would delay.',
      content: json(ref('WhatIfRecord'), whatIfRecord),
    },
    problems: ['unknown_protocol', 'duplicate_name', 'store_unavailable', ...simulating],
  },
};

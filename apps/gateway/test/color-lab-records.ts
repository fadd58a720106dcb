import type {
  AgentRecord,
  AttemptRecord,
  AttentionRecord,
  DeviceDetail,
  EmergencyStopRecord,
  InsightRecord,
  OptimizerDescription,
  OptimizerRecord,
  QueuePage,
  QueueRecord,
  ReservationRecord,
  ScheduleRecord,
  ServiceEvent,
  Trial,
  WhatIfRecord,
} from '@lab/contracts';
import { eventSchema } from '@lab/contracts';

/** Records of the color lab. */

export const deviceDetail: DeviceDetail = {
  lab_name: 'color_lab',
  name: 'station_1',
  type: 'color_station',
  computer: 'svc_computer',
  state: 'idle',
  detail: null,
  held_by: null,
  halted: null,
  out_of_service: null,
  doing: null,
  last_known: null,
  runtime: null,
  debugger: null,
  doubt: null,
  functions: [
    {
      name: 'mix',
      kind: 'effect',
      timeout_s: 900,
      description: 'Doses the pastes and stirs',
      parameters: {
        volumes: { type: 'dict', desc: 'Millilitres of each paste, by its name' },
        mixing_time: { type: 'float', unit: 's', min: 0, max: 600 },
        mixing_speed: { type: 'float', unit: 'rpm', min: 0, max: 1500 },
      },
    },
    { name: 'status', kind: 'query', timeout_s: 60, description: null, parameters: null },
  ],
};

const doubtful = {
  device: 'color_lab.station_1',
  function: 'mix',
  call_id: '0190c0de-0000-7000-8000-00000000000c',
};

export const attempt: AttemptRecord = {
  task_run_id: '0199c0de-7a1b-7000-8000-00000000000a',
  task: 'mix_colors',
  protocol_run: 'mix_1',
  id: '0190c0de-0000-7000-8000-00000000000a',
  number: 1,
  state: 'needs_attention',
  reason: {
    code: 'outcome_unknown',
    message: 'the agent ended while the task ran; what it did is not known',
  },
  computer: 'svc_computer',
  devices: { mixer: { lab_name: 'color_lab', name: 'station_1' } },
  calls: { effects: 1, last_confirmed: null, in_doubt: doubtful },
  runtime: { name: 'python', version: '3.11.2', environment: null },
  deadline_at: null,
  created_at: '2026-11-20T09:30:00.000Z',
  ended_at: null,
};

export const attentionItem: AttentionRecord = {
  id: '0190c0de-0000-7000-8000-00000000000b',
  kind: 'task',
  state: 'open',
  subject: 'mix_1/mix_colors',
  reason: {
    code: 'outcome_unknown',
    message: 'the agent ended while the task ran; what it did is not known',
  },
  actions: ['completed', 'failed', 'retry'],
  choices: [
    {
      action: 'completed',
      effect: 'the task is completed with the outputs that you give; its run goes on',
    },
    {
      action: 'failed',
      effect:
        'the task has failed and is not repeated; its run fails, or goes on without the task under the policy skip',
    },
    {
      action: 'retry',
      effect:
        'the task starts again from its beginning; look first whether what it has done may be done again',
    },
  ],
  look_at: ['color_lab.station_1 on svc_computer: was mix(...) done?'],
  protocol_run: 'mix_1',
  task: 'mix_colors',
  attempt: 1,
  device: null,
  computer: 'svc_computer',
  known: { in_doubt: doubtful },
  opened_at: '2026-11-20T09:31:00.000Z',
  resolved_at: null,
  resolution: null,
  claim: null,
};

export const emergencyStop: EmergencyStopRecord = {
  id: '0190c0de-0000-7000-8000-00000000000d',
  scope: 'lab:color_lab',
  reason: 'spill on the bench',
  by: 'ada',
  engaged_at: '2026-11-20T09:30:00.000Z',
  released_at: null,
  released_by: null,
};

export const agent: AgentRecord = {
  computer: 'bench_b',
  labs: ['color_lab'],
  state: 'suspect',
  reason: 'it has not been heard since 2026-11-20T09:31:00.000Z: nothing is sent to it until it is',
  incarnation: 3,
  version: '0.1.0',
  protocol: { min: 1, max: 2 },
  address: '192.0.2.11',
  last_heard_at: '2026-11-20T09:31:00.000Z',
  clock_offset_ms: 12,
  ledger: { writable: true, detail: null },
  drain: null,
  devices: [
    {
      lab: 'color_lab',
      name: 'station_1',
      state: 'busy',
      detail: 'computer bench_b has not been heard for a while',
    },
  ],
  tasks: ['mix_1/mix_colors'],
};

export const queue: QueueRecord = {
  paused: false,
  paused_by: null,
  paused_at: null,
  waiting: 5,
  drained_by: null,
  drained_at: null,
  queued: 3,
  running: 2,
};

export const queuePage: QueuePage = {
  ...queue,
  items: [
    {
      position: 1,
      id: '0199c0de-7a1b-7000-8000-00000000000b',
      label: 'mix_2/mix_colors',
      name: 'mix_colors',
      type: 'mix_colors',
      protocol_run: 'mix_2',
      campaign: null,
      owner: 'ada',
      state: 'queued',
      priority: 0,
      effective_priority: 1,
      waiting_since: '2026-11-20T09:19:00.000Z',
      waited: 662.5,
      planned_start: null,
      waits_for: [
        {
          code: 'device',
          slot: 'mixing_station',
          unit: 'color_lab.station_1',
          held_by: 'mix_1/mix_colors',
          until: '2026-11-20T09:31:00.000Z',
          message: 'color_lab.station_1 is in the hands of mix_1/mix_colors',
        },
      ],
    },
  ],
  next_cursor: null,
};

const mixDuration = { expected: 0.83, declared: 0.8, learned: 0.83, samples: 12 };

export const schedule: ScheduleRecord = {
  policy: 'cpsat',
  at: '2026-11-20T09:30:02.000Z',
  plan: {
    made_at: '2026-11-20T09:30:00.000Z',
    objective: 12.45,
    weighted_completion: 8.3,
    makespan: 4.15,
    lower_bound: 12.45,
    gap: 0,
    provenance: { engine: 'cp-sat', seed: 1, ms: 210, reproducible: true },
  },
  tasks: [
    {
      id: '0190c0de-0000-7000-8000-000000000011',
      label: 'mix_1/mix_colors',
      name: 'mix_colors',
      type: 'mix_colors',
      protocol_run: 'mix_1',
      campaign: null,
      priority: 0,
      state: 'running',
      planned_start: '2026-11-20T09:30:01.500Z',
      planned_end: '2026-11-20T09:30:02.330Z',
      first_plan: null,
      last_plan: null,
      started_at: '2026-11-20T09:30:01.500Z',
      ended_at: null,
      late_by_s: null,
      duration: mixDuration,
      devices: { station: 'color_lab.station_1' },
      resources: { beaker: 'beaker_1' },
      waits_for: [],
    },
    {
      id: '0190c0de-0000-7000-8000-000000000012',
      label: 'rinse_1',
      name: 'rinse_1',
      type: 'clean_container',
      protocol_run: null,
      campaign: null,
      priority: 0,
      state: 'queued',
      planned_start: '2026-11-20T09:30:04.150Z',
      planned_end: '2026-11-20T09:30:04.450Z',
      first_plan: null,
      last_plan: null,
      started_at: null,
      ended_at: null,
      late_by_s: null,
      duration: { expected: null, declared: null, learned: null, samples: 0 },
      devices: { cleaner: 'color_lab.cleaning_station' },
      resources: { beaker: 'beaker_1' },
      waits_for: [
        {
          code: 'resource',
          message: 'beaker_1 is kept by mix_1 until 2026-11-20T09:30:04.150Z',
          unit: 'beaker_1',
          held_by: 'mix_1',
          until: '2026-11-20T09:30:04.150Z',
        },
      ],
    },
  ],
  tasks_total: 2,
  truncated: false,
  units: [
    {
      kind: 'device',
      name: 'color_lab.station_1',
      usable: true,
      unusable_because: null,
      used_by: 'mix_1/mix_colors',
      held_by: 'mix_1',
      free_at: '2026-11-20T09:30:02.330Z',
      timeline: [
        {
          task: '0190c0de-0000-7000-8000-000000000011',
          label: 'mix_1/mix_colors',
          start: '2026-11-20T09:30:01.500Z',
          end: '2026-11-20T09:30:02.330Z',
          planned: false,
        },
      ],
    },
  ],
  protocol_runs: [
    {
      id: '0190c0de-0000-7000-8000-000000000010',
      name: 'mix_1',
      campaign: null,
      state: 'running',
      priority: 0,
      tasks_total: 7,
      tasks_ended: 1,
      estimated_completion: '2026-11-20T09:30:04.150Z',
    },
  ],
  campaigns: [],
};

export const trial: Trial = {
  number: 7,
  run: 'find_teal_run_7',
  source: 'ai',
  state: 'measured',
  inputs: { 'mix_colors.cyan_volume': 8.5, 'mix_colors.yellow_volume': 4 },
  outputs: { 'score_color.loss': 11.8 },
  additional: {},
  note: {
    journal: 'Less yellow, since run 5 was too green.',
    model: 'ollama:qwen3.5:9b',
    tokens: { input: 1840, output: 210 },
  },
};

export const insightRecord: InsightRecord = {
  id: '0199c0de-7a1b-7000-8000-000000000001',
  text: 'Yellow stains the beaker: stay below 12.',
  by: 'ada',
  at: '2026-11-20T09:30:00.000Z',
  used: false,
};

export const optimizerDescription: OptimizerDescription = {
  input_names: ['mix_colors.cyan_volume', 'mix_colors.yellow_volume'],
  output_names: ['score_color.loss'],
  additional_names: [],
  fields: [
    {
      key: 'p_ai',
      type: 'number',
      default: 0,
      runtime: true,
      min: 0,
      max: 1,
      description: 'Probability that a sampling call asks the AI.',
    },
  ],
  runtime_params: { p_bayesian: 1, p_ai: 0 },
  arguments: { num_initial_samples: 8, initial_sampling_method: 'SOBOL' },
};

export const optimizerRecord: OptimizerRecord = {
  ...optimizerDescription,
  campaign: 'find_teal',
  state: 'ready',
  reason: null,
  worker: '0199c0de-7a1b-7000-8000-000000000002',
  insights: [insightRecord],
  best: null,
  failure: null,
  runtime: null,
  pending: [],
  journal: [{ number: trial.number, run: trial.run, source: trial.source, note: trial.note }],
  belief: null,
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

export const taskCompleted: ServiceEvent = {
  id: 1841,
  type: 'task_run.completed',
  schema: eventSchema,
  aggregate: 'task_run/0190c0de-0000-7000-8000-000000000001',
  seq: 4,
  at: '2026-11-20T09:30:00.000Z',
  body: {
    id: '0190c0de-0000-7000-8000-000000000001',
    name: 'mix_colors',
    state: 'completed',
    reason: null,
    owner: 'ada',
    labs: ['color_lab'],
    type: 'mix_colors',
    protocol_run: 'mix_1',
    campaign: null,
    attempt: 1,
    cancel_requested: false,
    late_by_s: null,
  },
};

export const reservation: ReservationRecord = {
  id: 'reservation-1',
  lab: 'color_lab',
  device: 'robot_arm',
  resource: null,
  by: 'ada',
  reason: 'calibration',
  from: '2026-11-23T14:00:00.000Z',
  to: '2026-11-23T16:00:00.000Z',
  created_at: '2026-11-23T09:00:00.000Z',
};

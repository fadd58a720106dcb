import {
  errorCatalogue,
  type AgentRecord,
  type AttemptRecord,
  type AttentionRecord,
  type AttentionResolution,
  type DeviceDetail,
  type EmergencyStopRecord,
  type EmergencyStopRequest,
  type ErrorCode,
  type QueuePage,
  type QueueRecord,
  type ScheduleRecord,
} from '@lab/contracts';

/** Examples of the color lab. */

const mixParameters = {
  mix_colors: {
    cyan_volume: 2.5,
    magenta_volume: 1,
    yellow_volume: 0.5,
    black_volume: 0.2,
    white_volume: 4,
    mixing_time: 30,
    mixing_speed: 120,
  },
  score_color: { target_red: 60, target_green: 120, target_blue: 180 },
};

export const protocolRunSubmissions = {
  mix: {
    summary: 'One color',
    value: { name: 'mix_1', type: 'color_mixing', owner: 'ada', priority: 0, parameters: mixParameters },
  },
};

export const campaignSubmissions = {
  sweep: {
    summary: 'A sweep of two colors, both at once',
    value: {
      name: 'sweep',
      protocol: 'color_mixing',
      owner: 'ada',
      max_protocol_runs: 2,
      max_concurrent_protocol_runs: 2,
      optimize: false,
      global_parameters: mixParameters,
      protocol_run_parameters: [{ mix_colors: { cyan_volume: 1 } }, { mix_colors: { cyan_volume: 4 } }],
    },
  },
};

/** Who acts, where no token says it. */
export const operatorNotes = { note: { summary: 'Who does it', value: { by: 'ada' } } };

export const taskSubmissions = {
  score: {
    summary: 'Compare two colors; needs no device',
    value: {
      name: 'score_1',
      type: 'score_color',
      input_parameters: {
        red: 70,
        green: 110,
        blue: 170,
        target_red: 60,
        target_green: 120,
        target_blue: 180,
      },
      priority: 1,
      allocation_timeout: 600,
    },
  },
  clean: {
    summary: 'Clean one beaker in a device that is named',
    value: {
      name: 'rinse_1',
      type: 'clean_container',
      devices: { cleaner: { lab_name: 'color_lab', name: 'cleaning_station' } },
      input_resources: { beaker: 'beaker_1' },
    },
  },
};

export const rpcParameters = {
  none: { summary: 'station_1.status: no parameters', value: {} },
  move: {
    summary: 'robot_arm.move: named parameters',
    value: { container: 'beaker_1', from: 'shelf', to: 'station_1' },
  },
};

export const deviceDetail: DeviceDetail = {
  lab_name: 'color_lab',
  name: 'station_1',
  type: 'color_station',
  computer: 'svc_computer',
  state: 'idle',
  detail: null,
  held_by: null,
  halted: null,
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
  protocol_run: 'mix_1',
  task: 'mix_colors',
  attempt: 1,
  device: null,
  computer: 'svc_computer',
  known: { in_doubt: doubtful },
  opened_at: '2026-11-20T09:31:00.000Z',
  resolved_at: null,
  resolution: null,
};

export const attentionResolutions = {
  retry: {
    summary: 'Try a task again',
    value: {
      action: 'retry',
      by: 'ada',
      note: 'the beaker is clean and empty',
    } satisfies AttentionResolution,
  },
  completed: {
    summary: 'Declare a task completed',
    value: {
      action: 'completed',
      by: 'ada',
      note: 'measured by hand',
      output_parameters: { red: 61, green: 118, blue: 182 },
    } satisfies AttentionResolution,
  },
  idle: {
    summary: 'Declare a device idle',
    value: { action: 'idle', by: 'ada', note: 'it stands still' } satisfies AttentionResolution,
  },
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

export const emergencyStopRequests = {
  all: { summary: 'Everything', value: { by: 'ada' } satisfies EmergencyStopRequest },
  device: {
    summary: 'One device',
    value: {
      lab_name: 'color_lab',
      device_name: 'robot_arm',
      reason: 'spill on the bench',
      by: 'ada',
    } satisfies EmergencyStopRequest,
  },
};

export const agent: AgentRecord = {
  computer: 'bench_b',
  labs: ['color_lab'],
  state: 'suspect',
  reason: 'it has not been heard since 2026-11-20T09:31:00.000Z: nothing is sent to it until it is',
  incarnation: 3,
  version: '0.1.0',
  address: '192.0.2.11',
  last_heard_at: '2026-11-20T09:31:00.000Z',
  clock_offset_ms: 12,
  ledger: { writable: true, detail: null },
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

export const queue: QueueRecord = { paused: false, paused_by: null, paused_at: null, queued: 3, running: 2 };

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

/** What a problem of this code looks like. */
export function problem(code: ErrorCode): object {
  const { status, title } = errorCatalogue[code];
  return {
    type: `urn:svc:error:${code}`,
    title,
    status,
    detail: `${title}.`,
    code,
    ...(code === 'invalid'
      ? {
          errors: [
            {
              path: 'parameters.mix_colors.cyan_volume',
              code: 'out_of_range',
              message: 'must be at most 10',
              hint: 'A number from 0 to 10.',
            },
          ],
        }
      : {}),
  };
}

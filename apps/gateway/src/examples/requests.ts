import type {
  AttentionClaimRequest,
  AttentionResolution,
  EmergencyStopRequest,
  InvitationSubmission,
  PackageActivation,
  RevocationSubmission,
  SimulationScenario,
  TokenExchange,
  TokenSubmission,
  WebhookSubmission,
} from '@lab/contracts';

/** Examples of the bodies of requests, of the color lab. The document derives examples of answers from their schemas. */

type Examples<Body = unknown> = Record<string, { summary: string; value: Body }>;

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

export const attentionClaims: Examples<AttentionClaimRequest> = {
  claim: { summary: 'Claim it, or renew the claim', value: { by: 'ada' } },
  take_over: { summary: 'Take it over from another person', value: { by: 'ada', take_over: true } },
};

export const attentionResolutions: Examples<AttentionResolution> = {
  retry: {
    summary: 'Try a task again',
    value: {
      action: 'retry',
      by: 'ada',
      note: 'the beaker is clean and empty',
    },
  },
  completed: {
    summary: 'Declare a task completed',
    value: {
      action: 'completed',
      by: 'ada',
      note: 'measured by hand',
      output_parameters: { red: 61, green: 118, blue: 182 },
    },
  },
  idle: {
    summary: 'Declare a device idle',
    value: { action: 'idle', by: 'ada', note: 'it stands still' },
  },
};

export const emergencyStopRequests: Examples<EmergencyStopRequest> = {
  all: { summary: 'Everything', value: { by: 'ada' } },
  device: {
    summary: 'One device',
    value: {
      lab_name: 'color_lab',
      device_name: 'robot_arm',
      reason: 'spill on the bench',
      by: 'ada',
    },
  },
};

export const simulationScenarios: Examples<SimulationScenario> = {
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

const one = <T>(summary: string, value: T) => ({ example: { summary, value } });

export const labSelections = one('One laboratory', { lab_types: ['color_lab'] });

export const protocolSelections = one('One protocol', { protocol_types: ['color_mixing'] });

export const protocolTexts = one('A misspelt task type', {
  protocol_yaml: [
    'type: mix_once',
    'desc: One color',
    'labs: [color_lab]',
    'tasks:',
    '  - name: mix',
    '    type: mix_colours',
  ].join('\n'),
});

export const tokenExchanges: Examples<TokenExchange> = {
  github: {
    summary: 'A pipeline at GitHub Actions',
    value: {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: 'eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJodHRwczovL3Rva2VuLmFjdGlvbnMifQ.c2lnbmF0dXJl',
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    },
  },
};

export const tokenSubmissions: Examples<TokenSubmission> = {
  personal: {
    summary: 'Of a person, for 30 days',
    value: {
      name: 'ada',
      grants: [{ role: 'submitter' }, { role: 'operator', lab: 'color_lab' }],
      note: 'notebook on the bench',
      expires_in_days: 30,
    },
  },
  service: {
    summary: 'Of a program that reads for years',
    value: { name: 'dashboard', kind: 'service', grants: [{ role: 'viewer' }] },
  },
};

export const invitationSubmissions: Examples<InvitationSubmission> = {
  one: {
    summary: 'One computer, within an hour',
    value: { computer: 'bench_b', lab: 'color_lab', expires_in_s: 3_600 },
  },
  many: {
    summary: 'Computers that are made from one image, each to be approved',
    value: { computer: 'bench_*', uses: 20, approval: true, expires_in_s: 86_400 },
  },
};

export const revocationSubmissions: Examples<RevocationSubmission> = {
  replaced: { summary: 'The computer was replaced', value: { reason: 'the PC was replaced' } },
};

export const webhookSubmissions: Examples<WebhookSubmission> = {
  some: {
    summary: 'What needs a person, and campaigns that are done',
    value: {
      url: 'https://receiver.example.org/lab',
      description: 'chat of the group',
      filters: { type: 'attention,campaign.completed' },
    },
  },
  results: {
    summary: 'Protocol runs that are done, with their outputs',
    value: {
      url: 'https://receiver.example.org/lab',
      filters: { type: 'protocol_run.completed' },
      include: ['meta', 'outputs'],
    },
  },
  all: {
    summary: 'Everything, from the oldest event on',
    value: { url: 'https://receiver.example.org/lab', from: 0 },
  },
};

export const packageActivations: Examples<PackageActivation> = {
  first: {
    summary: 'The first version',
    value: {
      sha256: '95a71b8f19adb3067a59082239af186483731bbc755ecb0c235237f5d3dd1c66',
      expect: 'none',
    },
  },
  next: {
    summary: 'The next version, when the running work has ended',
    value: {
      sha256: '4355a46b19d348dc2f57c046f8ef63d4538ebb936000f3c9ee954a27460dd865',
      expect: '95a71b8f19adb3067a59082239af186483731bbc755ecb0c235237f5d3dd1c66',
      drain: true,
      commit: '9fceb02d0ae598e95dc970b74767f19372d61af8',
      author: 'ada@example.org',
    },
  },
  folder: {
    summary: 'The package in the folder of packages again',
    value: {
      sha256: 'folder',
      expect: '4355a46b19d348dc2f57c046f8ef63d4538ebb936000f3c9ee954a27460dd865',
    },
  },
};

export const parameterTable = [
  'mix_colors.cyan_volume,mix_colors.white_volume,score_color.target_red',
  '1.5,6,47',
  '2.25,,47',
  '',
].join('\r\n');

export const resultTable = [
  'number,run,state,source,started_at,ended_at,mix_colors.cyan_volume,score_color.loss,reason,reason_message',
  '1,sweep_run_1,completed,given,2026-11-20T09:30:00.250Z,2026-11-20T09:31:10.125Z,1.5,12.625,,',
  '2,sweep_run_2,failed,given,2026-11-20T09:31:10.500Z,2026-11-20T09:31:12.750Z,2.25,,task_failed,the task mix_colors failed',
  '',
].join('\r\n');

import { errorCatalogue, type DeviceDetail, type ErrorCode } from '@lab/contracts';

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

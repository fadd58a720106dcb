import type { ParameterRows } from '@lab/contracts';

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

export const parameterRows: ParameterRows = {
  protocol_run_parameters: [
    { mix_colors: { cyan_volume: 1.5, white_volume: 6 }, score_color: { target_red: 47 } },
    { mix_colors: { cyan_volume: 2.25 }, score_color: { target_red: 47 } },
  ],
};

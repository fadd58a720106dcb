import { parameterTable, type ParameterRows } from '@lab/contracts';
import { csvMediaType } from '../http/index.js';
import { mostColumns, mostRows } from '../csv/index.js';
import { inPath, json, type Description } from './description.js';

const parameters = [
  'mix_colors.cyan_volume,mix_colors.white_volume,score_color.target_red',
  '1.5,6,47',
  '2.25,,47',
  '',
].join('\r\n');

const results = [
  'number,run,state,source,started_at,ended_at,mix_colors.cyan_volume,score_color.loss,reason,reason_message',
  '1,sweep_run_1,completed,given,2026-11-20T09:30:00.250Z,2026-11-20T09:31:10.125Z,1.5,12.625,,',
  '2,sweep_run_2,failed,given,2026-11-20T09:31:10.500Z,2026-11-20T09:31:12.750Z,2.25,,task_failed,the task mix_colors failed',
  '',
].join('\r\n');

const rows: ParameterRows = {
  protocol_run_parameters: [
    { mix_colors: { cyan_volume: 1.5, white_volume: 6 }, score_color: { target_red: 47 } },
    { mix_colors: { cyan_volume: 2.25 }, score_color: { target_red: 47 } },
  ],
};

const cells =
  'Numbers are as precise as they are kept. A list or an object is JSON. Text that a spreadsheet would take for a formula or a number stands in quotation marks, as a string of JSON.';

const campaignName = inPath('campaign_name', 'Name of the campaign.', 'sweep');

function table(summary: string, description: string, example: string, name: string): Description {
  return {
    tag: 'Campaigns',
    summary,
    description: `${description} ${cells}`,
    parameters: [campaignName],
    success: {
      status: 200,
      description:
        'UTF-8 with a header, as RFC 4180 has it. What breaks off has no end of its transfer encoding.',
      content: { [csvMediaType]: { schema: { type: 'string' }, example } },
      headers: {
        'Content-Disposition': {
          description: 'The name to save it under.',
          schema: { type: 'string' },
          example: `attachment; filename="${name}"`,
        },
      },
    },
    problems: ['not_found', 'invalid', 'store_unavailable'],
  };
}

/** Operations on tables for spreadsheets, by method and path. */
export const csvOperations: Record<string, Description> = {
  'GET /api/campaigns/{campaign_name}/runs.csv': table(
    'Get the runs of a campaign as a table',
    'A row for each run that has begun, by number: what became of it, where its parameters came from, its parameters and outputs as `TASK.NAME`, and why it failed. Outputs that are lists or objects are left out. An output with the name of a parameter has ` (output)` behind it. Each row is as its run is when it is sent.',
    results,
    'sweep_runs.csv',
  ),
  'GET /api/campaigns/{campaign_name}/parameters.csv': table(
    'Get the parameters of a campaign as a table',
    'A row for each run by number, with the parameters that it got, or will get as far as they are known; to be changed and given back to `/api/protocols/{protocol}/parameters`.',
    parameters,
    'sweep_parameters.csv',
  ),
  'POST /api/protocols/{protocol}/parameters': {
    tag: 'Campaigns',
    summary: 'Read a table of parameters',
    description: `What it says, for \`protocol_run_parameters\` of a campaign of this protocol; nothing is stored. The header names columns \`TASK.PARAMETER\`; each row is a run; an empty cell is a value that is not given. Values are read and checked as the task types say. Between cells stand commas, or semicolons, and then a number may have a decimal comma. At most ${mostRows} rows and ${mostColumns} columns. ${cells}`,
    parameters: [inPath('protocol', 'Type name of a loaded protocol.', 'color_mixing')],
    body: {
      mediaType: csvMediaType,
      schema: { type: 'string' },
      required: true,
      examples: {
        commas: { summary: 'Two runs', value: parameters },
        semicolons: {
          summary: 'As a spreadsheet with a decimal comma saves it',
          value: 'mix_colors.cyan_volume;mix_colors.white_volume\r\n1,5;6\r\n2,25;\r\n',
        },
      },
    },
    success: { status: 200, description: 'The rows.', content: json(parameterTable.schema, rows) },
    problems: [
      'payload_too_large',
      'unsupported_media_type',
      'invalid',
      'not_found',
      'wrong_state',
      'service_unavailable',
      'disconnected',
      'deadline_exceeded',
    ],
  },
};

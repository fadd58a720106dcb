import { Readable } from 'node:stream';
import { Controller, Get, Logger, Req, Res } from '@nestjs/common';
import {
  longestPage,
  parameterTable,
  type CampaignRecord,
  type EffectRecord,
  type Fault,
  type LabRights,
  type ListRequest,
  type ParameterRows,
  type Portion,
} from '@lab/contracts';
import type { CampaignExtent, CampaignRun } from '@lab/persistence';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { anyLab, Needs, Rights } from '../access/index.js';
import { LoadedProtocols } from '../definitions/index.js';
import { parameterTable as parameterExample, resultTable as resultExample } from '../examples/index.js';
import { attachment } from '../files/index.js';
import { csvMediaType, TakesCsv } from '../http/index.js';
import { EachTime } from '../idempotency/index.js';
import { filterParameters, readFilters } from '../lists/index.js';
import { found } from '../lookup/index.js';
import { RecordReader } from '../ports/index.js';
import {
  Action,
  type Answer,
  Body,
  CampaignName,
  fromOrchestrator,
  FromQuery,
  Group,
  invalidQuery,
  json,
  Operation,
  pathName,
} from '../routes/index.js';
import { comingParameters, parameterTable as parameterTableOf, resultTable } from './campaign-tables.js';
import { effectTable } from './effect-table.js';
import { mostColumns, mostRows, readParameterRows } from './parameter-rows.js';

/** Maximum number of runs in memory. */
const runsAtOnce = 200;

/** A parameter of a handler: the filters of the list of calls. */
const EffectFilters = (): ParameterDecorator =>
  FromQuery(filterParameters('effects'), (given): ListRequest['filters'] => {
    const faults: Fault[] = [];
    const filters = readFilters('effects', given, faults);
    if (faults.length > 0) throw invalidQuery(faults);
    return filters;
  });

const cells =
  'Numbers have their stored precision. A list or an object is JSON. Text that a spreadsheet would take for a formula or a number stands in quotation marks, as a JSON string.';
const table = (example: string, name: string): Answer => ({
  description:
    'UTF-8 with a header row, as RFC 4180 says. A table that breaks off lacks the end of its transfer encoding.',
  content: { [csvMediaType]: { schema: { type: 'string' }, example } },
  headers: {
    'Content-Disposition': {
      description: 'The name to save the table under.',
      schema: { type: 'string' },
      example: `attachment; filename="${name}"`,
    },
  },
});
/** Campaigns and calls of devices as tables for spreadsheets. */
@Group('Campaigns')
@Needs('viewer', { of: 'campaign' })
@Controller('api')
export class CsvController {
  readonly #log = new Logger('tables');

  constructor(
    private readonly protocols: LoadedProtocols,
    private readonly records: RecordReader,
  ) {}

  @Operation('Get the runs of a campaign as a table', table(resultExample, 'sweep_runs.csv'), {
    description: `One row for each run that has begun, by number: its result, the source of its parameters, its parameters and outputs as \`TASK.NAME\`, and the reason of a failure. The table leaves out outputs that are lists or objects. An output with the name of a parameter gets the suffix \` (output)\`. Each row shows the run at the time when the row is sent. ${cells}`,
  })
  @Get('campaigns/:campaign_name/runs.csv')
  async results(
    @CampaignName() name: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { campaign, extent } = await this.#campaign(name);
    const results = resultTable(extent.protocols);
    const rows = async function* (runs: AsyncIterable<CampaignRun[]>) {
      yield results.header();
      for await (const page of runs) yield page.map((run) => results.row(run)).join('');
    };
    await this.#send(`${campaign.name}_runs.csv`, rows(this.#runs(campaign, extent)), request, reply);
  }

  @Operation('Get the parameters of a campaign as a table', table(parameterExample, 'sweep_parameters.csv'), {
    description: `One row for each run by number, with the parameters that it got, or will get as far as they are known. Edit the table and send it to \`/api/protocols/{protocol}/parameters\`. ${cells}`,
  })
  @Get('campaigns/:campaign_name/parameters.csv')
  async parameters(
    @CampaignName() name: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { campaign, extent } = await this.#campaign(name);
    const parameters = parameterTableOf(extent.protocols);
    const rows = async function* (runs: AsyncIterable<CampaignRun[]>) {
      yield parameters.header();
      let begun = 0;
      for await (const page of runs) {
        begun = page.at(-1)?.number ?? begun;
        yield page.map((run) => parameters.row(run)).join('');
      }
      for (const coming of comingParameters(campaign, begun)) yield parameters.row(coming);
    };
    await this.#send(`${campaign.name}_parameters.csv`, rows(this.#runs(campaign, extent)), request, reply);
  }

  @Needs('viewer')
  @Operation('Get the calls of devices as a table', table(effectTable().header(), 'effects.csv'), {
    tag: 'Devices',
    description: `One row for each recorded call, latest first, with the filters of \`/api/effects\`. ${cells}`,
  })
  @Get('effects.csv')
  async effects(
    @EffectFilters() filters: ListRequest['filters'],
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const results = effectTable();
    const pages = this.#effects(filters);
    const rows = async function* () {
      yield results.header();
      for await (const page of pages) yield page.map((effect) => results.row(effect)).join('');
    };
    await this.#send('effects.csv', rows(), request, reply);
  }

  @Needs('submitter', { lab: anyLab })
  @EachTime()
  @TakesCsv()
  @Operation(
    'Read a table of parameters',
    { description: 'The rows.', content: json(parameterTable.schema) },
    {
      description: `Turns the table into \`protocol_run_parameters\` for a campaign of this protocol, and stores nothing. The header row names columns \`TASK.PARAMETER\`. Each row is a run. An empty cell is a value that is not given. The service reads and checks values as the task types declare them. Cells are separated by commas, or by semicolons; with semicolons a number may have a decimal comma. At most ${mostRows} rows and ${mostColumns} columns. ${cells}`,
      problems: ['wrong_state', ...fromOrchestrator],
    },
  )
  @Action('protocols/:protocol/parameters')
  async read(
    @(pathName('protocol', 'protocol', {
      description: 'Type name of a loaded protocol.',
      example: 'color_mixing',
    })())
    name: string,
    @Body(
      {
        mediaType: csvMediaType,
        schema: { type: 'string' },
        required: true,
        examples: {
          commas: { summary: 'Two runs', value: parameterExample },
          semicolons: {
            summary: 'As a spreadsheet with a decimal comma saves it',
            value: 'mix_colors.cyan_volume;mix_colors.white_volume\r\n1,5;6\r\n2,25;\r\n',
          },
        },
      },
      (body) => (Buffer.isBuffer(body) ? body : Buffer.alloc(0)),
    )
    table: Buffer,
    @Rights() rights: LabRights,
  ): Promise<ParameterRows> {
    const protocol = await this.protocols.withOpenTasks(name, rights);
    return { protocol_run_parameters: await readParameterRows(table, protocol) };
  }

  /** Reads the calls page by page. A call that arrives meanwhile may be left out; none comes twice. */
  async *#effects(filters: ListRequest['filters']): AsyncGenerator<EffectRecord[]> {
    for (let after: ListRequest['after'] = null; ;) {
      const asked: ListRequest = { limit: longestPage, sort: 'began_at', descending: true, filters, after };
      const { items, end }: Portion<EffectRecord> = await this.records.list('effects', asked);
      yield items;
      if (end === null) return;
      after = end;
    }
  }

  async #campaign(name: string): Promise<{ campaign: CampaignRecord; extent: CampaignExtent }> {
    const campaign = found(await this.records.campaign(name), 'campaign', name);
    return { campaign, extent: await this.records.campaignExtent(campaign) };
  }

  /** Reads the runs page by page. Each run is as it is when its page is read. */
  async *#runs({ id }: CampaignRecord, { last }: CampaignExtent): AsyncGenerator<CampaignRun[]> {
    let after: string | null = null;
    while (last !== null && after !== last) {
      const page: CampaignRun[] = await this.records.campaignRuns(id, {
        after,
        upTo: last,
        limit: runsAtOnce,
      });
      if (page.length > 0) yield page;
      after = page.at(-1)?.id ?? last;
    }
  }

  async #send(
    name: string,
    rows: AsyncGenerator<string>,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    reply
      .type(`${csvMediaType}; charset=utf-8; header=present`)
      .header('content-disposition', attachment(name));
    if (request.method === 'HEAD') {
      await reply.send(Readable.from([]));
      return;
    }
    const table = Readable.from(rows, { objectMode: false });
    table.once('error', (error) => {
      // A client that disconnects is no defect.
      if (!request.raw.destroyed) this.#log.error(`the table ${name} broke off: ${error.message}`);
    });
    await reply.send(table);
  }
}

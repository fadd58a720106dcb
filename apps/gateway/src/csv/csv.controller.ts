import { Readable } from 'node:stream';
import { Body, Controller, Get, HttpCode, Logger, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { CampaignRecord, ParameterRows } from '@lab/contracts';
import type { CampaignExtent, CampaignRun } from '@lab/persistence';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Needs } from '../access/index.js';
import { LoadedProtocols } from '../definitions/index.js';
import { attachment } from '../files/index.js';
import { lookupName, readQuery } from '../routes/index.js';
import { EachTime } from '../idempotency/index.js';
import { RecordReader } from '../ports/index.js';
import { found } from '../lookup/index.js';
import { comingParameters, parameterTable, resultTable } from './campaign-tables.js';
import { csvMediaType, TakesCsv } from '../http/index.js';
import { readParameterRows } from './parameter-rows.js';

/** Runs that are in memory at once. */
const runsAtOnce = 200;

/** Campaigns as tables for spreadsheets: parameters that go in, and what came out. */
@Needs('viewer', { of: 'campaign' })
@Controller('api')
export class CsvController {
  readonly #log = new Logger('tables');

  constructor(
    private readonly protocols: LoadedProtocols,
    private readonly records: RecordReader,
  ) {}

  @Get('campaigns/:campaign_name/runs.csv')
  async results(
    @Param('campaign_name') given: string,
    @Query() query: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { campaign, extent } = await this.#campaign(given, query);
    const table = resultTable(extent.protocols);
    const rows = async function* (runs: AsyncIterable<CampaignRun[]>) {
      yield table.header();
      for await (const page of runs) yield page.map((run) => table.row(run)).join('');
    };
    await this.#send(`${campaign.name}_runs.csv`, rows(this.#runs(campaign, extent)), request, reply);
  }

  @Get('campaigns/:campaign_name/parameters.csv')
  async parameters(
    @Param('campaign_name') given: string,
    @Query() query: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { campaign, extent } = await this.#campaign(given, query);
    const table = parameterTable(extent.protocols);
    const rows = async function* (runs: AsyncIterable<CampaignRun[]>) {
      yield table.header();
      let begun = 0;
      for await (const page of runs) {
        begun = page.at(-1)?.number ?? begun;
        yield page.map((run) => table.row(run)).join('');
      }
      for (const coming of comingParameters(campaign, begun)) yield table.row(coming);
    };
    await this.#send(`${campaign.name}_parameters.csv`, rows(this.#runs(campaign, extent)), request, reply);
  }

  @Needs('submitter')
  @EachTime()
  @TakesCsv()
  @Post('protocols/:protocol/parameters')
  @HttpCode(200)
  async read(
    @Param('protocol') given: string,
    @Body() body: unknown,
    @Query() query: unknown,
  ): Promise<ParameterRows> {
    readQuery(query, []);
    const protocol = await this.protocols.withOpenTasks(lookupName(given, 'protocol'));
    const rows = await readParameterRows(Buffer.isBuffer(body) ? body : Buffer.alloc(0), protocol);
    return { protocol_run_parameters: rows };
  }

  async #campaign(
    given: string,
    query: unknown,
  ): Promise<{ campaign: CampaignRecord; extent: CampaignExtent }> {
    readQuery(query, []);
    const name = lookupName(given, 'campaign');
    const campaign = found(await this.records.campaign(name), 'campaign', name);
    return { campaign, extent: await this.records.campaignExtent(campaign) };
  }

  /** The runs that there are, some at a time; each as it is when it is read. */
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
      // Whoever leaves in the middle is no trouble of ours.
      if (!request.raw.destroyed) this.#log.error(`the table ${name} broke off: ${error.message}`);
    });
    await reply.send(table);
  }
}

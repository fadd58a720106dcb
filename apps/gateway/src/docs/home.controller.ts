import { readFileSync } from 'node:fs';
import { Controller, Get, Req, Res } from '@nestjs/common';
import {
  allLabs,
  longestPage,
  orchestratorRequests,
  type RunningRelease,
  type ServiceSummary,
  type WorkAtAGlance,
} from '@lab/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hasRole, NeedsNothing } from '../access/index.js';
import { Readiness } from '../health/index.js';
import { readListQuery } from '../lists/index.js';
import { Orchestrator } from '../orchestrator/index.js';
import { PageFiles, sendPage } from '../page/index.js';
import { RecordReader } from '../ports/index.js';
import { Group, Operation, record } from '../routes/index.js';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

const links = { api: '/docs', guide: '/guide/README.md', health: '/health/ready', metrics: '/metrics' };

const summary = record('ServiceSummary', 'What the service is, how it is, and where to go on.');
const answer = {
  ...summary,
  content: { ...summary.content, 'text/html': { schema: { type: 'string' } } },
};

/** The address that the service prints when it is ready: the page for a browser, a summary for a program. */
@Group('Service')
@NeedsNothing()
@Controller()
export class HomeController {
  constructor(
    private readonly readiness: Readiness,
    private readonly orchestrator: Orchestrator,
    private readonly records: RecordReader,
    private readonly page: PageFiles,
  ) {}

  @Operation('Read what the service is and how it is', answer, {
    description:
      'The web page for a client that accepts `text/html`, else JSON. The status is 200 also when a part of the service is unavailable. Only a caller with the role `viewer` for all laboratories sees how much work there is, and which releases and tables the service has.',
    problems: [],
  })
  @Get()
  async read(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { html } = this.page;
    if (html !== undefined && request.headers.accept?.includes('text/html') === true) {
      await sendPage(reply, html);
      return;
    }
    const health = await this.readiness.look();
    const { principal } = request;
    const maySeeWork = principal !== null && hasRole(principal, 'viewer');
    const [work, release] =
      maySeeWork && health.status !== 'unavailable'
        ? await Promise.all([this.#work(), this.#release()])
        : [null, null];
    const name = 'Laboratory orchestration service';
    const found: ServiceSummary = { name, version, health, work, release, links };
    await reply.type('application/json; charset=utf-8').send(found);
  }

  /** Null as of {@link #work}. */
  async #release(): Promise<RunningRelease | null> {
    try {
      const [{ version: orchestrator }, schema] = await Promise.all([
        this.readiness.leader(),
        this.records.schema(),
      ]);
      return { orchestrator, schema };
    } catch {
      return null;
    }
  }

  /** Null when a part of the service fails between the check of its health and this question. */
  async #work(): Promise<WorkAtAGlance | null> {
    const open = readListQuery('attention', { state: 'open', limit: String(longestPage) })();
    const shortest = { rights: allLabs, limit: 1, descending: false, after: null };
    try {
      const [{ queue }, { items }] = await Promise.all([
        this.orchestrator.ask(orchestratorRequests.readQueue, shortest),
        this.records.list('attention', open),
      ]);
      return { waiting: queue.waiting, running: queue.running, open_questions: items.length };
    } catch {
      return null;
    }
  }
}

import { Controller, Get, Res } from '@nestjs/common';
import type { HealthReport } from '@lab/contracts';
import type { FastifyReply } from 'fastify';
import { NeedsNothing } from '../access/index.js';
import { Group, json, Operation, record, ref } from '../routes/index.js';
import { Readiness } from './readiness.js';

const ok = { status: 'ok' };
const notReady = {
  status: 'unavailable',
  epoch: 3,
  parts: {
    gateway: ok,
    broker: ok,
    database: { status: 'unavailable', detail: 'The database does not answer.' },
    orchestrator: ok,
    agents: ok,
    packages: ok,
  },
};
const ready = record('HealthReport', 'The service can serve requests.');
const readiness = {
  description:
    'The service asks every part that requests need at this moment. The status is also 200 when a part does less than it should (`degraded`), for example when a computer has no agent.',
  /** Beside the problem, a 503 may have the report with the missing part. */
  problemContent: { 503: json(ref('HealthReport'), notReady) },
  problems: [],
};
const live = {
  description: 'It does.',
  content: json({
    type: 'object',
    properties: { status: { type: 'string', enum: ['ok'] } },
    required: ['status'],
    additionalProperties: false,
  }),
};

/** For monitoring: whether this process answers, and whether the whole service can do its work. */
@Group('Service')
@NeedsNothing()
@Controller()
export class HealthController {
  constructor(private readonly readiness: Readiness) {}

  @Operation('Check whether the gateway answers', live, { problems: [] })
  @Get('health/live')
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  @Operation('Check whether the service can do its work', ready, readiness)
  @Get('health/ready')
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<HealthReport> {
    const report = await this.readiness.look();
    reply.code(report.status === 'unavailable' ? 503 : 200);
    return report;
  }

  @Operation('The same as /health/ready', ready, readiness)
  @Get('api/health')
  health(@Res({ passthrough: true }) reply: FastifyReply): Promise<HealthReport> {
    return this.ready(reply);
  }
}

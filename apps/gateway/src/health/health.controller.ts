import { Controller, Get, Query, Res } from '@nestjs/common';
import type { HealthReport } from '@lab/contracts';
import type { FastifyReply } from 'fastify';
import { NeedsNothing } from '../access/index.js';
import { readQuery } from '../routes/index.js';
import { Readiness } from './readiness.js';

/** For those who watch the service: whether this process answers, and whether the whole can do its work. */
@NeedsNothing()
@Controller()
export class HealthController {
  constructor(private readonly readiness: Readiness) {}

  @Get('health/live')
  live(@Query() query: unknown): { status: 'ok' } {
    readQuery(query, []);
    return { status: 'ok' };
  }

  @Get('health/ready')
  async ready(
    @Query() query: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<HealthReport> {
    readQuery(query, []);
    const report = await this.readiness.look();
    reply.code(report.status === 'unavailable' ? 503 : 200);
    return report;
  }

  /** The same under the path that it had before there were two questions. */
  @Get('api/health')
  health(@Query() query: unknown, @Res({ passthrough: true }) reply: FastifyReply): Promise<HealthReport> {
    return this.ready(query, reply);
  }
}

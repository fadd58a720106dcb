import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { NeedsNothing, noToken, requireRole } from '../access/index.js';
import { readQuery } from '../routes/index.js';
import { exposition, expositionType } from './exposition.js';
import { Measurements } from './measurements.js';

/** Whether everybody may read what is measured, as what collects it may know no tokens. */
export abstract class MetricsAccess {
  abstract readonly open: boolean;
}

/** What all processes of the service have measured, for Prometheus. */
@Controller()
export class MetricsController {
  constructor(
    private readonly measurements: Measurements,
    private readonly access: MetricsAccess,
  ) {}

  /** Open to everybody by a setting, so the role is asked for here. */
  @NeedsNothing()
  @Get('metrics')
  async read(
    @Query() query: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    if (!this.access.open) {
      if (request.principal === null) throw noToken();
      requireRole(request.principal, { role: 'viewer' }, request);
    }
    readQuery(query, []);
    await reply.type(expositionType).send(exposition(this.measurements.all()));
  }
}

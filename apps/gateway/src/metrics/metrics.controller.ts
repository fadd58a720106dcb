import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { NeedsNothing, noToken, requireRole } from '../access/index.js';
import { Group, Operation } from '../routes/index.js';
import { exposition, expositionType } from './exposition.js';
import { Measurements } from './measurements.js';

/** Whether everybody may read the metrics: a collector may have no token. */
export abstract class MetricsAccess {
  abstract readonly open: boolean;
}

const example = `# HELP svc_queue_length Task runs that wait for what they need.
# TYPE svc_queue_length gauge
svc_queue_length{service="orchestrator",instance="3f2a"} 2
`;

/** Metrics of all processes of the service, for Prometheus. */
@Group('Service')
@Controller()
export class MetricsController {
  constructor(
    private readonly measurements: Measurements,
    private readonly access: MetricsAccess,
  ) {}

  /** A setting can open the route to everybody, so the handler itself asks for the role. */
  @NeedsNothing()
  @Operation(
    'Read the metrics of all processes, for Prometheus',
    {
      description:
        'Metrics of the gateway as they are now, and of other processes as reported within the last 5 seconds.',
      content: { 'text/plain': { schema: { type: 'string' }, example } },
    },
    {
      description: 'Text format 0.0.4. With `metrics.open` in the configuration, no token is needed.',
      problems: [],
    },
  )
  @Get('metrics')
  async read(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    if (!this.access.open) {
      if (request.principal === null) throw noToken();
      requireRole(request.principal, { role: 'viewer' }, request);
    }
    await reply.type(expositionType).send(exposition(this.measurements.all()));
  }
}

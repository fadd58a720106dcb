import { Controller, Get, Res } from '@nestjs/common';
import { isServiceError, serviceRequests } from '@lab/contracts';
import type { FastifyReply } from 'fastify';
import { NeedsNothing } from '../access/needs.js';
import { BrokerStatus, RecordReader, Requests } from '../ports.js';

export interface PartHealth {
  status: 'ok' | 'degraded' | 'unavailable';
  detail?: string;
}

export interface HealthReport {
  status: 'ok' | 'unavailable';
  parts: Record<'gateway' | 'broker' | 'database' | 'orchestrator', PartHealth>;
}

/** How long a part may take to answer, in milliseconds. */
const patienceMs = 1_000;

/** Whether the service can do its work: the parts that every request needs, each asked at this moment. */
@NeedsNothing()
@Controller('api/health')
export class HealthController {
  constructor(
    private readonly requests: Requests,
    private readonly broker: BrokerStatus,
    private readonly records: RecordReader,
  ) {}

  @Get()
  async read(@Res({ passthrough: true }) reply: FastifyReply): Promise<HealthReport> {
    const [database, orchestrator] = await Promise.all([this.database(), this.orchestrator()]);
    const broker: PartHealth = this.broker.connected
      ? { status: 'ok' }
      : { status: 'unavailable', detail: 'not connected' };
    const parts = { gateway: { status: 'ok' as const }, broker, database, orchestrator };
    const status = Object.values(parts).some((part) => part.status === 'unavailable') ? 'unavailable' : 'ok';
    reply.code(status === 'ok' ? 200 : 503);
    return { status, parts };
  }

  private async database(): Promise<PartHealth> {
    // No run can have this name: the cheapest question that reaches the database.
    return this.part(this.records.protocolRun('').then(() => ({ status: 'ok' as const })));
  }

  private async orchestrator(): Promise<PartHealth> {
    return this.part(
      this.requests
        .call(serviceRequests.health, { service: 'orchestrator' }, {}, { timeoutMs: patienceMs })
        .then(({ status, detail }) => ({ status, ...(detail === undefined ? {} : { detail }) })),
    );
  }

  private async part(answer: Promise<PartHealth>): Promise<PartHealth> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<PartHealth>((resolve) => {
      timer = setTimeout(
        () => resolve({ status: 'unavailable', detail: `no answer within ${patienceMs} ms` }),
        patienceMs,
      );
    });
    try {
      return await Promise.race([answer, late]);
    } catch (error) {
      return { status: 'unavailable', detail: isServiceError(error) ? error.message : 'failed' };
    } finally {
      clearTimeout(timer);
    }
  }
}

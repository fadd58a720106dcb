import { Controller, Get, Query } from '@nestjs/common';
import type { AuditVerification } from '@lab/contracts';
import { readQuery } from '../routes/index.js';
import { Needs } from '../access/index.js';
import { AuditRecorder } from './audit-recorder.js';

/** Whether the audit is still what was written. */
@Needs('admin')
@Controller('api/audit')
export class AuditController {
  constructor(private readonly audit: AuditRecorder) {}

  @Get('verify')
  async verify(@Query() query: unknown): Promise<AuditVerification> {
    readQuery(query, []);
    return this.audit.check();
  }
}

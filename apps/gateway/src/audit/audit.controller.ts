import { Controller, Get } from '@nestjs/common';
import type { AuditVerification } from '@lab/contracts';
import { ApiTags } from '@nestjs/swagger';
import { Needs } from '../access/index.js';
import { verification } from '../examples/index.js';
import { fromStore, Operation, record } from '../routes/index.js';
import { AuditRecorder } from './audit-recorder.js';

@ApiTags('Access')
@Needs('admin')
@Controller('api/audit')
export class AuditController {
  constructor(private readonly audit: AuditRecorder) {}

  @Operation({
    summary: 'Check that no entry of the audit was changed or removed',
    description:
      'The service checks the whole chain of hashes. A person who can write to the database itself could compute the whole chain anew: store `head` elsewhere from time to time.',
    answer: record('AuditVerification', 'The result of the check.', verification),
    problems: fromStore,
  })
  @Get('verify')
  verify(): Promise<AuditVerification> {
    return this.audit.check();
  }
}

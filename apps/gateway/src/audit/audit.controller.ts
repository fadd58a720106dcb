import { Controller, Get } from '@nestjs/common';
import type { AuditVerification } from '@lab/contracts';
import { Needs } from '../access/index.js';
import { Group, Operation, record } from '../routes/index.js';
import { AuditRecorder } from './audit-recorder.js';

@Group('Access')
@Needs('admin')
@Controller('api/audit')
export class AuditController {
  constructor(private readonly audit: AuditRecorder) {}

  @Operation(
    'Check that no entry of the audit was changed or removed',
    record('AuditVerification', 'The result of the check.'),
    {
      description:
        'The service checks the whole chain of hashes. A person who can write to the database itself could compute the whole chain anew: store `head` elsewhere from time to time.',
    },
  )
  @Get('verify')
  verify(): Promise<AuditVerification> {
    return this.audit.check();
  }
}

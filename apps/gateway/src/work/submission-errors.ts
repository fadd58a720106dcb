import type { ErrorCode } from '@lab/contracts';
import { fromOrchestrator } from '../routes/index.js';

/** Errors of every submission of work. */
export const submissionErrors: readonly ErrorCode[] = [
  'duplicate_name',
  'backlog_full',
  'quota_exceeded',
  ...fromOrchestrator,
];

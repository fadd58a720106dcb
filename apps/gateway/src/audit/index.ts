export { AuditRecorder } from './audit-recorder.js';
export { AuditController } from './audit.controller.js';
export { actionOf, AuditedLater, auditEntry, AuditInterceptor } from './audit.interceptor.js';
export { EntryOfSubmission, type SubmissionEntry } from './submission-entry.js';

export { AuditRecorder } from './audit-recorder.js';
export { AuditController } from './audit.controller.js';
export { auditEntry, AuditInterceptor } from './audit.interceptor.js';

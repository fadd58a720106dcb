import { z } from 'zod';
import { principalKinds } from '../rest/access.js';
import { jsonObject } from './work.js';

/** An entry of the audit for an act that came through the gateway. */
export const auditEntry = z.object({
  id: z.string(),
  /** Milliseconds since 1970. */
  at: z.number(),
  by: z.string(),
  /** How the caller was authenticated. */
  kind: z.enum(principalKinds),
  action: z.string(),
  subject: z.string(),
  detail: jsonObject,
  /** Id of the request in the log. */
  request_id: z.string(),
  /** IP address of the caller. */
  ip: z.string(),
});
export type AuditEntry = z.infer<typeof auditEntry>;

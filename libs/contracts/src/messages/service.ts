import { z } from 'zod';
import { zodSchema } from '../schema.js';
import { defineRequest } from './define.js';

/** Names of the processes that answer for their health. */
export const serviceNames = ['gateway', 'orchestrator', 'agent', 'optimizer'] as const;
export type ServiceName = (typeof serviceNames)[number];

export const serviceHealth = z.object({
  service: z.string(),
  instance: z.string(),
  version: z.string(),
  status: z.enum(['ok', 'degraded']),
  detail: z.string().optional(),
  uptime_s: z.number(),
});
export type ServiceHealth = z.infer<typeof serviceHealth>;

export const serviceRequests = {
  health: defineRequest({
    name: 'service.health',
    subject: 'svc.v1.health.{service}',
    request: zodSchema(z.object({})),
    reply: zodSchema(serviceHealth),
    timeoutMs: 1_000,
    errors: [],
  }),
};

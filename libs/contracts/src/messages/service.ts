import { z } from 'zod';
import { zodSchema } from '../schema.js';
import { defineEvent, defineRequest } from './define.js';

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
  /** Only of the orchestrator that leads. */
  leads: z
    .object({
      epoch: z.number().int(),
      /** Computers that should have an agent, and how many of them have one that is heard. */
      computers: z.object({ expected: z.number().int(), online: z.number().int() }),
      /** Packages as they were last read, and how many of them have mistakes. */
      packages: z.object({ read: z.number().int(), faulty: z.number().int() }),
    })
    .optional(),
});
export type ServiceHealth = z.infer<typeof serviceHealth>;

/** In place of the name of a process: whichever orchestrator leads. Nobody answers while none does. */
export const leaderName = 'leader';

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

/** Measurements of one kind, as Prometheus has them: a name, and a value for each combination of labels. */
export const metricFamily = z.object({
  /** Words of small letters with underscores; the unit, without prefix, is part of it: `svc_turn_seconds`. */
  name: z.string().regex(/^[a-z][a-z0-9_]*$/),
  help: z.string(),
  type: z.enum(['counter', 'gauge', 'histogram']),
  /** Of a histogram: upper bounds of its buckets, rising; what is above the last is counted too. */
  bounds: z.array(z.number()).optional(),
  samples: z.array(
    z.object({
      labels: z.record(z.string(), z.string()),
      /** Of a histogram the sum of what was observed. */
      value: z.number(),
      /** Of a histogram: how often each bucket was met, and last what is above all bounds. */
      counts: z.array(z.number().int()).optional(),
    }),
  ),
});
export type MetricFamily = z.infer<typeof metricFamily>;

/** How often a process tells what it has measured, in milliseconds. */
export const measuredEveryMs = 5_000;

export const serviceEvents = {
  /** What a process has counted since it started; the next one stands for all before. */
  measured: defineEvent({
    name: 'service.measured',
    subject: 'svc.v1.event.service.measured',
    body: zodSchema(
      z.object({
        service: z.string(),
        /** The same for the whole life of the process, and of no other one. */
        instance: z.string(),
        families: z.array(metricFamily),
      }),
    ),
  }),
};

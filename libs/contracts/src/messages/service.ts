import { z } from 'zod';
import { zodSchema } from '../schema.js';
import { defineEvent, defineRequest } from './define.js';
import { itself } from './process-roles.js';

/** Names of the processes that report their health. */
export const serviceNames = ['gateway', 'orchestrator', 'agent', 'optimizer'] as const;
export type ServiceName = (typeof serviceNames)[number];

export const serviceHealth = z.object({
  service: z.string(),
  instance: z.string(),
  version: z.string(),
  status: z.enum(['ok', 'degraded']),
  detail: z.string().optional(),
  uptime_s: z.number(),
  /** Only in the answer of the leading orchestrator. */
  leads: z
    .object({
      epoch: z.number().int(),
      /** Number of computers that need an agent, and of those whose agent is heard. */
      computers: z.object({
        expected: z.number().int(),
        online: z.number().int(),
        /** Names of the computers whose agent is not heard. Empty from an orchestrator of an earlier version. */
        missing: z.array(z.string()).default([]),
        /** What is wrong with computers whose agent is heard, each with the name of the computer. */
        troubles: z.array(z.string()),
      }),
      /** `failing`: the orchestrator cannot write to the database, why and since when; absent: it can. */
      commits: z.object({ failing: z.object({ detail: z.string(), since: z.string() }).optional() }),
      /** Number of packages that were last read, and of those with errors. */
      packages: z.object({ read: z.number().int(), faulty: z.number().int() }),
    })
    .optional(),
});
export type ServiceHealth = z.infer<typeof serviceHealth>;

const health = {
  request: zodSchema(z.object({})),
  reply: zodSchema(serviceHealth),
  timeoutMs: 1_000,
  errors: [],
  from: { gateway: {}, tool: {} },
};

export const serviceRequests = {
  /** Every process of a service answers for itself. */
  health: defineRequest({
    ...health,
    name: 'service.health',
    subject: 'svc.v1.health.{service}',
    to: {
      gateway: { service: 'gateway' },
      orchestrator: { service: 'orchestrator' },
      agent: { service: 'agent' },
      optimizer: { service: 'optimizer' },
    },
  }),
  /** The leading orchestrator answers. No process answers while none leads. */
  leaderHealth: defineRequest({
    ...health,
    name: 'service.leader_health',
    subject: 'svc.v1.leader.health',
    to: { orchestrator: {} },
  }),
  /** The leading orchestrator reads which agents are revoked, and has the broker cut them off. May be repeated. */
  applyRevocations: defineRequest({
    name: 'service.apply_revocations',
    subject: 'svc.v1.leader.revocations',
    request: zodSchema(z.object({})),
    /** How many keys the broker refuses now. */
    reply: zodSchema(z.object({ revoked: z.number().int() })),
    timeoutMs: 5_000,
    errors: ['wrong_state', 'service_unavailable'],
    from: { gateway: {} },
    to: { orchestrator: {} },
  }),
};

/** Measurements of one kind as in Prometheus: a name, and a value for each combination of labels. */
export const metricFamily = z.object({
  /** Lower-case words with underscores. The unit, without prefix, is part of the name: `svc_turn_seconds`. */
  name: z.string().regex(/^[a-z][a-z0-9_]*$/),
  help: z.string(),
  type: z.enum(['counter', 'gauge', 'histogram']),
  /** For a histogram: upper bounds of its buckets, rising. Values above the last bound are counted as well. */
  bounds: z.array(z.number()).optional(),
  samples: z.array(
    z.object({
      labels: z.record(z.string(), z.string()),
      /** For a histogram: the sum of the observed values. */
      value: z.number(),
      /** For a histogram: the count of each bucket, and last the count above all bounds. */
      counts: z.array(z.number().int()).optional(),
    }),
  ),
});
export type MetricFamily = z.infer<typeof metricFamily>;

/** Milliseconds between two reports of the measurements of a process. */
export const measuredEveryMs = 5_000;

export const serviceEvents = {
  /** What a process has counted since its start. Each event replaces the ones before. */
  measured: defineEvent({
    name: 'service.measured',
    subject: 'svc.v1.event.measured.{service}.{name}',
    from: {
      gateway: { service: 'gateway' },
      orchestrator: { service: 'orchestrator' },
      agent: { service: 'agent', name: itself },
      optimizer: { service: 'optimizer', name: itself },
    },
    to: { gateway: {}, orchestrator: {}, tool: {} },
    body: zodSchema(
      z.object({
        /** Unique identifier of the process. */
        instance: z.string(),
        families: z.array(metricFamily),
      }),
    ),
  }),
};

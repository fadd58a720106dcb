import type { HealthReport } from '@lab/contracts';
import type { Description } from './description.js';
import { json, ref } from './description.js';

/** Since when something has been away, in the examples. */
const since = '2026-11-20T09:30:00.000Z';

const ready: HealthReport = {
  status: 'ok',
  epoch: 3,
  parts: {
    gateway: { status: 'ok' },
    broker: { status: 'ok' },
    database: { status: 'ok' },
    orchestrator: { status: 'ok' },
    agents: { status: 'ok', detail: '1 of 1 computers' },
    packages: { status: 'ok', detail: '2 read' },
  },
};

const notReady: HealthReport = {
  ...ready,
  status: 'unavailable',
  parts: {
    ...ready.parts,
    database: { status: 'unavailable', detail: 'The database does not answer.', since },
  },
};

const measured = `# HELP svc_queue_length Task runs that wait for what they need.
# TYPE svc_queue_length gauge
svc_queue_length{service="orchestrator",instance="3f2a"} 2
`;

const readiness: Description = {
  tag: 'Service',
  summary: 'Whether the service can do its work',
  description:
    'Every part that requests need is asked at this moment. 200 also when a part does less than it should (`degraded`), as when a computer has no agent.',
  success: { status: 200, description: 'Requests can be served.', content: json(ref('HealthReport'), ready) },
  problems: ['invalid'],
};

export const serviceOperations: Record<string, Description> = {
  'GET /health/live': {
    tag: 'Service',
    summary: 'Whether the gateway answers',
    success: {
      status: 200,
      description: 'It does.',
      content: json(
        {
          type: 'object',
          properties: { status: { type: 'string', enum: ['ok'] } },
          required: ['status'],
          additionalProperties: false,
        },
        { status: 'ok' },
      ),
    },
    problems: ['invalid'],
  },
  'GET /health/ready': readiness,
  'GET /api/health': { ...readiness, summary: 'The same as /health/ready' },
  'GET /metrics': {
    tag: 'Service',
    summary: 'What all processes have measured, for Prometheus',
    description: 'Text format 0.0.4. With `metrics.open` in the configuration it needs no token.',
    success: {
      status: 200,
      description: 'Of the gateway as it is now, of other processes as they told within the last 5 seconds.',
      content: { 'text/plain': { schema: { type: 'string' }, example: measured } },
    },
    problems: ['invalid', 'unauthorized'],
  },
};

/** What a 503 of these is, beside a problem: the report, with what is away. */
export const notReadyReport = {
  keys: ['GET /health/ready', 'GET /api/health'],
  content: json(ref('HealthReport'), notReady),
};

import type { HealthReport } from '@lab/contracts';

const since = '2026-11-20T09:30:00.000Z';

export const ready: HealthReport = {
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

export const notReady: HealthReport = {
  ...ready,
  status: 'unavailable',
  parts: {
    ...ready.parts,
    database: { status: 'unavailable', detail: 'The database does not answer.', since },
  },
};

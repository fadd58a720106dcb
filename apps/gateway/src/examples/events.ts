import { eventSchema, type ServiceEvent } from '@lab/contracts';

/** A task that has completed, as the stream tells it. */
export const taskCompleted: ServiceEvent = {
  id: 1841,
  type: 'task_run.completed',
  schema: eventSchema,
  aggregate: 'task_run/0190c0de-0000-7000-8000-000000000001',
  seq: 4,
  at: '2026-11-20T09:30:00.000Z',
  body: {
    id: '0190c0de-0000-7000-8000-000000000001',
    name: 'mix_colors',
    state: 'completed',
    reason: null,
    owner: 'ada',
    labs: ['color_lab'],
    type: 'mix_colors',
    protocol_run: 'mix_1',
    campaign: null,
    attempt: 1,
    cancel_requested: false,
    late_by_s: null,
  },
};

import type { LogLine } from '@lab/contracts';

/** A line that a task wrote, as it is told. */
export const logLine: LogLine = {
  id: 5120,
  at: '2026-11-20T09:30:00.000Z',
  level: 'info',
  source: 'task',
  computer: 'svc_computer',
  lab: null,
  device: null,
  task_run_id: '0190c0de-0000-7000-8000-000000000001',
  task: 'mix_colors',
  protocol_run: 'mix_1',
  campaign: null,
  attempt_id: '0190c0de-0000-7000-8000-000000000004',
  attempt: 1,
  message: 'dispensing 3.2 mL',
};

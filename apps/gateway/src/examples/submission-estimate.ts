import type { SubmissionEstimate } from '@lab/contracts';

const waited = { dependency: 0, busy: 0, priority: 0, held: 0, no_device: 0, planned: 0 };

export const submissionEstimate: SubmissionEstimate = {
  at: '2026-11-20T09:30:00.000Z',
  scheduler: 'greedy',
  starts_at: '2026-11-20T09:30:04.000Z',
  ends_at: '2026-11-20T09:30:06.300Z',
  seconds_per_run: 2.3,
  runs: 1,
  tasks: [
    {
      name: 'mix_colors',
      starts_at: '2026-11-20T09:30:04.000Z',
      ends_at: '2026-11-20T09:30:06.300Z',
      waited: { ...waited, busy: 4 },
    },
  ],
  reason: null,
};

import type { SubmissionEstimate } from '@lab/contracts';
import { inQuery, json, ref } from './description.js';

const waited = { dependency: 0, busy: 0, priority: 0, held: 0, no_device: 0, planned: 0 };

const estimate: SubmissionEstimate = {
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

export const dryRunParameter = inQuery(
  'dry_run',
  'True: it is checked as if it was meant, and played through; nothing is stored, and `Idempotency-Key` is passed over.',
  { type: 'boolean', default: false },
);

/** The answer to a submission that was only tried out. @param schema of the submission @param resolved an example of it */
export function triedOut(schema: string, resolved: unknown): Record<string, object> {
  return {
    200: {
      description: 'With `dry_run=true`: it would be accepted.',
      content: json(
        {
          type: 'object',
          required: ['valid', 'dry_run', 'resolved', 'estimate', 'warnings'],
          additionalProperties: false,
          properties: {
            valid: { type: 'boolean', const: true },
            dry_run: { type: 'boolean', const: true },
            resolved: {
              ...ref(schema),
              description:
                'The submission with everything that it leaves out; secrets are hidden. Of one that resumes something: as it was given.',
            },
            estimate: ref('SubmissionEstimate'),
            warnings: {
              type: 'array',
              items: { type: 'string' },
              description: 'What stands in its way, but is no reason to refuse it.',
            },
          },
        },
        { valid: true, dry_run: true, resolved, estimate, warnings: [] },
      ),
    },
  };
}

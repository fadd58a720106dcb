import { z } from 'zod';
import { RolloutRecord } from '../rest/computers/rollouts.js';
import { zodOf } from '../rest/fields/field.js';
import { orchestratorQuery as query, orchestratorRequest as request } from './define.js';

const rollout = zodOf(RolloutRecord);
const decision = z.object({ id: z.string(), by: z.string(), reason: z.string() });
const decisionErrors = ['not_found', 'wrong_state', 'store_unavailable'] as const;

/** What people ask of the leading orchestrator about updates of many agents. */
export const rolloutRequests = {
  /** Starts a rollout. The leader refuses a second one with `wrong_state`. */
  startRollout: request(
    'rollout.start',
    z.object({
      version: z.string(),
      /** Null: all whose agent is connected and runs another version. */
      computers: z.array(z.string()).nullable(),
      /** Null: the first by name. */
      canary: z.string().nullable(),
      settle_s: z.number().int(),
      reason: z.string(),
      by: z.string(),
      /** The packages of the agent that the gateway offers. */
      packages: z.array(z.object({ version: z.string(), platform: z.string() })),
    }),
    rollout,
    ['invalid', 'wrong_state', 'store_unavailable'],
  ),
  /** Goes on with a halted rollout. The computer that failed is tried again. */
  resumeRollout: request('rollout.resume', decision, rollout, decisionErrors),
  /** Ends a rollout. What is updated stays, and what is being updated is followed to its end. */
  cancelRollout: request('rollout.cancel', decision, rollout, decisionErrors),
  /** The latest rollouts, newest first. */
  listRollouts: query('rollout.list', z.object({}), z.object({ rollouts: z.array(rollout) }), [], 3_000),
};

import { z } from 'zod';
import { AttentionDecision } from '../rest/attention.js';
import { zodOf } from '../rest/fields/field.js';
import { orchestratorRequest as request } from './define.js';

const item = z.object({ id: z.string() });
const itemBy = item.extend({ by: z.string() });
const errors = ['not_found', 'wrong_state', 'store_unavailable'] as const;

/** What people ask of the leading orchestrator about open questions. */
export const attentionRequests = {
  /** Records the decision of a person. */
  resolveAttention: request('attention.resolve', zodOf(AttentionDecision), item, [
    'invalid',
    'agent_unreachable',
    ...errors,
  ]),
  /** A person says that they are deciding. With `take_over`, another person stops being the one. */
  claimAttention: request('attention.claim', itemBy.extend({ take_over: z.boolean() }), item, errors),
  /** A person says that they are not deciding any more. */
  releaseAttention: request('attention.release', itemBy, item, errors),
};

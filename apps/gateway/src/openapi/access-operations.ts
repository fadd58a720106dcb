import {
  longestPage,
  usualPage,
  type AuditVerification,
  type NewTokenRecord,
  type Principal,
  type TokenRecord,
  type TokenSubmission,
} from '@lab/contracts';
import { inPath, inQuery, json, ref, type Description } from './description.js';

const token: TokenRecord = {
  id: '5f1c1f2e-6d0e-4a5c-9a54-0b4f5a4f7f10',
  prefix: 'svc_pat_Jx3q',
  kind: 'personal',
  name: 'ada',
  note: 'notebook on the bench',
  grants: [{ role: 'submitter' }, { role: 'operator', lab: 'color_lab' }],
  created_at: '2026-11-20T09:30:00.000Z',
  created_by: 'root',
  expires_at: '2026-12-20T09:30:00.000Z',
  last_used_at: null,
  revoked_at: null,
  revoked_by: null,
};

export const newToken: NewTokenRecord = {
  ...token,
  token: 'svc_pat_Jx3qAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
};

export const tokenSubmissions: Record<string, { summary: string; value: TokenSubmission }> = {
  personal: {
    summary: 'Of a person, for 30 days',
    value: {
      name: 'ada',
      grants: [{ role: 'submitter' }, { role: 'operator', lab: 'color_lab' }],
      note: 'notebook on the bench',
      expires_in_days: 30,
    },
  },
  service: {
    summary: 'Of a program that reads for years',
    value: { name: 'dashboard', kind: 'service', grants: [{ role: 'viewer' }] },
  },
};

const me: Principal = { name: 'ada', kind: 'token', grants: token.grants };
const verification: AuditVerification = {
  entries: 1_204,
  broken: null,
  head: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
};

/** Operations on tokens of access and the audit, by method and path. */
export const accessOperations: Record<string, Description> = {
  'GET /api/me': {
    tag: 'Access',
    summary: 'Read who the service takes you for, and what you may do',
    success: { status: 200, description: 'The caller.', content: json(ref('Principal'), me) },
    problems: ['invalid'],
  },
  'POST /api/tokens': {
    tag: 'Access',
    summary: 'Make a token of access',
    description:
      'The answer is the only place where the token ever stands: only its hash is kept. The role admin makes any token; who has signed in at the issuer makes personal ones of their own, which may do no more than they may. A token makes no tokens, unless it is of an admin.',
    body: { schema: ref('TokenSubmission'), required: true, examples: tokenSubmissions },
    success: { status: 201, description: 'Made.', content: json(ref('NewTokenRecord'), newToken) },
    problems: [
      'malformed_json',
      'payload_too_large',
      'unsupported_media_type',
      'invalid',
      'store_unavailable',
    ],
  },
  'GET /api/tokens': {
    tag: 'Access',
    summary: 'List tokens of access',
    description: 'With the role admin all, otherwise your own; also those that are revoked or have expired.',
    parameters: [
      inQuery('limit', 'Tokens at most.', {
        type: 'integer',
        minimum: 1,
        maximum: longestPage,
        default: usualPage,
      }),
      inQuery('cursor', 'The `next_cursor` of the page before.', { type: 'string' }),
    ],
    success: {
      status: 200,
      description: 'Newest first.',
      content: json(ref('TokenPage'), { items: [token], next_cursor: null }),
    },
    problems: ['invalid', 'store_unavailable'],
  },
  'DELETE /api/tokens/{token_id}': {
    tag: 'Access',
    summary: 'Revoke a token of access',
    description:
      'It counts no more here from this moment on, and within 5 s at every other gateway. Its record stays, for the audit. May be repeated.',
    parameters: [inPath('token_id', 'Id of the token, which is not the token itself.', token.id)],
    success: {
      status: 200,
      description: 'Revoked.',
      content: json(ref('TokenRecord'), {
        ...token,
        revoked_at: '2026-11-21T08:00:00.000Z',
        revoked_by: 'ada',
      }),
    },
    problems: ['not_found', 'invalid', 'store_unavailable'],
  },
  'GET /api/audit/verify': {
    tag: 'Access',
    summary: 'Check that nothing of the audit was changed or removed',
    description:
      'Goes through the whole chain of hashes. Who could write to the database itself could make the whole chain anew: keep `head` elsewhere from time to time.',
    success: {
      status: 200,
      description: 'What was found.',
      content: json(ref('AuditVerification'), verification),
    },
    problems: ['invalid', 'store_unavailable'],
  },
};

import type {
  AuditVerification,
  NewTokenRecord,
  Principal,
  TokenRecord,
  TokenSubmission,
} from '@lab/contracts';

export const token: TokenRecord = {
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

export const me: Principal = { name: 'ada', kind: 'token', grants: token.grants };
export const verification: AuditVerification = {
  entries: 1_204,
  broken: null,
  head: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
};

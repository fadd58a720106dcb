import {
  roles,
  tokenKinds,
  type AuditVerification,
  type Grant,
  type NewTokenRecord,
  type Principal,
  type TokenRecord,
} from '@lab/contracts';
import {
  choice,
  integer,
  list,
  named,
  object,
  orNull,
  text,
  time,
  type SchemaObject,
  type SchemaOf,
} from './schema-of.js';

const token = {
  id: text('Id of the token, which is not the token itself.'),
  prefix: text('How the token begins, to tell it from others.', 'svc_pat_Jx3q'),
  kind: choice(tokenKinds, 'Of a person, or of a program.'),
  name: text('Who shows it: owner of what is submitted with it, and name in the audit.', 'ada'),
  note: text('What it is for.', 'notebook on the bench'),
  grants: list(named<Grant>('Grant')),
  created_at: time('When it was made.'),
  created_by: text('Who made it.', 'root'),
  expires_at: orNull(time('From when on it counts no more; null: it does not expire.')),
  last_used_at: orNull(time('When it was last shown, to within about a minute; null: never.')),
  revoked_at: orNull(time('When it was revoked.')),
  revoked_by: orNull(text('Who revoked it.')),
};

/** Schemas of access, by name; each is held to its interface by the compiler. */
export const accessSchemas: Record<string, SchemaObject> = {
  Grant: object<Grant>(
    {
      role: choice(roles, 'What may be done; each role includes those before it.'),
      lab: text('The one lab it is for; absent: all labs.', 'color_lab'),
    },
    { optional: ['lab'] },
  ).schema,
  Principal: object<Principal>({
    name: text('Owner of what is submitted, and name in the audit.', 'ada'),
    kind: choice(
      ['local', 'token', 'oidc'],
      '`local`: authentication is off. `token`: by a token of this service. `oidc`: by one of the issuer.',
    ),
    grants: list(named<Grant>('Grant')),
  }).schema,
  TokenRecord: object<TokenRecord>(token).schema,
  NewTokenRecord: object<NewTokenRecord>({
    ...token,
    token: text('The token. It is not kept and cannot be shown again.'),
  }).schema,
  TokenPage: object<{ items: TokenRecord[]; next_cursor: string | null }>({
    items: list(named<TokenRecord>('TokenRecord')),
    next_cursor: orNull(text('Where the next page begins; null: this is the last one.')),
  }).schema,
  AuditVerification: object<AuditVerification>({
    entries: integer('Entries that were looked at, the broken one included.', 1_204),
    broken: orNull(
      object<NonNullable<AuditVerification['broken']>>({
        seq: integer('Number of the entry.', 17),
        id: orNull(text('Id of the entry; null when it is missing.')),
        reason: text('What is wrong with it.', 'it was changed'),
      }),
    ) as SchemaOf<AuditVerification['broken']>,
    head: text('Hash of the last sound entry.'),
  }).schema,
};

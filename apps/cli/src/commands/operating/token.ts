import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Grant, NewTokenRecord, TokenRecord, TokenSubmission } from '@lab/contracts';
import { isWellFormedName, roles, tokenKinds, type TokenKind } from '@lab/contracts/vocabulary';
import { defineConfig, processEnvironment, settings } from '@lab/runtime';
import type { Command } from 'commander';
import { asks, person, seconds, serviceCommand, tableOf, type ServiceFlags } from '../at-service.js';
import { UsageError } from '../exit-codes.js';
import { addExchangeCommand } from './pipeline-token.js';

interface CreateFlags extends ServiceFlags {
  role: string[];
  kind?: string;
  note?: string;
  days?: string;
  local?: boolean;
}

/** Commands that create, list and revoke access tokens. */
export function addTokenCommands(program: Command): void {
  const token = program.command('token').description('tokens of access: make, list, revoke');
  asks(
    serviceCommand(token, 'create', 'make a token and print it: the only time that it is shown')
      .argument('<name>', 'who shows it: owner of their work, and name in the audit')
      .requiredOption(
        '--role <role...>',
        `${roles.join(', ')}; of one lab: operator:<lab>; may be given several times`,
      )
      .option('--kind <kind>', 'personal or service (default personal)')
      .option('--days <n>', 'days until it expires (default 90; of a service: never)')
      .option('--note <text>', 'purpose of the token')
      .option('--local', 'write it into the database of the service on this computer: needs no token'),
    (client, flags: CreateFlags, name: string): Promise<NewTokenRecord> => {
      const submission = submissionOf(name, flags);
      return flags.local === true ? createHere(submission) : client.post('/api/tokens', { body: submission });
    },
    (made) => [made.token],
  );
  addExchangeCommand(token);
  asks(
    serviceCommand(token, 'list', 'list tokens: your own, or all with the role admin'),
    (client) => client.all('/api/tokens', { query: { limit: 500 } }),
    tableOf<TokenRecord>('no tokens', {
      id: ({ id }) => id,
      token: ({ prefix }) => `${prefix}…`,
      name: ({ name }) => name,
      roles: ({ grants }) =>
        grants.map(({ role, lab }) => (lab === undefined ? role : `${role}:${lab}`)).join(' '),
      expires: ({ revoked_at: revoked, expires_at: at }) =>
        revoked !== null ? 'revoked' : at === null ? 'never' : seconds(at),
      'last used': ({ last_used_at: at }) => (at === null ? 'never' : seconds(at)),
    }),
  );
  asks(
    serviceCommand(token, 'revoke', 'revoke a token').argument('<id>', 'its id, as the list shows it'),
    (client, _flags: ServiceFlags, id: string) =>
      client.delete('/api/tokens/{token_id}', { path: { token_id: id } }),
    ({ prefix, name }) => [`revoked ${prefix}… of ${name}`],
  );
  asks(
    serviceCommand(token, 'revoke-all', 'revoke all tokens of a person').argument(
      '<name>',
      'owner of the tokens, as the list shows it',
    ),
    (client, _flags: ServiceFlags, name: string) => client.delete('/api/tokens', { query: { name } }),
    ({ revoked }) => [`revoked ${revoked} ${revoked === 1 ? 'token' : 'tokens'}`],
  );
}

/** @throws UsageError */
function submissionOf(name: string, { role, kind, note, days }: CreateFlags): TokenSubmission {
  if (!isWellFormedName(name))
    throw new UsageError('a name has 1 to 200 visible characters, and no space at its ends');
  if (kind !== undefined && !isTokenKind(kind))
    throw new UsageError(`there is no kind "${kind}": personal or service`);
  const lifetime = days === undefined ? undefined : Number(days);
  if (lifetime !== undefined && !(Number.isInteger(lifetime) && lifetime >= 1 && lifetime <= 3_650))
    throw new UsageError('--days must be a whole number from 1 to 3650');
  return {
    name,
    grants: role.map(grantOf),
    ...(kind === undefined ? {} : { kind }),
    ...(note === undefined ? {} : { note: note.slice(0, 200) }),
    ...(lifetime === undefined ? {} : { expires_in_days: lifetime }),
  };
}

function isTokenKind(kind: string): kind is TokenKind {
  return (tokenKinds as readonly string[]).includes(kind);
}

/** `operator` or `operator:color_lab`. @throws UsageError */
function grantOf(text: string): Grant {
  const [name, ...rest] = text.split(':');
  const role = roles.find((each) => each === name);
  if (role === undefined) throw new UsageError(`there is no role "${name}": ${roles.join(', ')}`);
  return rest.length === 0 ? { role } : { role, lab: rest.join(':') };
}

/**
 * Writes a token directly into the database. The first token can be created in no other way. A user who can read the
 * password of the database has this access anyway.
 */
async function createHere(submission: TokenSubmission): Promise<NewTokenRecord> {
  const url = databaseUrl();
  const { issueToken, openGatewayStore } = await import('@lab/persistence/gateway');
  const store = openGatewayStore({ url, poolSize: 1, statementTimeoutMs: 5_000 });
  try {
    const by = person({});
    const { token, row } = issueToken(submission, by, Date.now());
    await store.audit.append([
      {
        id: row.id,
        at: Date.now(),
        by,
        kind: 'local',
        action: 'token.create',
        subject: `token/${row.id}`,
        detail: { name: row.name, kind: row.kind, grants: row.grants.map((grant) => ({ ...grant })) },
        request_id: row.id,
        ip: '127.0.0.1',
      },
    ]);
    await store.tokens.add(row);
    const { hash: _hash, made_from: _from, exchanged: _exchanged, ...record } = row;
    return { ...record, last_used_at: null, revoked_at: null, revoked_by: null, token };
  } finally {
    await store.close();
  }
}

/** The configured database, otherwise the database of the stack that runs on the same data folder. */
function databaseUrl(): string {
  const env = processEnvironment();
  const { dataDir } = defineConfig({ dataDir: settings.dataDir }).load();
  const kept = join(dataDir, 'secrets', 'database-gateway-url');
  const given = Boolean(env['SVC_DATABASE_URL']) || Boolean(env['SVC_DATABASE_URL_FILE']);
  if (!given && !existsSync(kept))
    throw new UsageError(`no service runs on the data folder ${dataDir}: start it, or set SVC_DATABASE_URL`);
  const override = given ? {} : { SVC_DATABASE_URL_FILE: kept };
  return defineConfig({ databaseUrl: settings.databaseUrl }).load({ override }).databaseUrl.reveal();
}

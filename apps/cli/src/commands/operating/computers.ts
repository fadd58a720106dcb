import type { EnrolmentRecord, InvitationRecord, NewInvitationRecord } from '@lab/api-client';
import { X509Certificate } from 'node:crypto';
import { fingerprintOf } from '@lab/trust/fingerprint';
import { isCodeKey } from '@lab/trust/code-manifest';
import type { Command } from 'commander';
import { asks, ownAuthority, seconds, serviceCommand, tableOf, type ServiceFlags } from '../at-service.js';
import { exitCodes, UsageError } from '../exit-codes.js';
import { momentOf } from '../moments.js';

interface InviteFlags extends ServiceFlags {
  lab?: string;
  expires: string;
  uses?: string;
  approval?: boolean;
  codeKey?: string;
}

/** Commands below `svc agent` that let computers of the lab join, and exclude them again. */
export function addComputerCommands(agent: Command): void {
  asks(
    serviceCommand(agent, 'invite', 'invite a computer: print the line with which it joins')
      .argument('<computer>', 'its name in lab.yml; bench_* with --uses')
      .option('--lab <name>', 'the loaded laboratory that must declare it')
      .option('--expires <time>', 'until when the line can be used: 30m, 2h, 3d', '1h')
      .option('--uses <n>', 'how many computers may join with it')
      .option('--approval', 'each computer that joins waits for svc agent approve')
      .option('--code-key <key>', 'the computer runs only code that this key of the lab has signed'),
    async (client, flags: InviteFlags, computer: string): Promise<NewInvitationRecord> => {
      const { codeKey } = flags;
      if (codeKey !== undefined && !isCodeKey(codeKey))
        throw new UsageError(
          '--code-key must be svc_code_ and 43 characters, as "svc pkg key new" prints it',
        );
      const invited = await client.post('/api/invitations', { body: submissionOf(computer, flags) });
      // Written here and not by the service, because whoever gets into the service must not choose it.
      return codeKey === undefined
        ? invited
        : { ...invited, command: `${invited.command} --code-key ${codeKey}` };
    },
    ({ computer, expires_at, command }) => [
      `On ${computer}, until ${seconds(expires_at)}:`,
      '',
      command,
      '',
      'The line is a secret, and shown only now.',
    ],
  );
  agent
    .command('authority')
    .description('the certificate authority that computers trust, as the data folder or SVC_TLS_CA has it')
    .action(() => {
      const pem = ownAuthority();
      if (pem === undefined) {
        process.stderr.write(
          'There is no authority: it is made when the service first starts with SVC_HTTPS_CERTIFICATE=own.\n',
        );
        process.exitCode = exitCodes.failed;
        return;
      }
      const { subject, fingerprint256, validTo } = new X509Certificate(pem);
      process.stdout.write(
        `${subject.replace(/^CN=/, '')}\nSHA-256 ${fingerprint256}\nfingerprint in invitations ${fingerprintOf(pem)}\n` +
          `valid until ${new Date(validTo).toISOString()}\n`,
      );
    });
  asks(
    serviceCommand(agent, 'packages', 'the packages of the agent that this service offers to computers'),
    (client) => client.get('/api/agent-packages'),
    (packages) =>
      packages.length === 0
        ? ['no packages; make them with "npx nx run agent:package"']
        : packages.flatMap(({ platform, size, url, sha256 }) => [
            `${platform}, ${(size / 1024 ** 2).toFixed(1)} MiB:`,
            `  ${url}`,
            `  SHA-256 ${sha256}`,
          ]),
  );
  asks(
    serviceCommand(agent, 'invitations', 'the invitations that are not withdrawn'),
    (client) => client.get('/api/invitations'),
    tableOf<InvitationRecord>('no invitations', {
      ID: ({ id }) => id,
      COMPUTER: ({ computer }) => computer,
      LAB: ({ lab }) => lab ?? '-',
      USED: ({ used, uses }) => `${used} of ${uses}`,
      EXPIRES: (invitation) => seconds(invitation.expires_at),
      'MADE BY': (invitation) => invitation.created_by,
    }),
  );
  asks(
    serviceCommand(agent, 'withdraw', 'withdraw an invitation: nobody else can join with it').argument(
      '<id>',
      'its id, as the list shows it',
    ),
    (client, _flags: ServiceFlags, id: string) =>
      client.delete('/api/invitations/{invitation_id}', { path: { invitation_id: id } }),
    ({ computer }) => [`withdrawn: the invitation of ${computer}`],
  );
  asks(
    serviceCommand(agent, 'joined', 'the computers that joined, and until when they are admitted').option(
      '--revoked',
      'also those that were revoked',
    ),
    (client, { revoked }: ServiceFlags & { revoked?: boolean }) =>
      client.get('/api/enrolments', { query: { revoked: revoked === true } }),
    tableOf<EnrolmentRecord>('no computer has joined', {
      COMPUTER: ({ computer }) => computer,
      STATE: stateOf,
      ADDRESS: ({ address }) => address,
      VERSION: ({ version }) => version,
      JOINED: (agent) => seconds(agent.joined_at),
      'VALID UNTIL': (agent) => seconds(agent.valid_until),
    }),
  );
  asks(
    serviceCommand(agent, 'approve', 'admit a computer that waits for approval').argument(
      '<computer>',
      'its name',
    ),
    (client, _flags: ServiceFlags, computer: string) =>
      client.post('/api/enrolments/{computer}/approve', { path: { computer } }),
    ({ computer }) => [`${computer} is admitted`],
  );
  asks(
    serviceCommand(agent, 'revoke', 'cut a computer off at once, and refuse its key for ever')
      .argument('<computer>', 'its name')
      .option('--reason <text>', 'why, for the record'),
    (client, { reason }: ServiceFlags & { reason?: string }, computer: string) =>
      client.post('/api/enrolments/{computer}/revoke', {
        path: { computer },
        body: reason === undefined ? {} : { reason },
      }),
    ({ computer }) => [`${computer} is revoked and cut off; it may join again with a new invitation`],
  );
}

function stateOf({ revoked_at: revoked, revoked_by: by, approved_at: approved }: EnrolmentRecord): string {
  if (revoked !== null) return `revoked ${seconds(revoked)} by ${by ?? '-'}`;
  return approved === null ? 'waits for approval' : 'admitted';
}

/** @throws UsageError */
function submissionOf(computer: string, { lab, expires, uses, approval }: InviteFlags) {
  const now = Date.now();
  const count = uses === undefined ? undefined : Number(uses);
  if (count !== undefined && !(Number.isInteger(count) && count >= 1))
    throw new UsageError('--uses must be a whole number from 1');
  return {
    computer,
    expires_in_s: Math.round((Date.parse(momentOf(expires, now)) - now) / 1_000),
    ...(lab === undefined ? {} : { lab }),
    ...(count === undefined ? {} : { uses: count }),
    ...(approval === true ? { approval } : {}),
  };
}

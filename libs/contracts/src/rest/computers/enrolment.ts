import { Described, Field, Optional, flag, integer, orNull, text, time } from '../fields/field.js';
import { line, recordName, whole, yesNo } from '../fields/inputs.js';

/** Seconds for which an invitation is valid: the default, and the most. */
export const invitationS = { usual: 3_600, most: 30 * 86_400 } as const;

const computerText =
  'Name of the computer in lab.yml. With `uses`, `*` stands for any characters: each computer that joins says its own name.';

/** An invitation of a computer (`POST /api/invitations`). */
export class InvitationSubmission {
  @Field(recordName(computerText, 'bench_b')) computer!: string;
  @Optional(
    recordName('A loaded laboratory that must declare the computer. Absent: any or none.', 'color_lab'),
  )
  lab?: string;
  @Optional(
    whole(
      [60, invitationS.most],
      `Seconds until the invitation expires. Default ${invitationS.usual}.`,
      3_600,
    ),
  )
  expires_in_s?: number;
  @Optional(whole([1, 1_000], 'How many computers may join with it. Default 1.', 1)) uses?: number;
  @Optional(yesNo('Whether an administrator approves each computer after it joined. Default: false.'))
  approval?: boolean;
}

@Described('An invitation of a computer, without its secret. Times are ISO 8601 in UTC.')
export class InvitationRecord {
  @Field(text('Id of the invitation.', 'Jx3qT0aB9cDe')) id!: string;
  @Field(text(computerText, 'bench_b')) computer!: string;
  @Field(orNull(text('The laboratory that declares the computer; null: any.', 'color_lab'))) lab!:
    string | null;
  @Field(integer('How many computers may join.', 1)) uses!: number;
  @Field(integer('How many computers joined.', 0)) used!: number;
  @Field(flag('Whether an administrator approves each computer.')) needs_approval!: boolean;
  @Field(time('When it was made.')) created_at!: string;
  @Field(text('Person who made it.', 'root')) created_by!: string;
  @Field(time('When it expires.')) expires_at!: string;
}

@Described('Answer to the request that made an invitation. No other answer contains the token.')
export class NewInvitationRecord extends InvitationRecord {
  @Field(
    text('What the computer shows when it joins. The service does not keep it and cannot show it again.'),
  )
  token!: string;
  @Field(text('Address at which the computer joins.', 'https://lab-server:8443')) url!: string;
  @Field(text('The command for the computer.', 'svc-agent join https://lab-server:8443 svc_join_...'))
  command!: string;
}

@Described('The agent of a computer that joined with an invitation.')
export class EnrolmentRecord {
  @Field(text('Name of the computer.', 'bench_b')) computer!: string;
  @Field(text('Public key of the agent.', 'UD2KZ7')) key!: string;
  @Field(text('Id of the invitation.', 'Jx3qT0aB9cDe')) invitation_id!: string;
  @Field(text('Network address from which it joined.', '192.168.0.17')) address!: string;
  @Field(text('Version of the agent when it last got credentials.', '0.1.0')) version!: string;
  @Field(time('When it joined.')) joined_at!: string;
  @Field(orNull(time('When it was approved; null: it waits for an administrator.'))) approved_at!:
    string | null;
  @Field(orNull(text('Person who approved it, or who invited it without approval.', 'root')))
  approved_by!: string | null;
  @Field(orNull(time('When its credentials end, unless it renews them; null: it has none yet.')))
  valid_until!: string | null;
  @Field(orNull(time('When it was revoked.'))) revoked_at!: string | null;
  @Field(orNull(text('Person who revoked it.', 'root'))) revoked_by!: string | null;
  @Field(orNull(text('Why it was revoked.', 'the PC was replaced'))) reason!: string | null;
}

/** Why an agent is revoked (`POST /api/enrolments/{computer}/revoke`). */
export class RevocationSubmission {
  @Optional(line([0, 200], 'Why it is revoked.', 'the PC was replaced')) reason?: string;
}

@Described('A package of the agent for instrument PCs, which this service offers.')
export class AgentPackageRecord {
  @Field(text('Name of the file.', 'svc-agent-0.1.0-linux-x64.tar.gz')) name!: string;
  @Field(text('Version of the agent.', '0.1.0')) version!: string;
  @Field(text('Operating system and processor.', 'linux-x64')) platform!: string;
  @Field(integer('Size in bytes.', 0)) size!: number;
  @Field(text('SHA-256 of the file, hexadecimal.')) sha256!: string;
  @Field(text('Address of the file. It needs no token.')) url!: string;
}

import { Controller, Delete, Get, Post } from '@nestjs/common';
import {
  InvitationSubmission,
  RevocationSubmission,
  type AgentPackageRecord,
  type EnrolmentRecord,
  type InvitationRecord,
  type NewInvitationRecord,
  type Principal,
} from '@lab/contracts';
import { Caller, Needs } from '../access/index.js';
import { invitationSubmissions, revocationSubmissions } from '../examples/index.js';
import {
  Action,
  fromOrchestrator,
  Group,
  JsonBody,
  Operation,
  OptionalBody,
  pathName,
  QueryFlag,
  record,
  recordList,
} from '../routes/index.js';
import { AgentPackages } from './agent-packages.js';
import { Enrolments } from './enrolments.js';

const Computer = pathName('computer', 'computer', {
  description: 'Name of the computer.',
  example: 'bench_b',
});
const InvitationId = pathName('invitation_id', 'invitation', {
  description: 'Id of the invitation.',
  example: 'Jx3qT0aB9cDe',
});

/** Computers of the lab: invitations, and the agents that joined. */
@Group('Computers')
@Needs('admin')
@Controller('api')
export class EnrolmentController {
  constructor(
    private readonly enrolments: Enrolments,
    private readonly packages: AgentPackages,
  ) {}

  @Needs('viewer')
  @Operation('List packages of the agent', recordList('AgentPackageRecord', 'By name.'), {
    description:
      'The packages in the folder that the configuration names. A computer without Internet gets them here.',
  })
  @Get('agent-packages')
  agentPackages(): Promise<AgentPackageRecord[]> {
    return this.packages.list();
  }

  @Operation('Invite a computer', record('NewInvitationRecord', 'The invitation, with its token.'), {
    description:
      'The response contains the command with which the computer joins. The service shows its token only once and keeps only a hash of it. A token for one computer can be used once.',
    problems: ['wrong_state', ...fromOrchestrator],
  })
  @Post('invitations')
  invite(
    @JsonBody(InvitationSubmission, invitationSubmissions) submission: InvitationSubmission,
    @Caller() { name }: Principal,
  ): Promise<NewInvitationRecord> {
    return this.enrolments.invite(submission, name);
  }

  @Operation('List invitations', recordList('InvitationRecord', 'Newest first, without those withdrawn.'), {
    description: 'Includes invitations that were used or have expired.',
  })
  @Get('invitations')
  invitations(): Promise<InvitationRecord[]> {
    return this.enrolments.invitations();
  }

  @Operation('Withdraw an invitation', record('InvitationRecord', 'The invitation.'), {
    description:
      'No further computer can join with it. Agents that joined with it stay. The request can be repeated.',
  })
  @Delete('invitations/:invitation_id')
  withdraw(@InvitationId() id: string, @Caller() { name }: Principal): Promise<InvitationRecord> {
    return this.enrolments.withdraw(id, name);
  }

  @Operation(
    'List agents that joined',
    recordList('EnrolmentRecord', 'By computer; with `revoked`, latest first.'),
  )
  @Get('enrolments')
  agents(
    @QueryFlag('revoked', 'Whether to include revoked agents.') revoked: boolean,
  ): Promise<EnrolmentRecord[]> {
    return this.enrolments.agents(revoked);
  }

  @Operation('Approve an agent', record('EnrolmentRecord', 'The agent.'), {
    description:
      'An agent that waits for approval gets its credentials within seconds. The request can be repeated.',
  })
  @Action('enrolments/:computer/approve', 200)
  approve(@Computer() computer: string, @Caller() { name }: Principal): Promise<EnrolmentRecord> {
    return this.enrolments.approve(computer, name);
  }

  @Operation('Revoke an agent', record('EnrolmentRecord', 'The revoked agent.'), {
    description:
      'The broker cuts the connection of the agent at once and refuses its key from now on. Its tasks are treated as those of a computer that was lost. Another agent of the computer may join with a new invitation. The request can be repeated.',
    problems: ['service_unavailable'],
  })
  @Action('enrolments/:computer/revoke', 200)
  revoke(
    @Computer() computer: string,
    @OptionalBody(RevocationSubmission, revocationSubmissions) { reason }: RevocationSubmission,
    @Caller() { name }: Principal,
  ): Promise<EnrolmentRecord> {
    return this.enrolments.revoke(computer, reason ?? '', name);
  }
}

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import {
  agentProtocol,
  invitationS,
  orchestratorRequests,
  serviceRequests,
  ServiceError,
  type EnrolmentRecord,
  type InvitationRecord,
  type InvitationSubmission,
  type NewInvitationRecord,
  type ProtocolRange,
} from '@lab/contracts';
import type { AgentEnrolmentRow, AgentInvitationRow } from '@lab/persistence';
import { AgentIssuer } from '@lab/trust/agent-issuer';
import { reading } from '@lab/trust/key-ring';
import { isProven, joinText } from '@lab/trust/agent-key';
import { fingerprintOf } from '@lab/trust/fingerprint';
import type { OfferedPackage, SignedOffer } from '@lab/trust/offer';
import type { PassHolder } from '@lab/trust/pass';
import type { Orchestrator } from '../orchestrator/index.js';
import type { EnrolmentStore, Requests } from '../ports/index.js';

/** How long the credentials of an agent are valid, in milliseconds. The agent renews them at half of this time. */
const validMs = 7 * 86_400_000;
/** Most invitations and agents in one answer. */
const mostListed = 2_000;
/** Milliseconds for the leading orchestrator to tell the broker who is revoked. */
const cutMs = 5_000;

/** The authorities that computers must trust. They may change while the gateway runs. */
export interface TrustedAuthorities {
  /** PEM certificates. */
  certificates(): string;
  /** The same as a list that the service has signed for computers that joined; undefined: the authority was never replaced. */
  signedList(): string | undefined;
}

/** What agents are told about this service. */
export interface EnrolmentOptions {
  /** Text of the key that admits agents; undefined: no agent can join. */
  issuer: string | (() => string) | undefined;
  /** The authorities that computers must trust; undefined: they trust what their system trusts. */
  authorities: TrustedAuthorities | undefined;
  /** Address of the gateway for computers of the lab. */
  publicUrl: string;
  /** Addresses of the broker for agents, with commas between them. Undefined: through the gateway. */
  brokers: string | undefined;
  /** Public code key of the lab, which computers that join demand from then on. Undefined: none. */
  codeKey?: string | undefined;
}

/** What the computer sends to join. */
export interface JoinRequest {
  /** Id of the invitation. */
  id: string;
  secret: string;
  /** Name of the computer, if the invitation leaves it open. */
  computer?: string | undefined;
  /** Public key of the agent. */
  key: string;
  /** Signature of {@link joinText} with the private key, so that nobody joins with the key of another. */
  proof: string;
  version: string;
}

/** What an agent needs to connect. */
export interface Admission {
  computer: string;
  /** Signed statement that the key belongs to the computer. */
  statement: string;
  /** Public key with which the agent verifies what the leading orchestrator signs. */
  authority: string;
  /** Public key with which the agent verifies which code the service has signed. */
  code_key: string;
  /** Public code key of the lab. Absent: the signature of the service suffices. */
  lab_code_key?: string;
  brokers: string;
  /** End of the statement. */
  valid_until: string;
}

/** Lets agents join, renews their credentials, and revokes them. */
export class Enrolments {
  readonly #issuer: (() => AgentIssuer) | undefined;
  readonly #fingerprint: () => string;

  constructor(
    private readonly store: EnrolmentStore,
    private readonly orchestrator: Orchestrator,
    private readonly requests: Requests,
    readonly options: EnrolmentOptions,
    private readonly now: () => number = Date.now,
  ) {
    const { issuer } = options;
    // Made at the first use, because it takes some 30 ms, which a start would wait for, and anew when the key was replaced.
    if (issuer !== undefined)
      this.#issuer = reading(
        () => (typeof issuer === 'string' ? issuer : issuer()),
        (text) => new AgentIssuer(text, this.now),
      );
    const { authorities } = options;
    this.#fingerprint =
      authorities === undefined ? () => 'system' : reading(() => authorities.certificates(), fingerprintOf);
    this.#fingerprint();
  }

  /**
   * @param by name of the person
   * @throws ServiceError `invalid`, and `wrong_state` when no agent can join, or the agent of the computer has joined
   */
  async invite(
    {
      computer,
      lab,
      uses = 1,
      approval = false,
      expires_in_s: seconds = invitationS.usual,
    }: InvitationSubmission,
    by: string,
  ): Promise<NewInvitationRecord> {
    this.#required();
    if (computer.includes('*') && uses === 1)
      throw invalid(
        'computer',
        'pattern',
        '`*` stands for several computers',
        'say with uses how many may join',
      );
    if (!computer.includes('*') && uses > 1)
      throw invalid(
        'uses',
        'one_computer',
        'one name is that of one computer',
        'write * in the name of the computer',
      );
    if (lab !== undefined) await this.#requireDeclared(computer, lab);
    await this.#requireFree(computer);
    // Base64 may begin with "-", which a command line takes for an option.
    const id = randomBytes(9).toString('hex');
    const secret = randomBytes(32).toString('base64url');
    const now = this.now();
    const row = {
      ...{ id, computer, uses, secret_hash: hashOf(secret), lab: lab ?? null, needs_approval: approval },
      ...{ created_at: iso(now), created_by: by, expires_at: iso(now + seconds * 1_000) },
    };
    await this.store.invite(row);
    const token = `svc_join_${this.#fingerprint()}.${id}.${secret}`;
    const { publicUrl } = this.options;
    return {
      ...invitationRecord({ ...row, used: 0, withdrawn_at: null, withdrawn_by: null }),
      ...{ token, url: publicUrl, command: `svc-agent join ${publicUrl} ${token}` },
    };
  }

  async invitations(): Promise<InvitationRecord[]> {
    return (await this.store.invitations(mostListed)).map(invitationRecord);
  }

  /** @throws ServiceError `not_found` */
  async withdraw(id: string, by: string): Promise<InvitationRecord> {
    const invitation = await this.store.invitation(id);
    if (invitation === undefined) throw new ServiceError('not_found', `There is no invitation "${id}".`);
    await this.store.withdraw(id, by, iso(this.now()));
    return invitationRecord(invitation);
  }

  async agents(revoked: boolean): Promise<EnrolmentRecord[]> {
    return this.store.list({ revoked, limit: mostListed });
  }

  /**
   * Lets an agent join. A repetition with the same key gets the same answer.
   *
   * @param address of the computer
   * @returns undefined: an administrator must approve it first
   * @throws ServiceError `unauthorized` for a wrong token, `forbidden` for one that is of no use any more, `wrong_state` when
   *   another agent of the computer has joined, `invalid` when the key is not proven
   */
  async join(asked: JoinRequest, address: string): Promise<Admission | undefined> {
    this.#required();
    const invitation = await this.store.invitation(asked.id);
    if (invitation === undefined || !isSecretOf(invitation, asked.secret))
      throw new ServiceError(
        'unauthorized',
        'This service has made no such token. Copy the whole line that "svc agent invite" printed.',
      );
    const computer = nameFor(invitation, asked.computer);
    if (!isProven(asked.key, joinText(asked.id, asked.key), asked.proof))
      throw invalid('proof', 'not_proven', 'does not prove that the agent has the private key', 'join again');
    const now = this.now();
    const known = await this.store.byKey(asked.key);
    if (known === undefined) requireInForce(invitation, now);
    const { key, version } = asked;
    const joined = await this.store.join(
      invitation.id,
      { key, computer, address, version },
      !invitation.needs_approval,
      iso(now),
    );
    if (joined === 'spent')
      throw new ServiceError(
        'forbidden',
        'This token was used already. An administrator makes a new one with "svc agent invite".',
      );
    if (joined === 'taken') throw taken(computer);
    if (joined === 'revoked')
      throw new ServiceError(
        'forbidden',
        `This key is not accepted for ${computer} any more. Join with a new token.`,
      );
    return joined.approved_at === null ? undefined : this.#admission(joined, version);
  }

  /**
   * New credentials for an agent that has some.
   *
   * @param pass proof of who the agent is, for the purpose `renew`
   * @throws ServiceError `unauthorized` and `forbidden`
   */
  async renew(pass: string, version: string): Promise<Admission> {
    const issuer = this.#required();
    // A computer that was off for weeks may renew: its key was not revoked.
    const holder = issuer.holder(pass, 'renew', this.now(), true);
    if (typeof holder === 'string') throw refusedPass(holder, this.now());
    return this.#admission(await this.#enrolled(holder), version);
  }

  /**
   * The agent that asks for a connection to the broker.
   *
   * @param header `authorization` of the request
   * @throws ServiceError `unauthorized` and `forbidden`
   */
  async admit(header: string | undefined): Promise<PassHolder> {
    const holder = this.#required().holder(header, 'broker', this.now());
    if (typeof holder === 'string') throw refusedPass(holder, this.now());
    const known = await this.store.byKey(holder.key);
    // Credentials of "svc broker credentials" belong to no invitation. The broker decides about them.
    if (known !== undefined) await this.#enrolled(holder);
    return holder;
  }

  /**
   * Whether an agent is admitted, for its `doctor`.
   *
   * @param pass proof of who the agent is, for the purpose `check`
   * @throws ServiceError `unauthorized` and `forbidden`
   */
  async check(pass: string): Promise<{ computer: string; protocol: ProtocolRange }> {
    const holder = this.#required().holder(pass, 'check', this.now());
    if (typeof holder === 'string') throw refusedPass(holder, this.now());
    const { computer } = await this.#enrolled(holder);
    return { computer, protocol: agentProtocol };
  }

  /** Signs which packages of the agent there are. @throws ServiceError `wrong_state` when no agent can join */
  offer(packages: readonly OfferedPackage[]): SignedOffer {
    return this.#required().offer(packages, this.now());
  }

  /** @throws ServiceError `not_found` when no agent of the computer waits */
  async approve(computer: string, by: string): Promise<EnrolmentRecord> {
    const approved = await this.store.approve(computer, by, iso(this.now()));
    if (approved !== undefined) return approved;
    const known = await this.store.of(computer);
    if (known !== undefined) return known;
    throw new ServiceError('not_found', `No agent of the computer "${computer}" has joined.`);
  }

  /**
   * Revokes the agent of a computer: it is cut off at once, and its key is never accepted again. The request can be repeated.
   *
   * @throws ServiceError `not_found`; `service_unavailable` when the broker could not be told. The agent is recorded as revoked
   *   then, and cannot connect through a gateway any more
   */
  async revoke(computer: string, reason: string, by: string): Promise<EnrolmentRecord> {
    const revoked =
      (await this.store.revoke(computer, { by, reason, at: iso(this.now()) })) ??
      (await this.store.list({ revoked: true, limit: mostListed })).find(
        (each) => each.computer === computer,
      );
    if (revoked === undefined)
      throw new ServiceError('not_found', `No agent of the computer "${computer}" has joined.`);
    try {
      await this.requests.call(serviceRequests.applyRevocations, {}, {}, { timeoutMs: cutMs });
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new ServiceError(
        'service_unavailable',
        `The agent of ${computer} is recorded as revoked, but the broker was not told yet: ${why}. Repeat the request.`,
        { cause: error },
      );
    }
    return revoked;
  }

  /** @throws ServiceError `wrong_state` */
  #required(): AgentIssuer {
    if (this.#issuer !== undefined) return this.#issuer();
    throw new ServiceError(
      'wrong_state',
      'This gateway has no key that admits agents (SVC_AGENT_ISSUER). "svc start" makes it, unless SVC_NATS_URL contains a password.',
    );
  }

  async #requireDeclared(computer: string, lab: string): Promise<void> {
    const { agents } = await this.orchestrator.ask(orchestratorRequests.listAgents, {});
    const declared = agents.filter(({ labs }) => labs.includes(lab)).map((agent) => agent.computer);
    if (declared.some((name) => matches(computer, name))) return;
    throw invalid(
      'computer',
      'not_declared',
      `the laboratory ${lab} declares no computer ${computer}`,
      declared.length === 0 ? 'no laboratory of this name is loaded' : `it declares ${declared.join(', ')}`,
    );
  }

  async #requireFree(computer: string): Promise<void> {
    if (computer.includes('*') || (await this.store.of(computer)) === undefined) return;
    throw taken(computer);
  }

  /** @throws ServiceError `forbidden` when the agent was revoked or waits for approval */
  async #enrolled({ key, computer }: PassHolder): Promise<AgentEnrolmentRow> {
    const row = await this.store.byKey(key);
    if (row === undefined || row.computer !== computer || row.revoked_at !== null)
      throw new ServiceError(
        'forbidden',
        `The agent of ${computer} was revoked. Join again with a new token.`,
      );
    if (row.approved_at === null)
      throw new ServiceError('forbidden', `An administrator has not approved the agent of ${computer} yet.`);
    return row;
  }

  /**
   * What the service has replaced since computers joined, in signed lines: first its keys, then its certificate authorities, which
   * are signed with the newest key. Empty: nothing.
   */
  replacements(): string {
    const authorities = this.options.authorities?.signedList();
    return [...(this.#issuer?.().links ?? []), ...(authorities === undefined ? [] : [authorities])].join(
      '\n',
    );
  }

  async #admission({ key, computer }: AgentEnrolmentRow, version: string): Promise<Admission> {
    const issuer = this.#required();
    const until = this.now() + validMs;
    const statement = await issuer.statement(key, computer, until);
    if (!(await this.store.issued(key, iso(until), version)))
      throw new ServiceError('forbidden', `The agent of ${computer} was revoked.`);
    const { publicUrl, brokers, codeKey } = this.options;
    return {
      ...{ computer, statement, authority: issuer.authority, valid_until: iso(until) },
      code_key: issuer.codeKey,
      ...(codeKey === undefined ? {} : { lab_code_key: codeKey }),
      brokers: brokers ?? `${publicUrl.replace(/^http/, 'ws')}/agents/broker`,
    };
  }
}

/** @throws ServiceError `forbidden` */
function requireInForce({ expires_at: end, withdrawn_at: withdrawn }: AgentInvitationRow, now: number): void {
  const another = 'An administrator makes a new one with "svc agent invite".';
  if (withdrawn !== null) throw new ServiceError('forbidden', `This token was withdrawn. ${another}`);
  if (Date.parse(end) <= now) throw new ServiceError('forbidden', `This token expired at ${end}. ${another}`);
}

/** @throws ServiceError `invalid` */
function nameFor({ computer }: AgentInvitationRow, said: string | undefined): string {
  if (!computer.includes('*')) {
    if (said === undefined || said === computer) return computer;
    throw invalid(
      'computer',
      'other_computer',
      `the token is for the computer ${computer}`,
      `join without the name ${said}`,
    );
  }
  if (said === undefined)
    throw invalid(
      'computer',
      'missing',
      `the token is for computers named ${computer}`,
      'say the name with --computer',
    );
  if (!said.includes('*') && matches(computer, said)) return said;
  throw invalid(
    'computer',
    'other_computer',
    `the token is for computers named ${computer}`,
    `${said} is none of them`,
  );
}

function matches(pattern: string, name: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(name);
}

function isSecretOf({ secret_hash: kept }: AgentInvitationRow, secret: string): boolean {
  return timingSafeEqual(Buffer.from(kept, 'hex'), Buffer.from(hashOf(secret), 'hex'));
}

/** A plain hash is enough, because nobody can guess 32 random bytes. */
const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');

const iso = (ms: number): string => new Date(ms).toISOString();

function invitationRecord({
  secret_hash: _,
  withdrawn_at: _at,
  withdrawn_by: _by,
  ...record
}: AgentInvitationRow): InvitationRecord {
  return record;
}

function taken(computer: string): ServiceError {
  return new ServiceError(
    'wrong_state',
    `The agent of ${computer} has joined already. If it is gone for good, an administrator revokes it first: svc agent revoke ${computer}`,
  );
}

function refusedPass(fault: string, now: number): ServiceError {
  const text =
    fault === 'clock'
      ? `The clock of the computer differs too much from that of the service, where it is ${iso(now)}.`
      : fault === 'expired'
        ? 'The credentials of the agent have expired. The agent renews them by itself.'
        : `The agent has not shown who it is: ${fault}.`;
  return new ServiceError('unauthorized', text);
}

function invalid(path: string, code: string, message: string, hint: string): ServiceError {
  return new ServiceError('invalid', 'This computer cannot join like this.', {
    faults: [{ path, code, message, hint }],
  });
}

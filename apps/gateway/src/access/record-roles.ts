import { Injectable } from '@nestjs/common';
import { ServiceError, type Principal, type Role } from '@lab/contracts';
import type { FastifyRequest } from 'fastify';
import { RecordLabs, recordKinds, type RecordKind } from './record-labs.js';
import { generalized, hasRole, hasRoleInAny } from './roles.js';

/** Roles over records that belong to labs. */
@Injectable()
export class RecordRoles {
  constructor(private readonly labs: RecordLabs) {}

  /**
   * A role counts when the caller has it for every lab of the record. For the rest of the request the caller has such roles
   * as if they were for all labs, so that later checks, for example of the owner, need not know the labs.
   *
   * @returns the caller for the rest of the request
   * @throws ServiceError `forbidden` without the role, `not_found` for a record that the caller may not see; errors of the
   *   look-up of the labs of the record
   */
  async over(
    principal: Principal,
    role: Role,
    kind: RecordKind,
    address: Pick<FastifyRequest, 'params' | 'query'>,
  ): Promise<Principal> {
    return generalOver(principal, role, kind, await this.labs.of(kind, address));
  }

  /**
   * The same for a submission that may resume work of its name. It passes a name that no work has.
   *
   * @throws as {@link over}
   */
  async overResumed(
    principal: Principal,
    kind: 'campaign' | 'protocol_run',
    { name, resume }: { name: string; resume?: boolean },
  ): Promise<Principal> {
    if (resume !== true || isSettled(principal, 'submitter', 'POST')) return principal;
    const params = { [recordKinds[kind].parameter]: name };
    const labs = await this.labs.of(kind, { params, query: {} });
    return labs === undefined ? principal : generalOver(principal, 'submitter', kind, labs);
  }
}

/** @param labs undefined: there is no such record */
function generalOver(
  principal: Principal,
  role: Role,
  kind: RecordKind,
  labs: readonly string[] | undefined,
): Principal {
  const general = labs === undefined || labs.length === 0 ? principal : generalized(principal, labs);
  if (hasRole(general, role)) return general;
  if (labs !== undefined && hasRole(general, 'viewer'))
    throw lackingRole(principal, role, 'every laboratory that this belongs to');
  // One answer for a record of other labs and for no record: it must not reveal whether the record exists.
  throw new ServiceError(
    'not_found',
    `There is no ${recordKinds[kind].words} in the laboratories for which "${principal.name}" has the role ${role}.`,
  );
}

/**
 * Whether the labs of a record make no difference for a caller. A caller with the role for all labs may also be an operator
 * in some labs, who may change the work of others there.
 */
export function isSettled(principal: Principal, role: Role, method: string): boolean {
  const isEnough = hasRole(principal, role);
  if (isEnough && (method === 'GET' || method === 'HEAD' || hasRole(principal, 'operator'))) return true;
  return !hasRoleInAny(principal, isEnough ? 'operator' : role);
}

export function lackingRole(principal: Principal, role: Role, where: string): ServiceError {
  return new ServiceError(
    'forbidden',
    `This needs the role ${role} for ${where}; "${principal.name}" has ${grantsText(principal)}.`,
  );
}

function grantsText({ grants }: Principal): string {
  if (grants.length === 0) return 'none';
  return grants.map(({ role, lab }) => (lab === undefined ? role : `${role} of ${lab}`)).join(', ');
}

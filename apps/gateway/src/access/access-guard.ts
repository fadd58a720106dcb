import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ServiceError, type Principal, type Role } from '@lab/contracts';
import type { FastifyRequest } from 'fastify';
import { anyLab, labFilter, needKey, type Need, type RouteNeed } from './needs.js';
import { RecordLabs, recordKinds, type RecordKind } from './record-labs.js';
import { hasRole, hasRoleInAny, labsWith, generalized } from './roles.js';

/** Admits a request when the caller has the role that the route needs. Refuses every route that declares no need. */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly labs: RecordLabs,
  ) {}

  /**
   * @throws ServiceError `unauthorized` without a token, `forbidden` without the role, `not_found` for a record that the
   *   caller may not see; errors of the look-up of the labs of a record
   */
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const need = this.reflector.getAllAndOverride<RouteNeed | undefined>(needKey, [
      context.getHandler(),
      context.getClass(),
    ]);
    if (need === 'nothing') return true;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (need === undefined) throw new ServiceError('forbidden', 'Nobody may use this address.');
    const { principal } = request;
    if (principal === null) throw noToken();
    if (need === 'identity') return true;
    if (need.of !== undefined && !isSettled(principal, need.role, request.method))
      return this.requireRoleOver(principal, need.role, need.of, request);
    requireRole(principal, need, request);
    if (need.lab === labFilter && !hasRole(principal, need.role))
      request.within = labsWith(principal, need.role);
    return true;
  }

  /**
   * A role counts when the caller has it for every lab of the record. For the rest of the request the caller has such roles
   * as if they were for all labs, so that later checks, for example of the owner, need not know the labs.
   */
  private async requireRoleOver(
    principal: Principal,
    role: Role,
    kind: RecordKind,
    request: FastifyRequest,
  ): Promise<boolean> {
    const labs = await this.labs.of(kind, request);
    const general = labs === undefined || labs.length === 0 ? principal : generalized(principal, labs);
    if (hasRole(general, role)) {
      request.principal = general;
      return true;
    }
    if (labs !== undefined && hasRole(general, 'viewer'))
      throw lackingRole(principal, role, 'every laboratory that this belongs to');
    // One answer for a record of other labs and for no record: it must not reveal whether the record exists.
    throw new ServiceError(
      'not_found',
      `There is no ${recordKinds[kind].words} in the laboratories for which "${principal.name}" has the role ${role}.`,
    );
  }
}

/**
 * Whether the labs of a record make no difference for a caller. A caller with the role for all labs may also be an operator
 * in some labs, who may change the work of others there.
 */
function isSettled(principal: Principal, role: Role, method: string): boolean {
  const isEnough = hasRole(principal, role);
  if (isEnough && (method === 'GET' || method === 'HEAD' || hasRole(principal, 'operator'))) return true;
  return !hasRoleInAny(principal, isEnough ? 'operator' : role);
}

/** The error for a caller without a token where one is needed. */
export function noToken(): ServiceError {
  return new ServiceError(
    'unauthorized',
    'This needs a token: send it with the header "Authorization: Bearer <token>". ' +
      'An administrator creates one with "svc token create".',
  );
}

/** @throws ServiceError `forbidden`, with the role that is missing */
export function requireRole(principal: Principal, { role, lab: field }: Need, request: FastifyRequest): void {
  if (field === anyLab) {
    if (hasRoleInAny(principal, role)) return;
    throw lackingRole(principal, role, 'a laboratory');
  }
  for (const lab of labsOf(request, field)) {
    if (hasRole(principal, role, lab)) continue;
    const all =
      field === labFilter ? 'all laboratories, or for the one that ?lab= names' : 'all laboratories';
    throw lackingRole(principal, role, lab === undefined ? all : `the laboratory "${lab}"`);
  }
}

function lackingRole(principal: Principal, role: Role, where: string): ServiceError {
  return new ServiceError(
    'forbidden',
    `This needs the role ${role} for ${where}; "${principal.name}" has ${grantsText(principal)}.`,
  );
}

/**
 * The labs that a request names, before the request is checked. Any value that is not a name or a list of names counts as
 * all labs (undefined), which only a role for all labs covers.
 */
function labsOf(request: FastifyRequest, field: string | undefined): (string | undefined)[] {
  if (field === undefined) return [undefined];
  if (field === labFilter) return [textOf(own(request.query, 'lab'))];
  const given = own(request.params, field) ?? own(request.body, field);
  const names: unknown[] = Array.isArray(given) ? given : [given];
  return names.length > 0 && names.every((name) => typeof name === 'string') ? names : [undefined];
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function own(object: unknown, field: string): unknown {
  return typeof object === 'object' && object !== null && Object.hasOwn(object, field)
    ? (object as Record<string, unknown>)[field]
    : undefined;
}

function grantsText({ grants }: Principal): string {
  if (grants.length === 0) return 'none';
  return grants.map(({ role, lab }) => (lab === undefined ? role : `${role} of ${lab}`)).join(', ');
}

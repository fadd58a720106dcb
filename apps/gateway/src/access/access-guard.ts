import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ServiceError, type Principal } from '@lab/contracts';
import type { FastifyRequest } from 'fastify';
import { anyLab, labFilter, needKey, ownLabs, type Need, type RouteNeed } from './needs.js';
import { isSettled, lackingRole, RecordRoles } from './record-roles.js';
import { hasRole, hasRoleInAny, labsWith, rightsOf } from './roles.js';

/** Admits a request when the caller has the role that the route needs. Refuses every route that declares no need. */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly recordRoles: RecordRoles,
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
    request.rights = rightsOf(principal);
    if (need.of !== undefined && !isSettled(principal, need.role, request.method)) {
      const { role, of } = need;
      return this.recordRoles.over(principal, role, of, request).then((general) => {
        request.principal = general;
        return true;
      });
    }
    requireRole(principal, need, request);
    if ((need.lab === labFilter || need.lab === ownLabs) && !hasRole(principal, need.role))
      request.within = labsWith(principal, need.role);
    return true;
  }
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
  if (field === anyLab || (field === ownLabs && own(request.query, 'lab') === undefined)) {
    if (hasRoleInAny(principal, role)) return;
    throw lackingRole(principal, role, 'a laboratory');
  }
  for (const lab of labsOf(request, field)) {
    if (hasRole(principal, role, lab)) continue;
    const all =
      field === labFilter || field === ownLabs
        ? 'all laboratories, or for the one that ?lab= names'
        : 'all laboratories';
    throw lackingRole(principal, role, lab === undefined ? all : `the laboratory "${lab}"`);
  }
}

/**
 * The labs that a request names, before the request is checked. Any value that is not a name or a list of names counts as
 * all labs (undefined), which only a role for all labs covers.
 */
function labsOf(request: FastifyRequest, field: string | undefined): (string | undefined)[] {
  if (field === undefined) return [undefined];
  if (field === labFilter || field === ownLabs) return [textOf(own(request.query, 'lab'))];
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

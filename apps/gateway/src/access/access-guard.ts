import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ServiceError, type Principal } from '@lab/contracts';
import type { FastifyRequest } from 'fastify';
import { needKey, type Need, type RouteNeed } from './needs.js';
import { hasRole } from './roles.js';

/** Lets a request through to its route when the caller has the role that the route asks for, and none without one. */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  /** @throws ServiceError `unauthorized` without a token, `forbidden` without the role */
  canActivate(context: ExecutionContext): boolean {
    const need = this.reflector.getAllAndOverride<RouteNeed | undefined>(needKey, [
      context.getHandler(),
      context.getClass(),
    ]);
    if (need === 'nothing') return true;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (need === undefined) throw new ServiceError('forbidden', 'Nobody may use this address.');
    const { principal } = request;
    if (principal === null) throw noToken();
    if (need !== 'identity') requireRole(principal, need, request);
    return true;
  }
}

/** What somebody is told who shows no token where one is needed. */
export function noToken(): ServiceError {
  return new ServiceError(
    'unauthorized',
    'This needs a token: send it with the header "Authorization: Bearer <token>". ' +
      'An administrator makes one with "svc token create".',
  );
}

/** @throws ServiceError `forbidden`, with the role that is missing */
export function requireRole(principal: Principal, { role, lab: field }: Need, request: FastifyRequest): void {
  for (const lab of labsOf(request, field)) {
    if (hasRole(principal, role, lab)) continue;
    throw new ServiceError(
      'forbidden',
      `This needs the role ${role} for ${lab === undefined ? 'all laboratories' : `the laboratory "${lab}"`}; ` +
        `"${principal.name}" has ${grantsText(principal)}.`,
    );
  }
}

/**
 * The labs that a request names, before anything of it is checked: whatever is not a name, or a list of names, counts as
 * all labs (undefined), for which only a role without a lab is enough.
 */
function labsOf(request: FastifyRequest, field: string | undefined): (string | undefined)[] {
  if (field === undefined) return [undefined];
  const given = own(request.params, field) ?? own(request.body, field);
  const names: unknown[] = Array.isArray(given) ? given : [given];
  return names.length > 0 && names.every((name) => typeof name === 'string') ? names : [undefined];
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

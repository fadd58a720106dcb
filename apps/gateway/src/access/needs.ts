import type { Role } from '@lab/contracts';
import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';

export interface Need {
  role: Role;
  /**
   * Name of the route parameter or body field that says which lab, or which labs, it is about. Without it, or when the
   * request leaves the field out, the role must be for all labs.
   */
  lab?: string;
}

/** Key of the metadata under which the need of a route stands; a route without it is refused to everybody. */
export const needKey = 'svc:need';

/** Under which the OpenAPI document has the need of an operation. */
export const needExtension = 'x-needs';

/** The least role that a route asks of its caller. */
export const Needs = (role: Role, options: { lab?: string } = {}): MethodDecorator & ClassDecorator =>
  need({ role, ...options });

/** A route that is open to everybody, with or without a token. */
export const NeedsNothing = (): MethodDecorator & ClassDecorator => need('nothing');

/** A route for everybody whose token is valid, whatever roles it has: one that only tells or gives them their own. */
export const NeedsIdentity = (): MethodDecorator & ClassDecorator => need('identity');

/** What stands under {@link needKey}. */
export type RouteNeed = Need | 'nothing' | 'identity';

function need(value: RouteNeed): MethodDecorator & ClassDecorator {
  return applyDecorators(SetMetadata(needKey, value), ApiExtension(needExtension, value));
}

import type { Role } from '@lab/contracts';
import { SetMetadata } from '@nestjs/common';

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

/** The least role that a route asks of its caller. */
export const Needs = (role: Role, options: { lab?: string } = {}): MethodDecorator & ClassDecorator =>
  SetMetadata<string, Need>(needKey, { role, ...options });

/** A route that is open to everybody, with or without a token. */
export const NeedsNothing = (): MethodDecorator & ClassDecorator => SetMetadata(needKey, 'nothing');

/** A route for everybody whose token is valid, whatever roles it has: one that only tells or gives them their own. */
export const NeedsIdentity = (): MethodDecorator & ClassDecorator => SetMetadata(needKey, 'identity');

/** What stands under {@link needKey}. */
export type RouteNeed = Need | 'nothing' | 'identity';

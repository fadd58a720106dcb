import type { Role } from '@lab/contracts';
import { SetMetadata } from '@nestjs/common';

export interface Need {
  role: Role;
  /** Name of the route parameter or body field that says which lab it is about; without it the role must be for all labs. */
  lab?: string;
}

/** Key of the metadata under which the need of a route stands; a route without it is refused to everybody. */
export const needKey = 'svc:need';

/** The least role that a route asks of its caller. */
export const Needs = (role: Role, options: { lab?: string } = {}): MethodDecorator & ClassDecorator =>
  SetMetadata<string, Need>(needKey, { role, ...options });

/** A route that is open to everybody, with or without a token. */
export const NeedsNothing = (): MethodDecorator & ClassDecorator => SetMetadata(needKey, 'nothing');

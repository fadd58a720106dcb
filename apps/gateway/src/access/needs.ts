import type { Role } from '@lab/contracts';
import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import type { RecordKind } from './record-labs.js';

/** Stands in {@link Need.lab} for a route that is open to whoever has the role for any one lab. */
export const anyLab = '*';

/** Stands in {@link Need.lab} for a list whose query parameter `lab` says which lab it is about. */
export const labFilter = '?lab';

/** What a route asks of its caller. With neither `lab` nor `of` the role must be for all labs. */
export interface Need {
  role: Role;
  /**
   * Name of the route parameter or body field that says which lab, or which labs, it is about; when the request leaves it
   * out, the role must be for all labs. Or {@link anyLab}, or {@link labFilter}.
   */
  lab?: string;
  /** The address names a record of this kind, and the role must be for every lab that the record belongs to, or for all. */
  of?: RecordKind;
}

/** Key of the metadata under which the need of a route stands; a route without it is refused to everybody. */
export const needKey = 'svc:need';

/** Under which the OpenAPI document has the need of an operation. */
export const needExtension = 'x-needs';

/** The least role that a route asks of its caller. */
export const Needs = (
  role: Role,
  options: Pick<Need, 'lab'> | Pick<Need, 'of'> = {},
): MethodDecorator & ClassDecorator => need({ role, ...options });

/** A route that is open to everybody, with or without a token. */
export const NeedsNothing = (): MethodDecorator & ClassDecorator => need('nothing');

/** A route for everybody whose token is valid, whatever roles it has: one that only tells or gives them their own. */
export const NeedsIdentity = (): MethodDecorator & ClassDecorator => need('identity');

/** What stands under {@link needKey}. */
export type RouteNeed = Need | 'nothing' | 'identity';

function need(value: RouteNeed): MethodDecorator & ClassDecorator {
  return applyDecorators(SetMetadata(needKey, value), ApiExtension(needExtension, value));
}

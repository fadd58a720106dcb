import type { Role } from '@lab/contracts';
import { applyDecorators, SetMetadata } from '@nestjs/common';
import { documented } from '../routes/index.js';
import type { RecordKind } from './record-labs.js';

/** Value of {@link Need.lab} for a route that a role for any one lab opens. */
export const anyLab = '*';

/** Value of {@link Need.lab} for a list that the query parameter `lab` restricts to one lab. */
export const labFilter = '?lab';

/**
 * As {@link labFilter}, for an answer that itself leaves out what belongs to other labs: a request that names no lab is about
 * all labs of the caller.
 */
export const ownLabs = '?lab or own';

/** The role that a route needs. With neither `lab` nor `of`, the role must be for all labs. */
export interface Need {
  role: Role;
  /**
   * Name of the route parameter or body field that names the lab or the labs. When the request leaves it out, the role
   * must be for all labs. Or {@link anyLab}, {@link labFilter} or {@link ownLabs}.
   */
  lab?: string;
  /** The address names a record of this kind, and the role must be for every lab that the record belongs to, or for all. */
  of?: RecordKind;
}

/** Metadata key of the need of a route. A route without a need is closed to everybody. */
export const needKey = 'svc:need';

/** Key of the need in an operation of the OpenAPI document. */
export const needExtension = 'x-needs';

/** Declares the lowest role that may use a route. */
export const Needs = (
  role: Role,
  options: Pick<Need, 'lab'> | Pick<Need, 'of'> = {},
): MethodDecorator & ClassDecorator => need({ role, ...options });

/** Opens a route to everybody, with or without a token. */
export const NeedsNothing = (): MethodDecorator & ClassDecorator => need('nothing');

/** Opens a route to every valid token, with any roles: the route concerns only what belongs to the caller. */
export const NeedsIdentity = (): MethodDecorator & ClassDecorator => need('identity');

/** Value under {@link needKey}. */
export type RouteNeed = Need | 'nothing' | 'identity';

function need(value: RouteNeed): MethodDecorator & ClassDecorator {
  return applyDecorators(
    SetMetadata(needKey, value),
    documented(({ ApiExtension }) => ApiExtension(needExtension, value)),
  );
}

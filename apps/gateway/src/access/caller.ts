import { OperatorNote, type LabRights, type Principal } from '@lab/contracts';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { operatorNotes } from '../examples/index.js';
import { OptionalBody } from '../routes/index.js';
import { networkOf } from '../http/index.js';
import { actorName } from './ownership.js';
import { hasRoleInAny } from './roles.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The authenticated caller; null before authentication, and for a caller without a token. */
    principal: Principal | null;
    /** The laboratories of the caller by the roles of the caller; undefined: the guard has not admitted a caller. */
    rights?: LabRights;
    /** Whether the token or session of the request is still accepted: an answer may last longer than it. */
    isAdmitted: () => Promise<boolean>;
  }
  interface FastifyContextConfig {
    /** True: the address of the route is itself a ticket, so that no token is needed. */
    ticket?: boolean;
  }
}

/** A parameter of a handler: the caller as a {@link Principal}. Only for routes that are not open to everybody. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext) =>
  callerOf(context.switchToHttp().getRequest<FastifyRequest>()),
);

/**
 * A parameter of a handler: the laboratories of the caller. It goes to the orchestrator with every request whose answer or
 * effect depends on them.
 */
export const Rights = createParamDecorator((_: unknown, context: ExecutionContext): LabRights => {
  const { rights } = context.switchToHttp().getRequest<FastifyRequest>();
  if (rights === undefined) throw new Error('a route that is open to everybody has no caller');
  return rights;
});

/** Who acts, and the name that the record of the action gets. */
export interface Acting {
  caller: Principal;
  by: string;
}

/** A parameter of a handler: who acts, by the token or else by the optional body. */
export const Actor = (): ParameterDecorator =>
  OptionalBody(OperatorNote, operatorNotes, (note, request): Acting => {
    const caller = callerOf(request);
    return { caller, by: actorName(caller, note.by) };
  });

function callerOf({ principal }: FastifyRequest): Principal {
  if (principal === null) throw new Error('a route that is open to everybody has no caller');
  return principal;
}

/** Who asks for a stream: a person, or an address when authentication is off, since everybody has the same name then. */
export function guestOf(request: FastifyRequest): {
  key: string;
  operates: boolean;
  isAdmitted: () => Promise<boolean>;
} {
  const principal = callerOf(request);
  const key = principal.kind === 'local' ? `address ${networkOf(request.ip)}` : `person ${principal.name}`;
  return { key, operates: hasRoleInAny(principal, 'operator'), isAdmitted: request.isAdmitted };
}

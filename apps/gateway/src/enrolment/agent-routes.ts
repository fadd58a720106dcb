import type { FastifyInstance } from 'fastify';
import { ServiceError } from '@lab/contracts';
import type { SignedOffer } from '@lab/trust/offer';
import { agentsPath } from './paths.js';
import type { AgentPackages } from './agent-packages.js';
import type { Admission, Enrolments, JoinRequest } from './enrolments.js';

/**
 * What agents ask the gateway, before they can connect to the broker:
 *
 * - `GET /agents/ca`: the certificate of the authority to trust. The token of the invitation contains its fingerprint.
 * - `GET /agents/authorities`: the authorities to trust, for a computer that joined: the service has signed the list.
 * - `POST /agents/join`: credentials for a new agent; 202 while an administrator must approve it.
 * - `POST /agents/renew`: new credentials for an agent that has some.
 * - `GET /agents/packages`: which packages of the agent there are, signed with the key that admits agents.
 * - `GET /agents/packages/{name}`: a package of the agent, which contains no secret.
 * - `POST /agents/check`: whether an agent is admitted, and which versions of the protocol this release speaks.
 *
 * The routes need no token of a person: what the agent sends proves what it may do.
 */
export function serveAgents(fastify: FastifyInstance, enrolments: Enrolments, packages: AgentPackages): void {
  fastify.get(`${agentsPath}/packages`, async (_request, reply) =>
    reply.send(enrolments.offer(await packages.list()) satisfies SignedOffer),
  );
  fastify.get<{ Params: { name: string } }>(`${agentsPath}/packages/:name`, async (request, reply) => {
    const { size, content } = await packages.open(request.params.name);
    return reply.type('application/octet-stream').header('content-length', size).send(content);
  });

  fastify.get(`${agentsPath}/ca`, async (_request, reply) => {
    const { authorities } = enrolments.options;
    if (authorities === undefined)
      throw new ServiceError('not_found', 'This service has no certificate authority of its own.');
    await reply.type('application/x-pem-file').send(authorities.certificates());
  });
  fastify.get(`${agentsPath}/authorities`, async (_request, reply) => {
    const signed = enrolments.replacements();
    if (signed === '')
      throw new ServiceError(
        'not_found',
        'This service has never replaced its key or its certificate authority.',
      );
    await reply.type('text/plain').send(signed);
  });
  const open = { config: { ticket: true }, bodyLimit: 16_384 };
  fastify.post(`${agentsPath}/join`, open, async (request, reply) => {
    const admission = await enrolments.join(joinRequest(request.body), request.ip);
    if (admission === undefined) return reply.code(202).send({ state: 'waiting for approval' });
    return reply.send(admission satisfies Admission);
  });
  fastify.post(`${agentsPath}/renew`, open, async (request, reply) => {
    const body = fieldsOf(request.body);
    return reply.send(await enrolments.renew(textOf(body, 'pass', 4_096), textOf(body, 'version', 100)));
  });
  fastify.post(`${agentsPath}/check`, open, async (request, reply) =>
    reply.send(await enrolments.check(textOf(fieldsOf(request.body), 'pass', 4_096))),
  );
}

function joinRequest(given: unknown): JoinRequest {
  const body = fieldsOf(given);
  return {
    id: textOf(body, 'id', 64),
    secret: textOf(body, 'secret', 128),
    key: textOf(body, 'key', 128),
    proof: textOf(body, 'proof', 256),
    version: textOf(body, 'version', 100),
    computer: body['computer'] === undefined ? undefined : textOf(body, 'computer', 200),
  };
}

function fieldsOf(body: unknown): Record<string, unknown> {
  if (typeof body === 'object' && body !== null && !Array.isArray(body))
    return body as Record<string, unknown>;
  throw new ServiceError('invalid', 'The body must be a JSON object.');
}

function textOf(body: Record<string, unknown>, field: string, most: number): string {
  const value = body[field];
  if (typeof value === 'string' && value !== '' && value.length <= most) return value;
  throw new ServiceError('invalid', 'The request is not one of an agent.', {
    faults: [{ path: field, code: 'text', message: `must be a text of 1 to ${most} characters` }],
  });
}

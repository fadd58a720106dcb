import type { RefusalKind, ServiceError } from '@lab/contracts';
import type { FastifyRequest } from 'fastify';
import { actionOf } from '../audit/index.js';
import { networkOf } from '../http/index.js';
import { tokenExchangePath } from '../pipelines/index.js';
import type { Refusal } from './refusal-log.js';

/**
 * The refusal that an answer is; undefined: it is none. It has no part of the address of the request, which may be a ticket.
 */
export function refusalOf(error: ServiceError, request: FastifyRequest): Refusal | undefined {
  const kind = kindOf(error, request);
  if (kind === undefined) return undefined;
  return {
    kind,
    principal: request.principal?.name ?? '',
    address: networkOf(request.ip),
    action: request.routeOptions.url === undefined ? `${request.method} (no route)` : actionOf(request),
    requestId: request.id,
  };
}

function kindOf(
  { code, faults }: ServiceError,
  { headers, principal, routeOptions: { url = '' } }: FastifyRequest,
): RefusalKind | undefined {
  if (code === 'too_many_requests') return 'too_many';
  if (url === tokenExchangePath)
    return code === 'unauthorized' || code === 'forbidden' ? 'wrong_token' : undefined;
  if (code === 'unauthorized') return headers.authorization === undefined ? 'no_token' : 'wrong_token';
  if (code === 'misdirected') return 'origin';
  if (code === 'forbidden') {
    if (/^\/api\/(uploads|downloads)\//.test(url)) return 'wrong_ticket';
    // The rules of origins apply before anybody knows the caller.
    return principal === null ? 'origin' : 'role';
  }
  const isWebhook = code === 'invalid' && url.startsWith('/api/webhooks');
  return isWebhook && faults?.some((fault) => fault.code === 'address') === true
    ? 'webhook_address'
    : undefined;
}

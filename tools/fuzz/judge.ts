import { operationAt, type OpenApiDocument } from '../shared/openapi.js';
import type { RawReply } from '../shared/raw-sender.js';
import { Conformity } from './conformity.js';
import type { Fault } from './findings.js';
import { isAllowed, isForeign, isOperator, ownLabs } from './people.js';
import type { FuzzRequest } from './request.js';

export type Judge = (key: string | undefined, request: FuzzRequest, reply: RawReply) => Fault | undefined;

/** Judges replies by the document. It remembers who owns each submission that it has seen. */
export function judgeBy(document: OpenApiDocument): Judge {
  const conformity = new Conformity(document);
  const owners = new Map<string, string>();
  return (key, request, reply) => {
    const name = key ?? 'no route';
    const { status, body } = reply;
    if (
      status === 0 ||
      (status >= 500 && !isUnavailableDevice(document, key, reply) && !isHealth(key, reply))
    )
      return {
        kind: 'server_errors',
        text: `${name}: ${status === 0 ? body : `${status} ${codeOf(body)}`}`,
      };
    if (status >= 200 && status < 300 && key !== undefined) {
      const breach = breachOf(document, key, request, reply, owners);
      if (breach !== undefined) return { kind: 'unauthenticated_successes', text: `${name}: ${breach}` };
    }
    if (request.method === 'HEAD') return undefined;
    const mismatch = conformity.fault(key, reply);
    return mismatch === undefined ? undefined : { kind: 'schema_mismatches', text: `${name}: ${mismatch}` };
  };
}

/** A success that the caller was not allowed; undefined: it was allowed. */
function breachOf(
  document: OpenApiDocument,
  key: string,
  { path, caller, given }: FuzzRequest,
  { status, body }: RawReply,
  owners: Map<string, string>,
): string | undefined {
  const [verb, pattern = ''] = key.split(' ');
  const { label, name, grants } = caller;
  const need = operationAt(document, key)?.['x-needs'];
  if (!isAllowed(need, grants, { ...given, query: queryOf(path) })) return `${status} to ${label}`;
  if (typeof need === 'object' && need.lab === ownLabs && isForeign(grants) && /^data:/m.test(body))
    return `an event of a foreign lab to ${label}`;
  if (verb === 'get' || need === 'nothing' || need === 'identity') return undefined;
  if (status === 201 && !pattern.includes('{')) {
    const record = JSON.parse(body) as { owner?: unknown; name?: string };
    if (typeof record.owner !== 'string') return undefined;
    owners.set(`${pattern}/${record.name}`, record.owner);
    return record.owner === name || isOperator(grants)
      ? undefined
      : `${label} submitted work of somebody else`;
  }
  // Many runs have a task of the same name, because it comes from the protocol.
  if (path.includes('protocol_run_name=')) return undefined;
  const owner = owners.get(decoded((path.split('?')[0] ?? '').split('/').slice(0, 4).join('/')) ?? '');
  return owner === undefined || owner === name || isOperator(grants)
    ? undefined
    : `${label} changed work of somebody else`;
}

/** The query parameters of a path, without those that occur twice, which mean nothing. */
function queryOf(path: string): Record<string, string> {
  const query = new URLSearchParams(path.split('?')[1]);
  return Object.fromEntries([...query].filter(([name]) => query.getAll(name).length === 1));
}

/** @returns undefined when the path is malformed */
function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

/**
 * Whether this is the described reply for a device under an emergency stop, or for one that starts after its release.
 * The fuzzer asks for both.
 */
function isUnavailableDevice(
  document: OpenApiDocument,
  key: string | undefined,
  { status, body }: RawReply,
): boolean {
  if (key === undefined || status !== 503 || codeOf(body) !== 'device_unavailable') return false;
  const [described] = Object.values(operationAt(document, key)?.responses['503']?.content ?? {});
  return 'device_unavailable' in (described?.examples ?? {}) && /\(stopped by | is initializing"/.test(body);
}

/** Whether this is the reply that a part of the service does not answer now, as happens on a busy machine. */
const isHealth = (key: string | undefined, { status, body }: RawReply): boolean =>
  status === 503 && ['get /health/ready', 'get /api/health'].includes(key ?? '') && body.includes('"parts"');

/** The code in the body of an error, or nothing. */
export const codeOf = (body: string): string => /"code":"(\w+)"/.exec(body)?.[1] ?? '';

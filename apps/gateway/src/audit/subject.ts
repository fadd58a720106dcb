import type { FastifyRequest } from 'fastify';

/** Kind of record that the audit names, by the first segment of the path of its requests. */
const kinds: Readonly<Record<string, string>> = {
  campaigns: 'campaign',
  protocols: 'protocol_run',
  tasks: 'task_run',
};
/** Requests below `/api/protocols` that are about definitions, not about a run. */
const definitionActs = ['load', 'unload', 'reload', 'validate'];

/**
 * The subject of a request: the record as other entries name it, `campaign/sweep`, `task_run/mix_1/carry` or
 * `device/my_lab.arm_1`; otherwise the path. Other parts of the query are left out, because they may be secret.
 *
 * @param made the answer to a submission, which has the name of the new work
 */
export function subjectOf({ url }: Pick<FastifyRequest, 'url'>, made?: unknown): string {
  const [path = '', query] = url.split('?', 2);
  const [root, first = '', second, third] = path.split('/').slice(1).map(decoded);
  if (root !== 'api') return path;
  if (first === 'rpc' && third !== undefined) return `device/${second}.${third}`;
  const kind = Object.hasOwn(kinds, first) ? kinds[first] : undefined;
  const name = second ?? nameOf(made);
  if (kind === undefined || name === undefined) return path;
  if (second !== undefined && third === undefined && definitionActs.includes(second)) return path;
  const run = kind === 'task_run' ? new URLSearchParams(query).get('protocol_run_name') : null;
  return run === null ? `${kind}/${name}` : `${kind}/${run}/${name}`;
}

function nameOf(made: unknown): string | undefined {
  if (typeof made !== 'object' || made === null || !('name' in made)) return undefined;
  return typeof made.name === 'string' ? made.name : undefined;
}

/** A segment of a path; a segment with a wrong escape stays as it is. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch (error) {
    if (error instanceof URIError) return segment;
    throw error;
  }
}

import { errorCatalogue, type ErrorCode } from '@lab/contracts';
import { problemMediaType } from '../http/index.js';
import { longestKey } from '../idempotency/index.js';
import { json, ref, type Answer, type BodyDescription, type OperationDescription } from '../routes/index.js';

/** Errors of every request. Each route refuses query parameters that it does not have, with `invalid`. */
const always: readonly ErrorCode[] = [
  'unauthorized',
  'bad_request',
  'forbidden',
  'uri_too_long',
  'misdirected',
  'too_many_requests',
  'internal',
  'service_unavailable',
  'invalid',
];
/** Errors of every request that may have a body, also where none belongs: the gateway reads it before it refuses it. */
const ofBodies: readonly ErrorCode[] = ['payload_too_large', 'unsupported_media_type'];
/** Errors of a request with an idempotency key. */
const ofKeys: readonly ErrorCode[] = [
  'idempotency_key_in_progress',
  'idempotency_key_reused',
  'outcome_unknown',
  'answer_not_kept',
  'store_unavailable',
];

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes a repeat safe. For 24 h, the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and the service does nothing again.',
  schema: { type: 'string', minLength: 1, maxLength: longestKey },
  example: '8e03978e-40d5-43dd-bc93-6894a57f9324',
};

const retryAfter = {
  'Retry-After': {
    description:
      'Seconds after which the same request may succeed; absent when the request may have had an effect.',
    schema: { type: 'integer', minimum: 1, maximum: 60 },
  },
};

const location = {
  Location: { description: 'Path of the record.', schema: { type: 'string' } },
};

/**
 * The OpenAPI object of a route.
 *
 * @param method in lower case
 * @param status of the answer, as Nest sends it
 */
export function operationObject(
  method: string,
  path: string,
  status: string,
  { inputs, answer, ...given }: OperationDescription,
): object {
  const acts = method !== 'get';
  const { body, dryRun } = inputs;
  const codes = [
    ...(given.problems ?? (acts ? [] : (['store_unavailable'] as const))),
    ...inputs.problems,
    ...always,
    ...(acts && body?.mediaType === undefined ? (['malformed_json'] as const) : []),
    ...(acts ? [...ofBodies, ...ofKeys] : []),
  ];
  const parameters = [...inputs.parameters, ...(given.parameters ?? []), ...(acts ? [idempotencyKey] : [])];
  return {
    operationId: operationId(method, path),
    ...(given.tag === undefined ? {} : { tags: [given.tag] }),
    parameters: parameters.sort((a, b) => Number(isInPath(b)) - Number(isInPath(a))),
    ...(body === undefined ? {} : { requestBody: requestBody(body) }),
    responses: {
      [given.status ?? status]: given.location === true ? { ...answer, headers: location } : answer,
      ...(dryRun === true && body !== undefined ? { 200: dryRunAnswer(body) } : {}),
      ...given.further,
      ...problemResponses([...new Set(codes)], given.problemContent ?? {}),
    },
  };
}

const isInPath = (parameter: object): boolean => 'in' in parameter && parameter.in === 'path';

function requestBody({
  required,
  mediaType = 'application/json',
  schema,
  examples,
}: BodyDescription): object {
  return {
    required,
    content: { [mediaType]: { schema, ...(examples === undefined ? {} : { examples }) } },
  };
}

/** `POST /api/protocols/{name}/cancel` gives `post_protocols_by_name_cancel`. */
function operationId(method: string, path: string): string {
  const words = path.split('/').filter((word) => word !== '' && word !== 'api');
  const named = words.map((word) => (word.startsWith('{') ? `by_${word.slice(1, -1)}` : word));
  return [method, ...named].join('_');
}

function dryRunAnswer({ schema }: BodyDescription): Answer {
  return {
    description: 'With `dry_run=true`: the service would accept the submission.',
    content: json({
      type: 'object',
      required: ['valid', 'dry_run', 'resolved', 'estimate', 'warnings'],
      additionalProperties: false,
      properties: {
        valid: { type: 'boolean', const: true },
        dry_run: { type: 'boolean', const: true },
        resolved: {
          ...schema,
          description:
            'The submission with the defaults of all absent fields and with hidden secrets. If it resumes work: the submission as given.',
        },
        estimate: ref('SubmissionEstimate'),
        warnings: {
          type: 'array',
          items: { type: 'string' },
          description: 'Obstacles that are no reason to refuse the submission.',
        },
      },
    }),
  };
}

function problemResponses(
  codes: readonly ErrorCode[],
  further: Readonly<Record<number, object>>,
): Record<string, object> {
  const statuses = [...new Set(codes.map((code) => errorCatalogue[code].status))];
  return Object.fromEntries(
    statuses.map((status) => {
      const of = codes.filter((code) => errorCatalogue[code].status === status);
      const response = {
        description: of.map((code) => `\`${code}\`: ${errorCatalogue[code].title}.`).join(' '),
        ...(of.some((code) => errorCatalogue[code].retryable) ? { headers: retryAfter } : {}),
        content: {
          [problemMediaType]: {
            schema: ref('Problem'),
            examples: Object.fromEntries(of.map((code) => [code, { value: problem(code) }])),
          },
          ...further[status],
        },
      };
      return [status, response];
    }),
  );
}

/** An example of a problem of this code. */
function problem(code: ErrorCode): object {
  const { status, title } = errorCatalogue[code];
  const fault = {
    path: 'parameters.mix_colors.cyan_volume',
    code: 'out_of_range',
    message: 'must be at most 10',
    hint: 'A number from 0 to 10.',
  };
  const errors = code === 'invalid' ? { errors: [fault] } : {};
  return { type: `urn:svc:error:${code}`, title, status, detail: `${title}.`, code, ...errors };
}

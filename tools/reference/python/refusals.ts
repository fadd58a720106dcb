import { errorCatalogue, type ErrorCode } from '@lab/contracts';

/** A class of Python for each error of the catalogue, with what to do about it. */

const remedies: Record<ErrorCode, string> = {
  malformed_json: 'send a body in JSON',
  bad_request: 'correct the request as the message says',
  unauthorized:
    'set SVC_TOKEN or SVC_TOKEN_FILE, or pass token= to connect(); `svc token create` makes a token',
  forbidden: 'ask an administrator for the role that the message names',
  not_found: 'read the list, and use a name of it',
  unknown_lab: 'read svc.labs(), and use a name of it',
  unknown_device: 'read svc.devices.list(), and use a name of it',
  unknown_function: 'read the functions of the device, and use a name of them',
  duplicate_name: 'use another name, or read the record of this name: it may be your own earlier request',
  device_in_use: 'wait until the task has ended, or give force_reason=',
  wrong_state: 'read the record again, and decide by its state',
  quota_exceeded: 'delete or archive work, or ask an administrator for a greater quota',
  events_pruned: 'read the records, then watch from the next event',
  idempotency_key_in_progress: 'send the same request with the same key again in a moment',
  idempotency_key_reused: 'use a new key for a new request',
  outcome_unknown: 'read the record before you send the request again: it may have been carried out',
  answer_not_kept: 'read the record: the request was carried out',
  payload_too_large: 'send less at once',
  uri_too_long: 'use fewer or shorter filters',
  unsupported_media_type: 'send JSON',
  range_not_satisfiable: 'download the file from its beginning',
  misdirected: 'use the address under which the service is known',
  upgrade_required: 'update the side that the message names',
  invalid: 'correct each field in faults; nothing was stored',
  unknown_protocol: 'read svc.definitions.list(type="protocol"), and use a loaded name of it',
  unknown_task_type: 'read svc.definitions.list(type="task"), and use a loaded name of it',
  backlog_full: 'wait until work has ended, then submit again',
  too_many_requests: 'wait for retry_after seconds, and send fewer requests',
  device_error: 'look at effect, then at the instrument',
  optimizer_error: 'correct the optimizer as the message says',
  optimizer_unavailable: 'start `svc optimizer` on that computer, or correct optimizer_ip',
  device_unavailable: 'read the state and the detail of the device',
  agent_unreachable: 'look at effect, then at the computer of the device',
  service_unavailable: 'wait, and send the request again; `svc status` names the part that is away',
  store_unavailable: 'wait, and send the request again',
  stale_message: 'send the request again',
  late_message: 'send the request again',
  deadline_exceeded: 'look at effect, then at the instrument; of a list: ask for less',
  disconnected: 'send the request again',
  aborted: 'look at the instrument before you repeat the call',
  internal: 'send the request id to whoever operates the service: the logs have the cause',
};

export function refusalsModule(): string {
  const codes = (Object.keys(errorCatalogue) as ErrorCode[]).sort();
  const classes = codes.map((code) => {
    const { title, retryable } = errorCatalogue[code];
    return [
      `class ${className(code)}(Refused):`,
      `    """${title}."""`,
      '',
      `    code = ${JSON.stringify(code)}`,
      `    retryable = ${retryable ? 'True' : 'False'}`,
      `    usual_remedy = ${quoted(remedies[code])}`,
      '',
    ].join('\n');
  });
  return [
    '"""A class for each error code. `npm run docs:reference` writes this file from `libs/contracts/src/errors.ts`."""',
    '',
    'from __future__ import annotations',
    '',
    'from .errors import Refused',
    '',
    '',
    classes.join('\n\n'),
    '',
    'REFUSALS: dict[str, type[Refused]] = {',
    ...codes.map((code) => `    ${JSON.stringify(code)}: ${className(code)},`),
    '}',
    '',
  ].join('\n');
}

const className = (code: string): string =>
  code
    .split('_')
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('');

const quoted = (words: string): string => (words.includes('"') ? `'${words}'` : JSON.stringify(words));

import type { JsonObject, ParameterDeclarations } from '@lab/sdk';
import { unitsOf, type FunctionPlan, type TwinEntry } from '../messages/index.js';
import { carryOut, type Base, type Operation } from './operation.js';
import { operationsOf, safeName, type DocumentOperation } from './openapi.js';
import { kindOf, type DocumentFunction, type HandFunction, type HttpSettings } from './settings.js';

/** A function of an HTTP device. */
export interface HttpPlan extends FunctionPlan {
  operation: Operation;
  twin: TwinEntry | undefined;
  /** Names of the values in an answer. */
  answers: readonly string[];
}

/** Says what was left out, and why. */
export type LeaveOut = (message: string) => void;

/**
 * The functions that the init parameters and the document declare.
 *
 * @param document null: there is none
 * @throws TypeError that names the function and what is wrong
 */
export function plansOf(
  settings: HttpSettings,
  document: JsonObject | null,
  base: Base,
  callId: () => string | undefined,
  leaveOut: LeaveOut,
): Record<string, HttpPlan> {
  const { operations, faults } = document === null ? { operations: [], faults: [] } : operationsOf(document);
  const make = (kind: HttpPlan['kind'], entry: Made): HttpPlan => {
    const header = settings.idempotency_header;
    const operation: Operation = {
      ...{ request: entry.request, answer: entry.answer, wait: entry.wait },
      headers: () => (header === undefined || kind === 'query' ? {} : { [header]: callId() ?? 'by-hand' }),
    };
    const desc = [entry.desc, unitsOf(entry.answer)].filter(Boolean).join(' ');
    return {
      kind,
      ...(desc === '' ? {} : { desc }),
      ...(entry.timeout === undefined ? {} : { timeout: entry.timeout }),
      parameters: entry.parameters as HttpPlan['parameters'],
      operation,
      twin: entry.twin,
      answers: entry.answers,
      carryOut: (given, ask, signal) => carryOut(operation, base, given, ask, signal),
    };
  };
  const plans: Record<string, HttpPlan> = {};
  const named = new Set<DocumentOperation>();
  for (const [name, entry] of Object.entries(settings.functions)) {
    if ('request' in entry) {
      plans[name] = make(entry.kind ?? kindOf(entry.request.method), ofHand(entry));
      continue;
    }
    const wanted = operations.find(({ id, route }) => entry.operation === id || entry.operation === route);
    if (wanted === undefined) throw noOperation(name, entry, operations, faults);
    named.add(wanted);
    plans[name] = make(entry.kind ?? wanted.kind, ofDocument(entry, wanted));
  }
  const chosen = settings.openapi?.operations ?? 'all';
  for (const operation of operations) {
    const isChosen = Array.isArray(chosen)
      ? chosen.includes(operation.id) || chosen.includes(operation.route)
      : chosen === 'all';
    const name = safeName(operation.id);
    if (!isChosen || named.has(operation) || name in plans) continue;
    plans[name] = make(operation.kind, { ...operation, ...nothingMore });
  }
  if (chosen !== 'none')
    for (const { route, error } of faults) leaveOut(`${route} is no function: ${error.message}`);
  return plans;
}

interface Made extends Pick<DocumentOperation, 'request' | 'answers' | 'desc'> {
  parameters: ParameterDeclarations | HttpPlan['parameters'];
  timeout: number | undefined;
  answer: Operation['answer'];
  wait: Operation['wait'];
  twin: TwinEntry | undefined;
}

const nothingMore = { timeout: undefined, answer: undefined, wait: undefined, twin: undefined };

function ofHand({ request, answer, wait, twin, desc, parameters, timeout }: HandFunction): Made {
  return { request, answer, wait, twin, desc, parameters, timeout, answers: [] };
}

function ofDocument({ answer, wait, twin, desc, timeout }: DocumentFunction, found: DocumentOperation): Made {
  const { request, parameters, answers } = found;
  return { request, parameters, answers, answer, wait, twin, timeout, desc: desc ?? found.desc };
}

function noOperation(
  name: string,
  { operation }: DocumentFunction,
  operations: readonly DocumentOperation[],
  faults: ReturnType<typeof operationsOf>['faults'],
): TypeError {
  const fault = faults.find(({ id, route }) => operation === id || operation === route);
  if (fault !== undefined) return new TypeError(`init_parameters.functions.${name}: ${fault.error.message}`);
  const known = operations.map(({ id }) => id).slice(0, 30);
  return new TypeError(
    `init_parameters.functions.${name}.operation: the OpenAPI document has no ${operation}; it has ${known.join(', ') || 'none'}`,
  );
}

import type { Fault, LabSchedule, TrialNote } from '@lab/contracts';
import { ServiceError } from '@lab/contracts/vocabulary';
import type { AbstractSequentialOptimizer, ParameterField, RuntimeParameters, Table } from '@lab/sdk';
import type { Domain } from '../domain/domain.js';
import type { Point, Space } from '../domain/space.js';
import { BayesianSequentialOptimizer } from '../optimizer/bayesian.js';
import type { Explanation } from '../optimizer/explain.js';
import { faultOf, under } from '../optimizer/fields.js';
import { invalid } from '../optimizer/settings.js';
import type { Belief } from './prompt.js';
import type { RunDetails } from './records.js';
import { hybridFields, hybridKeys } from './settings.js';

/** Optional methods of the plugged-in optimizer beyond its contract. */
export interface OptionalMethods {
  explain?(): unknown;
  last_sample?(): {
    limits_used?: readonly string[];
    rows?: readonly { note: Pick<TrialNote, 'schedule'> }[];
  };
  report_details?(details: readonly RunDetails[]): void;
  report_schedule?(schedule: LabSchedule | null): void;
  state?(): unknown;
  restore?(state: unknown): void;
}

export type PluggedIn = AbstractSequentialOptimizer & OptionalMethods;

const required = [
  'sample',
  'report',
  'report_started',
  'report_failed',
  'get_optimal_solutions',
  'get_input_names',
  'get_output_names',
  'get_num_samples_reported',
  'get_runtime_params',
  'set_runtime_params',
] as const;

/**
 * Checks the result of `_create_optimizer`.
 *
 * @throws ServiceError `invalid` when it is not an optimizer, has other inputs or outputs, or has a runtime parameter
 *   with the name of a setting of the hybrid optimizer
 */
export function pluggedIn(made: unknown, { inputs, outputs }: Space): PluggedIn {
  const optimizer = made as PluggedIn;
  const missing = required.filter(
    (name) => typeof (made as Record<string, unknown> | null | undefined)?.[name] !== 'function',
  );
  if (missing.length > 0) {
    throw refused('_create_optimizer', 'type', `What it returns has no method ${missing.join(', ')}`, {
      hint: 'Return an object whose class extends AbstractSequentialOptimizer',
    });
  }
  const names = [
    ['get_input_names', optimizer.get_input_names(), inputs.map(({ key }) => key)],
    ['get_output_names', optimizer.get_output_names(), outputs.map(({ key }) => key)],
  ] as const;
  for (const [method, given, wanted] of names) {
    if ([...given].sort().join() === [...wanted].sort().join()) continue;
    throw refused(
      method,
      'names',
      `The plugged-in optimizer names ${given.join(', ')}, and the arguments ${wanted.join(', ')}`,
    );
  }
  const [taken] = Object.keys(optimizer.get_runtime_params()).filter((key) => hybridKeys.has(key));
  if (taken !== undefined) throw collision(taken);
  return optimizer;
}

/**
 * The fields that a subclass adds to those of its base.
 *
 * @throws ServiceError `invalid` when one has the name of a setting of the hybrid optimizer
 */
export function customFieldsOf(
  subclass: { svc_param_schema(): ParameterField[] },
  base: { svc_param_schema(): ParameterField[] },
): ParameterField[] {
  const inherited = new Set(base.svc_param_schema().map((field) => JSON.stringify(field)));
  const added = subclass.svc_param_schema().filter((field) => !inherited.has(JSON.stringify(field)));
  const taken = added.find(({ key }) => hybridKeys.has(key));
  if (taken !== undefined) throw collision(taken.key);
  return added;
}

/** Fields of the hybrid optimizer, of the plugged-in one as far as it is the Bayesian one, and of a subclass. */
export function allFields(optimizer: PluggedIn, custom: readonly ParameterField[]): ParameterField[] {
  const own = new Set(custom.map(({ key }) => key));
  const bayesian =
    optimizer instanceof BayesianSequentialOptimizer ? BayesianSequentialOptimizer.svc_param_schema() : [];
  return [...hybridFields, ...bayesian.filter(({ key }) => !own.has(key)), ...custom].map((field) => ({
    ...field,
  }));
}

/**
 * Changes runtime parameters of the plugged-in optimizer, and ignores those of the hybrid one.
 *
 * @param fields define the possible values
 * @throws ServiceError `invalid` when a name is unknown or a value does not fit its field; errors of the optimizer
 */
export function changePluggedIn(
  optimizer: PluggedIn,
  params: RuntimeParameters,
  fields: readonly ParameterField[],
): void {
  const known = Object.keys(optimizer.get_runtime_params());
  const others = Object.entries(params).filter(([key]) => !hybridKeys.has(key));
  const faults = others.flatMap(([path, value]): Fault[] => {
    const field = fields.find(({ key }) => key === path);
    if (known.includes(path)) return field === undefined ? [] : faultOf(field, value);
    const names = [...hybridFields.filter(({ runtime }) => runtime).map(({ key }) => key), ...known];
    return [
      {
        path,
        code: field === undefined ? 'unknown_field' : 'not_runtime',
        message: `"${path}" is no runtime parameter of the optimizer`,
        hint: `Runtime parameters: ${names.join(', ')}`,
      },
    ];
  });
  if (faults.length > 0) throw invalid('The runtime parameters are invalid; none was changed', faults);
  if (others.length > 0) optimizer.set_runtime_params(Object.fromEntries(others));
}

/**
 * Rows that the plugged-in optimizer proposed, as points. A value between two steps of its input becomes the nearer one.
 *
 * @throws ServiceError `optimizer_error` when their number is wrong, or one does not fit the domain
 */
export function proposedPoints(rows: Table, count: number, domain: Domain): Point[] {
  if (!Array.isArray(rows) || rows.length !== count) {
    const given = Array.isArray(rows) ? `${rows.length} rows` : 'no table';
    throw new ServiceError('optimizer_error', `The plugged-in optimizer gave ${given} instead of ${count}`);
  }
  const points = rows.map((row) => onSteps(row, domain));
  const faults = points.flatMap((point, i) => under(`rows[${i}]`, domain.validate(point)));
  if (faults.length > 0) {
    const [{ path, message }] = faults as [Fault];
    throw new ServiceError(
      'optimizer_error',
      `The plugged-in optimizer proposes a point outside of the domain: ${path}: ${message}`,
      { faults },
    );
  }
  return points.map((point) => ({ ...point }) as Point);
}

function onSteps(row: Table[number], domain: Domain): Table[number] {
  const faults = domain.validate(row);
  const isBetween = faults.length > 0 && faults.every(({ code }) => code === 'step');
  return isBetween ? domain.decode(domain.encode(row as Point)) : row;
}

/** The explanation of the plugged-in optimizer; empty when it has none, or another form than the Bayesian one. */
export function beliefsOf(optimizer: Pick<OptionalMethods, 'explain'>): Belief[] {
  try {
    const { outputs } = optimizer.explain?.() as Pick<Explanation, 'outputs'>;
    return outputs.flatMap(({ key, sensitivities, r2 }) =>
      typeof key === 'string' && sensitivities !== null && Number.isFinite(r2)
        ? [{ key, sensitivities: { ...sensitivities }, r2 }]
        : [],
    );
  } catch {
    // An explanation may have any form; the prompt omits one that it cannot read.
    return [];
  }
}

function collision(key: string): ServiceError {
  return refused(key, 'collision', `"${key}" is a setting of the hybrid optimizer`, {
    hint: `Choose a name that is none of ${[...hybridKeys].join(', ')}`,
  });
}

function refused(path: string, code: string, message: string, more: { hint?: string } = {}): ServiceError {
  return invalid('The optimizer cannot be made', [{ path, code, message, ...more }]);
}

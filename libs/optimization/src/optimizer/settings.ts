import type { Fault } from '@lab/contracts';
import { ServiceError } from '@lab/contracts/vocabulary';
import type { ParameterField, RuntimeParameters } from '@lab/sdk';
import type { SamplingMethod } from '../domain/designs.js';
import type { Constraint, Input, Output } from '../domain/space.js';
import { SHAPES } from '../numeric/index.js';
import { faultOf, numberField, selectField } from './fields.js';

const acquisitionKinds = ['qUCB', 'qLogEI', 'qLogNEI', 'qLogNEHVI', 'qLogNParEGO'] as const;
export type AcquisitionKind = (typeof acquisitionKinds)[number];

const samplingMethods: readonly SamplingMethod[] = ['SOBOL', 'RANDOM', 'LATIN_HYPERCUBE'];

const surrogateKinds = ['gp', 'mlp'] as const;
export type SurrogateKind = (typeof surrogateKinds)[number];

const kernelKinds = ['automatic', ...SHAPES] as const;
export type KernelKind = (typeof kernelKinds)[number];

const outlierKinds = ['automatic', 'keep'] as const;
export type OutlierKind = (typeof outlierKinds)[number];

const batchKinds = ['plain', 'schedule_aware'] as const;
export type BatchKind = (typeof batchKinds)[number];

/** Constructor arguments, plain JSON (specification, "Built-in Bayesian optimizer constructor arguments"). */
export interface BayesianArguments {
  inputs: readonly Input[];
  outputs: readonly Output[];
  /** Default: none. */
  constraints?: readonly Constraint[];
  /**
   * The measure of the worth of a run. `beta` belongs to `qUCB`: the weight of the uncertainty, 0 or more, default 1.
   * Default: for one objective `qLogEI` with hardly any noise, `qLogNEI` otherwise; `qLogNEHVI` for two to four,
   * `qLogNParEGO` for more.
   */
  acquisition_function?: { kind: AcquisitionKind; beta?: number };
  /** Gaussian process or ensemble of multi-layer perceptrons. Default `gp`. */
  surrogate?: SurrogateKind;
  /**
   * Covariance of the Gaussian process. Default `automatic`: `matern52` without clear noise; with noise
   * `squared_exponential`, unless `matern52` predicts left-out results clearly better.
   */
  kernel?: KernelKind;
  /**
   * Results that contradict all others. `automatic` (default): the models limit results far out of the range of the
   * others, and ignore those that they contradict; `keep`: the models take every result at face value.
   */
  outliers?: OutlierKind;
  /**
   * The worst values of interest for `qLogNEHVI`, by output and in its unit (of a target: at that distance from it).
   * Default: a little worse than the worst on the measured Pareto front.
   */
  reference_point?: Readonly<Record<string, number>>;
  /** Points of the initial design. Default: twice the inputs, at least 5, at most 20. */
  num_initial_samples?: number;
  /** The method of the initial design. Default `SOBOL`. */
  initial_sampling_method?: SamplingMethod;
  /** Default 0. The same seed and reports give the same proposals. */
  seed?: number | string;
  /** Seconds for the fits of one sample, after which the best results so far are used. Default 10. */
  fit_time_limit?: number;
  /** Seconds for the search of the rows of one sample, after which the best results so far are used. Default 10. */
  proposal_time_limit?: number;
  /**
   * `schedule_aware`: the choice among points of nearly the same expected improvement falls on the one with the most
   * improvement per hour in the present plan of the laboratory. Default `plain`: the greatest expected improvement.
   */
  batch?: BatchKind;
  /** The greatest loss of expected improvement for that, as a share, 0 to 0.95. Default 0.5. */
  batch_loss?: number;
}

/** The arguments with every default filled in. */
export interface Settings extends Required<
  Omit<BayesianArguments, 'inputs' | 'outputs' | 'constraints' | 'acquisition_function'>
> {
  /** Null: chosen for each sample, by the number of objectives and the noise. */
  acquisition_function: AcquisitionKind | null;
  beta: number;
}

/** The settings for a form; those with `runtime` may change while a campaign runs. */
export const settingFields: ParameterField[] = [
  selectField(
    'acquisition_function',
    null,
    true,
    acquisitionKinds,
    'What makes a point worth a run; none: chosen by the number of objectives and the noise',
  ),
  numberField('beta', 1, true, [0, 1e6], 'qUCB: the weight of the uncertainty'),
  selectField(
    'surrogate',
    'gp',
    true,
    surrogateKinds,
    'Gaussian process or ensemble of multi-layer perceptrons',
  ),
  selectField(
    'kernel',
    'automatic',
    true,
    kernelKinds,
    'Covariance of the Gaussian process; automatic: chosen by the noise and by predictions of left-out results',
  ),
  selectField(
    'outliers',
    'automatic',
    true,
    outlierKinds,
    'Results that contradict all others; automatic: models limit or ignore them, keep: they count as any other',
  ),
  numberField('fit_time_limit', 10, true, [0.01, 3600], 'Seconds for the fits of one sample'),
  numberField('proposal_time_limit', 10, true, [0.01, 3600], 'Seconds for the search of one sample'),
  selectField(
    'batch',
    'plain',
    true,
    batchKinds,
    'Whether points of nearly the same worth are chosen by when their runs would end',
  ),
  numberField(
    'batch_loss',
    0.5,
    true,
    [0, 0.95],
    'schedule_aware: the greatest loss of expected improvement, as a share',
  ),
  numberField(
    'num_initial_samples',
    null,
    false,
    [1, 100_000],
    'Points that are spread over the domain before a model chooses',
  ),
  selectField('initial_sampling_method', 'SOBOL', false, samplingMethods, 'How these are spread'),
];
const runtimeKeys = settingFields.filter(({ runtime }) => runtime).map(({ key }) => key);

export const bayesianArgumentNames: readonly string[] = [
  'inputs',
  'outputs',
  'constraints',
  'acquisition_function',
  'surrogate',
  'kernel',
  'outliers',
  'reference_point',
  'num_initial_samples',
  'initial_sampling_method',
  'seed',
  'fit_time_limit',
  'proposal_time_limit',
  'batch',
  'batch_loss',
];

/** Checks all but the space. @throws ServiceError `invalid` with one fault for each mistake */
export function settingsOf(args: BayesianArguments): Settings {
  const faults: Fault[] = [];
  if (typeof args !== 'object' || args === null) {
    throw new ServiceError('invalid', 'The arguments of the optimizer are no object');
  }
  for (const key of Object.keys(args).filter((name) => !bayesianArgumentNames.includes(name))) {
    faults.push({
      path: key,
      code: 'unknown_field',
      message: `"${key}" is no argument of the optimizer`,
      hint: `Arguments: ${bayesianArgumentNames.join(', ')}`,
    });
  }
  for (const key of ['inputs', 'outputs', 'constraints'] as const) {
    if (!Array.isArray(args[key] ?? (key === 'constraints' ? [] : undefined))) {
      faults.push({ path: key, code: 'type', message: `"${key}" is not a list` });
    }
  }
  const acquisition: unknown = args.acquisition_function ?? {};
  const isObject = typeof acquisition === 'object' && acquisition !== null && !Array.isArray(acquisition);
  if (!isObject || Object.keys(acquisition).some((key) => key !== 'kind' && key !== 'beta')) {
    faults.push({
      path: 'acquisition_function',
      code: 'type',
      message: `${JSON.stringify(acquisition)} is no acquisition function`,
      hint: 'Give { kind, beta }, for example { "kind": "qUCB", "beta": 4 }',
    });
  }
  if (faults.length > 0) throw invalid('The arguments of the optimizer are invalid', faults);
  // The domain checks whether outputs are outputs.
  const objectives = args.outputs.filter((output) => (output?.objective ?? null) !== null);
  const settings: Settings = {
    acquisition_function: args.acquisition_function?.kind ?? null,
    beta: args.acquisition_function?.beta ?? 1,
    surrogate: args.surrogate ?? 'gp',
    kernel: args.kernel ?? 'automatic',
    outliers: args.outliers ?? 'automatic',
    fit_time_limit: args.fit_time_limit ?? 10,
    proposal_time_limit: args.proposal_time_limit ?? 10,
    batch: args.batch ?? 'plain',
    batch_loss: args.batch_loss ?? 0.5,
    num_initial_samples: args.num_initial_samples ?? Math.min(20, Math.max(5, 2 * args.inputs.length)),
    initial_sampling_method: args.initial_sampling_method ?? 'SOBOL',
    reference_point: { ...args.reference_point },
    seed: args.seed ?? 0,
  };
  faults.push(
    ...valueFaults(settings),
    ...acquisitionFaults(settings.acquisition_function, objectives.length),
    ...batchFaults(settings),
  );
  for (const [key, value] of Object.entries(settings.reference_point)) {
    const known = objectives.some((output) => output.key === key);
    if (known && Number.isFinite(value)) continue;
    faults.push({
      path: `reference_point.${key}`,
      code: known ? 'value' : 'unknown_key',
      message: known ? `${value} is not a finite number` : `"${key}" is no output with an objective`,
    });
  }
  const { num_initial_samples: initial } = settings;
  if (!Number.isInteger(initial)) {
    faults.push({ path: 'num_initial_samples', code: 'type', message: `${initial} is not a whole number` });
  }
  if (typeof settings.seed !== 'string' && !Number.isFinite(settings.seed)) {
    faults.push({ path: 'seed', code: 'type', message: 'The seed is neither a finite number nor a text' });
  }
  if (faults.length > 0) throw invalid('The arguments of the optimizer are invalid', faults);
  return settings;
}

export function runtimeParametersOf(settings: Settings): RuntimeParameters {
  return Object.fromEntries(
    Object.entries(settings).filter(([key]) => runtimeKeys.includes(key)),
  ) as RuntimeParameters;
}

/**
 * The settings with some runtime parameters changed.
 *
 * @param objectives number of objectives
 * @throws ServiceError `invalid` when a name is unknown or a value is not allowed
 */
export function changedSettings(settings: Settings, params: RuntimeParameters, objectives: number): Settings {
  const merged = { ...runtimeParametersOf(settings), ...params };
  const faults = Object.keys(params)
    .filter((key) => !runtimeKeys.includes(key))
    .map((key): Fault => ({
      path: key,
      code: 'unknown_field',
      message: `"${key}" is no runtime parameter of the optimizer`,
      hint: `Runtime parameters: ${runtimeKeys.join(', ')}`,
    }));
  faults.push(...valueFaults(merged));
  const changed = { ...settings, ...merged } as Settings;
  if (faults.length === 0)
    faults.push(...acquisitionFaults(changed.acquisition_function, objectives), ...batchFaults(changed));
  if (faults.length > 0) throw invalid('The runtime parameters are invalid; none was changed', faults);
  return changed;
}

export function invalid(message: string, faults: readonly Fault[]): ServiceError {
  const [first] = faults;
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : '';
  const detail = first === undefined ? '' : `: ${first.path}: ${first.message}${more}`;
  return new ServiceError('invalid', `${message}${detail}`, { faults });
}

function acquisitionFaults(kind: AcquisitionKind | null, objectives: number): Fault[] {
  if (kind === null) return [];
  const single = ['qUCB', 'qLogEI', 'qLogNEI'].includes(kind);
  const wrong = (message: string, hint: string): Fault[] => [
    { path: 'acquisition_function', code: 'objectives', message: `${kind} takes ${message}`, hint },
  ];
  if (single && objectives > 1) {
    const hint = objectives <= 4 ? 'Use qLogNEHVI or qLogNParEGO' : 'Use qLogNParEGO';
    return wrong(`one objective, and there are ${objectives}`, hint);
  }
  if (!single && objectives === 1) return wrong('several objectives', 'Use qLogNEI, qLogEI or qUCB');
  if (kind === 'qLogNEHVI' && objectives > 4)
    return wrong(`at most 4 objectives, and there are ${objectives}`, 'Use qLogNParEGO');
  return [];
}

/** Shares of an improvement need an acquisition function that is the logarithm of one. */
function batchFaults({ batch, acquisition_function: kind }: Settings): Fault[] {
  if (batch !== 'schedule_aware' || kind !== 'qUCB') return [];
  return [
    {
      path: 'batch',
      code: 'acquisition_function',
      message: 'schedule_aware compares expected improvements, and qUCB has none',
      hint: 'Use qLogEI or qLogNEI, or "batch": "plain"',
    },
  ];
}

function valueFaults(values: object): Fault[] {
  return Object.entries(values).flatMap(([key, value]) => {
    const field = settingFields.find((each) => each.key === key);
    return field === undefined ? [] : faultOf(field, value);
  });
}

import { ServiceError, type Fault } from '@lab/contracts';
import type { ParameterField, RuntimeParameters } from '@lab/sdk';
import type { SamplingMethod } from '../domain/designs.js';
import type { Constraint, Input, Output } from '../domain/space.js';

const acquisitionKinds = ['qUCB', 'qLogEI', 'qLogNEI', 'qLogNEHVI', 'qLogNParEGO'] as const;
export type AcquisitionKind = (typeof acquisitionKinds)[number];

const samplingMethods: readonly SamplingMethod[] = ['SOBOL', 'RANDOM', 'LATIN_HYPERCUBE'];

const surrogateKinds = ['gp', 'mlp'] as const;
export type SurrogateKind = (typeof surrogateKinds)[number];

/**
 * Constructor arguments of the built-in Bayesian optimizer, plain JSON (specification, "Built-in Bayesian optimizer
 * constructor arguments").
 */
export interface BayesianArguments {
  inputs: readonly Input[];
  outputs: readonly Output[];
  /** Default: none. */
  constraints?: readonly Constraint[];
  /**
   * What makes a point worth a run. `beta` belongs to `qUCB`: the weight of the uncertainty, 0 or more, default 1. Default:
   * for one objective `qLogEI` while the measurements show next to no noise, and `qLogNEI` otherwise; `qLogNEHVI` for two to
   * four, `qLogNParEGO` for more.
   */
  acquisition_function?: { kind: AcquisitionKind; beta?: number };
  /** Gaussian process or ensemble of multi-layer perceptrons. Default `gp`. */
  surrogate?: SurrogateKind;
  /**
   * The worst values that are of interest, by output and in its unit (of a target: at that distance from it), for
   * `qLogNEHVI`: what is worse counts for nothing. Default: a little worse than the worst on the measured Pareto front.
   */
  reference_point?: Readonly<Record<string, number>>;
  /** Points that are spread over the domain before a model chooses. Default: twice the inputs, at least 5, at most 20. */
  num_initial_samples?: number;
  /** How these are spread. Default `SOBOL`. */
  initial_sampling_method?: SamplingMethod;
  /** Default 0. The same seed and reports give the same proposals. */
  seed?: number | string;
  /** Seconds after which the fits of one sample take the best found by then. Default 10. */
  fit_time_limit?: number;
  /** Seconds after which the search for the rows of one sample takes the best found by then. Default 10. */
  proposal_time_limit?: number;
}

/** The arguments with every default filled in. */
export interface Settings {
  /** Null: chosen for each sample, by the number of objectives and the noise. */
  acquisition: AcquisitionKind | null;
  beta: number;
  surrogate: SurrogateKind;
  referencePoint: Readonly<Record<string, number>>;
  numInitialSamples: number;
  initialSamplingMethod: SamplingMethod;
  seed: number | string;
  /** Seconds. */
  fitTimeLimit: number;
  /** Seconds. */
  proposalTimeLimit: number;
}

/** The settings as a page shows them; those with `runtime` may change while a campaign runs. */
export const settingFields: ParameterField[] = [
  {
    key: 'acquisition_function',
    type: 'select',
    default: null,
    runtime: true,
    options: acquisitionKinds,
    description: 'What makes a point worth a run; none: chosen by the number of objectives and the noise',
  },
  {
    key: 'beta',
    type: 'number',
    default: 1,
    runtime: true,
    min: 0,
    max: 1e6,
    description: 'qUCB: the weight of the uncertainty',
  },
  {
    key: 'surrogate',
    type: 'select',
    default: 'gp',
    runtime: true,
    options: surrogateKinds,
    description: 'Gaussian process or ensemble of multi-layer perceptrons',
  },
  {
    key: 'fit_time_limit',
    type: 'number',
    default: 10,
    runtime: true,
    min: 0.01,
    max: 3600,
    description: 'Seconds for the fits of one sample',
  },
  {
    key: 'proposal_time_limit',
    type: 'number',
    default: 10,
    runtime: true,
    min: 0.01,
    max: 3600,
    description: 'Seconds for the search of one sample',
  },
  {
    key: 'num_initial_samples',
    type: 'number',
    default: null,
    runtime: false,
    min: 1,
    max: 100_000,
    description: 'Points that are spread over the domain before a model chooses',
  },
  {
    key: 'initial_sampling_method',
    type: 'select',
    default: 'SOBOL',
    runtime: false,
    options: samplingMethods,
    description: 'How these are spread',
  },
];

export const bayesianArgumentNames: readonly string[] = [
  'inputs',
  'outputs',
  'constraints',
  'acquisition_function',
  'surrogate',
  'reference_point',
  'num_initial_samples',
  'initial_sampling_method',
  'seed',
  'fit_time_limit',
  'proposal_time_limit',
];

/**
 * Checks the arguments but for the space, which is the business of the domain.
 *
 * @throws ServiceError `invalid` with one fault for each thing that is wrong
 */
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
  // Whether outputs are outputs is told with the rest of the space.
  const objectives = args.outputs.filter((output) => (output?.objective ?? null) !== null);
  const settings: Settings = {
    acquisition: args.acquisition_function?.kind ?? null,
    beta: args.acquisition_function?.beta ?? 1,
    surrogate: args.surrogate ?? 'gp',
    referencePoint: { ...args.reference_point },
    numInitialSamples: args.num_initial_samples ?? Math.min(20, Math.max(5, 2 * args.inputs.length)),
    initialSamplingMethod: args.initial_sampling_method ?? 'SOBOL',
    seed: args.seed ?? 0,
    fitTimeLimit: args.fit_time_limit ?? 10,
    proposalTimeLimit: args.proposal_time_limit ?? 10,
  };
  faults.push(
    ...valueFaults({
      acquisition_function: settings.acquisition,
      beta: settings.beta,
      surrogate: settings.surrogate,
      fit_time_limit: settings.fitTimeLimit,
      proposal_time_limit: settings.proposalTimeLimit,
      num_initial_samples: settings.numInitialSamples,
      initial_sampling_method: settings.initialSamplingMethod,
    }),
    ...acquisitionFaults(settings.acquisition, objectives.length),
  );
  for (const [key, value] of Object.entries(settings.referencePoint)) {
    const known = objectives.some((output) => output.key === key);
    if (known && Number.isFinite(value)) continue;
    faults.push({
      path: `reference_point.${key}`,
      code: known ? 'value' : 'unknown_key',
      message: known ? `${value} is not a finite number` : `"${key}" is no output with an objective`,
    });
  }
  if (!Number.isInteger(settings.numInitialSamples)) {
    faults.push({
      path: 'num_initial_samples',
      code: 'type',
      message: `${settings.numInitialSamples} is not a whole number`,
    });
  }
  if (typeof settings.seed !== 'string' && !Number.isFinite(settings.seed)) {
    faults.push({ path: 'seed', code: 'type', message: 'The seed is neither a finite number nor a text' });
  }
  if (faults.length > 0) throw invalid('The arguments of the optimizer are invalid', faults);
  return settings;
}

/** Values of the settings that may change while a campaign runs. */
export function runtimeParametersOf(settings: Settings): RuntimeParameters {
  return {
    acquisition_function: settings.acquisition,
    beta: settings.beta,
    surrogate: settings.surrogate,
    fit_time_limit: settings.fitTimeLimit,
    proposal_time_limit: settings.proposalTimeLimit,
  };
}

/**
 * The settings with some runtime parameters changed.
 *
 * @param objectives number of objectives
 * @throws ServiceError `invalid` when a name is unknown or a value is not allowed
 */
export function changedSettings(settings: Settings, params: RuntimeParameters, objectives: number): Settings {
  const runtime = settingFields.filter((field) => field.runtime).map((field) => field.key);
  const faults = Object.keys(params)
    .filter((key) => !runtime.includes(key))
    .map((key) => ({
      path: key,
      code: 'unknown_field',
      message: `"${key}" is no runtime parameter of the optimizer`,
      hint: `Runtime parameters: ${runtime.join(', ')}`,
    }));
  const merged = { ...runtimeParametersOf(settings), ...params };
  faults.push(...(valueFaults(merged) as typeof faults));
  if (faults.length === 0) {
    faults.push(
      ...(acquisitionFaults(
        merged.acquisition_function as Settings['acquisition'],
        objectives,
      ) as typeof faults),
    );
  }
  if (faults.length > 0) throw invalid('The runtime parameters are invalid; none was changed', faults);
  return {
    ...settings,
    acquisition: merged.acquisition_function as Settings['acquisition'],
    beta: merged.beta as number,
    surrogate: merged.surrogate as SurrogateKind,
    fitTimeLimit: merged.fit_time_limit as number,
    proposalTimeLimit: merged.proposal_time_limit as number,
  };
}

/** An error with faults, whose message holds the first of them. */
export function invalid(message: string, faults: readonly Fault[]): ServiceError {
  const [first] = faults;
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : '';
  const detail = first === undefined ? '' : `: ${first.path}: ${first.message}${more}`;
  return new ServiceError('invalid', `${message}${detail}`, { faults });
}

function acquisitionFaults(kind: Settings['acquisition'], objectives: number): Fault[] {
  if (kind === null) return [];
  const path = 'acquisition_function';
  const single = ['qUCB', 'qLogEI', 'qLogNEI'].includes(kind);
  if (single && objectives > 1) {
    return [
      {
        path,
        code: 'objectives',
        message: `${kind} takes one objective, and there are ${objectives}`,
        hint: objectives <= 4 ? 'Use qLogNEHVI or qLogNParEGO' : 'Use qLogNParEGO',
      },
    ];
  }
  if (!single && objectives === 1) {
    return [
      {
        path,
        code: 'objectives',
        message: `${kind} takes several objectives`,
        hint: 'Use qLogNEI, qLogEI or qUCB',
      },
    ];
  }
  if (kind === 'qLogNEHVI' && objectives > 4) {
    return [
      {
        path,
        code: 'objectives',
        message: `qLogNEHVI takes at most 4 objectives, and there are ${objectives}`,
        hint: 'Use qLogNParEGO',
      },
    ];
  }
  return [];
}

function valueFaults(values: RuntimeParameters): Fault[] {
  return Object.entries(values).flatMap(([key, value]) => {
    const field = settingFields.find((each) => each.key === key);
    if (field === undefined) return [];
    if (field.type === 'select') {
      if (field.options?.includes(value as string) || (value === null && field.default === null)) return [];
      return [
        {
          path: key,
          code: 'value',
          message: `${JSON.stringify(value)} is not possible`,
          hint: `Use one of ${field.options?.join(', ')}`,
        },
      ];
    }
    const { min = -Infinity, max = Infinity } = field;
    if (typeof value === 'number' && value >= min && value <= max) return [];
    return [
      {
        path: key,
        code: 'value',
        message: `${typeof value === 'number' ? value : JSON.stringify(value)} is not a number from ${min} to ${max}`,
      },
    ];
  });
}

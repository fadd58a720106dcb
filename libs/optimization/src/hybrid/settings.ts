import type { Fault } from '@lab/contracts';
import { ServiceError } from '@lab/contracts/vocabulary';
import type { JsonObject, ParameterField, RuntimeParameters } from '@lab/sdk';
import { faultOf, numberField, textField } from '../optimizer/fields.js';
import { invalid, type BayesianArguments } from '../optimizer/settings.js';

/**
 * Constructor arguments of the hybrid optimizer, plain JSON (specification, "Optimizer settings of the hybrid
 * optimizer"): those of the Bayesian optimizer, and the settings of the AI.
 */
export interface HybridArguments extends BayesianArguments {
  /** Probability that a sampling call uses the plugged-in optimizer. Default: 1 less `p_ai`. */
  p_bayesian?: number;
  /** Probability that a sampling call uses the AI. Default: 1 less `p_bayesian`, and 0 when neither is given. */
  p_ai?: number;
  /** `<provider>:<model>`. No default; required when `p_ai` is above 0. */
  ai_model?: string | null;
  /** Settings of the provider, for example `{ temperature: 0.2 }`. Default: none. */
  ai_model_settings?: JsonObject | null;
  /** Further requests after an invalid suggestion, 0 to 10. Default 3. */
  ai_retries?: number;
  /** Seconds for a suggestion with all further requests, 1 to 240. Default 120. */
  ai_time_limit?: number;
  /** Most recent result rows in a prompt. Default 50. */
  ai_history_size?: number;
  /** Background knowledge, as free text. Default: none. */
  ai_additional_context?: string | null;
  /** Further `TASK.PARAMETER` whose values the prompt shows with each result. Default: none. */
  ai_additional_parameters?: readonly string[] | null;
  /** A secret. Default: the key in the environment of the optimizer worker. */
  ai_api_key?: string | null;
}

/** The settings of the AI with every default filled in, without the key. */
export interface HybridSettings {
  pBayesian: number;
  pAi: number;
  model: { provider: string; name: string } | null;
  modelSettings: JsonObject;
  retries: number;
  /** Seconds. */
  timeLimit: number;
  historySize: number;
  additionalContext: string;
  additionalParameters: readonly string[];
}

export const hybridFields: readonly ParameterField[] = [
  numberField(
    'p_bayesian',
    1,
    true,
    [0, 1],
    'Probability that a sampling call uses the plugged-in optimizer; 1 less p_ai',
  ),
  numberField('p_ai', 0, true, [0, 1], 'Probability that a sampling call uses the AI; 1 less p_bayesian'),
  textField('ai_model', null, false, 'Language model as <provider>:<model>'),
  numberField('ai_history_size', 50, true, [1, 10_000], 'Most recent result rows in a prompt'),
  textField('ai_additional_context', '', true, 'What is known of the matter, for the AI'),
  numberField(
    'ai_retries',
    3,
    false,
    [0, 10],
    'How often the AI is told what is wrong with its suggestion and asked again',
  ),
  numberField('ai_time_limit', 120, false, [1, 240], 'Seconds for a suggestion with all its repetitions'),
  textField(
    'ai_api_key',
    null,
    false,
    'Key for the provider; default: as the environment of the optimizer worker has it',
  ),
];

/** Every setting of the hybrid optimizer itself. No subclass and no plugged-in optimizer may use these names. */
export const hybridKeys: ReadonlySet<string> = new Set([
  ...hybridFields.map(({ key }) => key),
  'ai_model_settings',
  'ai_additional_parameters',
]);

const runtimeKeys = hybridFields.filter(({ runtime }) => runtime).map(({ key }) => key);

/** Tolerance of the sum of the probabilities. */
const TOLERANCE = 1e-9;

/** @throws ServiceError `invalid` with one fault for each mistake; no fault contains a key */
export function hybridSettingsOf(args: HybridArguments): HybridSettings {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) {
    throw new ServiceError('invalid', 'The arguments of the optimizer are not an object');
  }
  const faults = Object.keys(args)
    .filter((key) => key.startsWith('ai_') && !hybridKeys.has(key))
    .map((key): Fault => ({
      path: key,
      code: 'unknown_field',
      message: `"${key}" is no setting of the AI`,
      hint: `Settings: ${[...hybridKeys].join(', ')}`,
    }));
  const values: Record<string, unknown> = Object.fromEntries(
    Object.entries(args).filter(([key, value]) => hybridKeys.has(key) && value !== null),
  );
  faults.push(
    ...hybridFields.flatMap((field) => (field.key in values ? faultOf(field, values[field.key]) : [])),
  );
  const model = values['ai_model'];
  if (typeof model === 'string' && !/^[^:\s]+:\S/.test(model)) {
    faults.push({
      path: 'ai_model',
      code: 'value',
      message: `${JSON.stringify(model)} does not name a provider and a model`,
      hint: 'Write <provider>:<model>',
    });
  }
  faults.push(...referenceFaults(values['ai_additional_parameters'] ?? []));
  const modelSettings = values['ai_model_settings'] ?? {};
  if (typeof modelSettings !== 'object' || Array.isArray(modelSettings)) {
    faults.push({ path: 'ai_model_settings', code: 'type', message: 'These settings are not an object' });
  }
  const probabilities = faults.length === 0 ? probabilitiesOf(values, null) : { pBayesian: 1, pAi: 0 };
  if ('fault' in probabilities) faults.push(probabilities.fault);
  else if (probabilities.pAi > 0 && model === undefined && faults.length === 0) faults.push(noModel);
  if (faults.length > 0 || 'fault' in probabilities) {
    throw invalid('The arguments of the optimizer are invalid', faults);
  }
  const [provider, ...rest] = typeof model === 'string' ? model.split(':') : [];
  return {
    ...probabilities,
    model: provider === undefined ? null : { provider, name: rest.join(':') },
    modelSettings: structuredClone(modelSettings) as JsonObject,
    retries: args.ai_retries ?? 3,
    timeLimit: args.ai_time_limit ?? 120,
    historySize: args.ai_history_size ?? 50,
    additionalContext: args.ai_additional_context ?? '',
    additionalParameters: [...(args.ai_additional_parameters ?? [])],
  };
}

export function hybridRuntimeParametersOf(settings: HybridSettings): RuntimeParameters {
  return {
    p_bayesian: settings.pBayesian,
    p_ai: settings.pAi,
    ai_history_size: settings.historySize,
    ai_additional_context: settings.additionalContext,
  };
}

/**
 * The settings after a change of runtime parameters. Setting one probability sets the other.
 *
 * @param params those of the plugged-in optimizer are ignored
 * @throws ServiceError `invalid` when one may not change while a campaign runs, or a value is not allowed
 */
export function changedHybridSettings(settings: HybridSettings, params: RuntimeParameters): HybridSettings {
  const own = Object.entries(params).filter(([key]) => hybridKeys.has(key));
  const faults = own.flatMap(([key, value]): Fault[] => {
    if (runtimeKeys.includes(key)) {
      const field = hybridFields.find((each) => each.key === key)!;
      return key === 'ai_additional_context' && value === null ? [] : faultOf(field, value);
    }
    return [
      {
        path: key,
        code: 'not_runtime',
        message: `"${key}" is settled when the optimizer is made`,
        hint: `What may change while a campaign runs: ${runtimeKeys.join(', ')}`,
      },
    ];
  });
  const probabilities = faults.length === 0 ? probabilitiesOf(params, settings) : settings;
  if ('fault' in probabilities) faults.push(probabilities.fault);
  else if (probabilities.pAi > 0 && settings.model === null && faults.length === 0) faults.push(noModel);
  if (faults.length > 0 || 'fault' in probabilities) {
    throw invalid('The runtime parameters are invalid; none was changed', faults);
  }
  const { pBayesian, pAi } = probabilities;
  const { ai_history_size = settings.historySize, ai_additional_context = settings.additionalContext } =
    params;
  return {
    ...settings,
    pBayesian,
    pAi,
    historySize: ai_history_size as number,
    additionalContext: (ai_additional_context as string | null) ?? '',
  };
}

const noModel: Fault = {
  path: 'ai_model',
  code: 'missing_key',
  message: 'p_ai is above 0, and no model is named',
  hint: 'Write <provider>:<model>, or set p_ai to 0',
};

/** @param present null: there are none yet, and the default is the plugged-in optimizer alone */
function probabilitiesOf(
  given: Record<string, unknown>,
  present: HybridSettings | null,
): { pBayesian: number; pAi: number } | { fault: Fault } {
  const pBayesian = given['p_bayesian'] as number | undefined;
  const pAi = given['p_ai'] as number | undefined;
  if (pBayesian === undefined && pAi === undefined) {
    return { pBayesian: present?.pBayesian ?? 1, pAi: present?.pAi ?? 0 };
  }
  if (pBayesian === undefined) return { pBayesian: rest(pAi!), pAi: pAi! };
  if (pAi === undefined) return { pBayesian, pAi: rest(pBayesian) };
  if (Math.abs(pBayesian + pAi - 1) <= TOLERANCE) return { pBayesian, pAi };
  return {
    fault: {
      path: 'p_bayesian',
      code: 'sum',
      message: `p_bayesian and p_ai are ${pBayesian} and ${pAi}, and their sum is not 1`,
      hint: 'Give one of them',
    },
  };
}

/** The difference to 1, without the last digits that subtraction adds. */
function rest(probability: number): number {
  return Number((1 - probability).toPrecision(12));
}

function referenceFaults(references: unknown): Fault[] {
  const path = 'ai_additional_parameters';
  if (!Array.isArray(references))
    return [{ path, code: 'type', message: 'This is not a list of references' }];
  return references.flatMap((reference: unknown, i): Fault[] => {
    const message =
      typeof reference !== 'string' || !/^[^.\s]+\.\S+$/.test(reference)
        ? `${JSON.stringify(reference)} is not written TASK.PARAMETER`
        : references.indexOf(reference) < i
          ? `"${reference}" is listed twice`
          : null;
    return message === null ? [] : [{ path: `${path}[${i}]`, code: 'reference', message }];
  });
}

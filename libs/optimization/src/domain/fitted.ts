import type { JsonObject, JsonValue } from '@lab/sdk';

/** An input with more whole numbers than this keeps no step: the service then rounds its values. */
const mostSteps = 1e9;

/**
 * Constructor arguments whose inputs fit the parameters of the protocol.
 *
 * - An input without a `kind` is continuous if it has `bounds`, and discrete or categorical if it has `values`: discrete
 *   if all of them are numbers.
 * - A continuous input of an integer parameter gets the step 1 and the whole numbers within its bounds. It keeps a step
 *   of its own.
 *
 * Inputs of any other form stay as they are, so that the constructor reports them.
 *
 * @param integers `TASK.PARAMETER` of the integer parameters
 */
export function fittedArguments(args: JsonObject, integers: readonly string[]): JsonObject {
  const { inputs } = args;
  if (!Array.isArray(inputs)) return args;
  return { ...args, inputs: inputs.map((input) => (isObject(input) ? fitted(input, integers) : input)) };
}

function fitted(input: JsonObject, integers: readonly string[]): JsonObject {
  const known = withKind(input);
  const { kind, key, bounds, step } = known;
  const isOpen = kind === 'continuous' && step === undefined && typeof key === 'string';
  if (!isOpen || !integers.includes(key) || !Array.isArray(bounds)) return known;
  const [lower, upper] = [Math.ceil(Number(bounds[0])), Math.floor(Number(bounds[1]))];
  const isGrid = bounds.length === 2 && lower < upper && upper - lower <= mostSteps;
  return isGrid ? { ...known, bounds: [lower, upper], step: 1 } : known;
}

function withKind(input: JsonObject): JsonObject {
  if (input['kind'] !== undefined) return input;
  if (input['bounds'] !== undefined) return { kind: 'continuous', ...input };
  if (input['categories'] !== undefined) return { kind: 'categorical', ...input };
  const { values, ...others } = input;
  if (!Array.isArray(values)) return input;
  return values.every((value) => typeof value === 'number')
    ? { kind: 'discrete', ...input }
    : { kind: 'categorical', ...others, categories: values };
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

import type { JsonObject } from '@lab/contracts';
import { isCell, type AuthorOptimizer } from './author-optimizer.js';
import { faultsOf, Unfit } from './optimizer-refusal.js';

/** Most faults that are told. */
const maxFaults = 100;

/**
 * Finds out which rows an optimizer does not take, by telling it that their runs have begun. It knows of them from then on:
 * only for one that is dropped afterwards.
 *
 * @param given parameters by task and parameter; rows without one of the inputs are none that it is told
 * @throws Unfit with the path of each row, and of the input that is at fault where it is one: `given[3].mix.cyan_volume`
 */
export async function refuseForeignRows(
  optimizer: AuthorOptimizer,
  inputs: readonly string[],
  given: readonly Readonly<Record<string, JsonObject>>[],
): Promise<void> {
  const faults: Unfit['faults'] = [];
  for (const [index, parameters] of given.entries()) {
    if (faults.length >= maxFaults) break;
    const row = inputsIn(parameters, inputs);
    if (row === undefined) continue;
    try {
      await optimizer.report_started?.([row], [`given_${index + 1}`]);
    } catch (error) {
      const told = faultsOf(error) ?? [
        { path: '', code: 'refused', message: error instanceof Error ? error.message : String(error) },
      ];
      for (const { path, code, message, hint } of told) {
        const name = inputs.find((input) => path.endsWith(`.${input}`));
        faults.push({
          path: `given[${index}]${name === undefined ? '' : `.${name}`}`,
          code,
          message,
          ...(hint === undefined ? {} : { hint }),
        });
      }
    }
  }
  if (faults.length === 0) return;
  throw new Unfit(
    `the optimizer does not take a row that is given: ${faults[0]?.message}`,
    faults.slice(0, maxFaults),
  );
}

/** The inputs of an optimizer among the parameters of a run; undefined when one of them is not there. */
function inputsIn(
  parameters: Readonly<Record<string, JsonObject>>,
  inputs: readonly string[],
): Record<string, unknown> | undefined {
  const row: [string, unknown][] = [];
  for (const input of inputs) {
    const dot = input.indexOf('.');
    const task = input.slice(0, dot);
    const parameter = input.slice(dot + 1);
    const values = Object.hasOwn(parameters, task) ? parameters[task] : undefined;
    const value = values !== undefined && Object.hasOwn(values, parameter) ? values[parameter] : undefined;
    if (!isCell(value)) return undefined;
    row.push([input, value]);
  }
  return Object.fromEntries(row);
}

import type { JsonObject } from '@lab/contracts';
import { isCell, type AuthorOptimizer } from './author-optimizer.js';
import { faultsOf, Unfit } from './optimizer-refusal.js';

/** Largest number of reported faults. */
const maxFaults = 100;

/**
 * Finds the rows that an optimizer refuses, by reporting to it that their runs have begun. The optimizer knows these runs
 * afterwards, so use an object that is dropped.
 *
 * @param given parameters by task and parameter; a row without all inputs is not reported
 * @throws Unfit with the path of each refused row or, if one input is at fault, of that input: `given[3].mix.cyan_volume`
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

/** Picks the inputs of an optimizer from the parameters of a run; undefined: one of them is missing. */
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

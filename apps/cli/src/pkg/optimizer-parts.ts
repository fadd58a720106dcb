import { posix } from 'node:path';
import type { JsonValue } from '@lab/contracts';
import type { Catalog } from '@lab/definitions';
import { dynamicParameters, hintFor, type ParameterSpec } from '@lab/definitions/model';
import type { OptimizerParts } from './templates.js';

/** Steps from the smallest to the largest value of a number. */
const steps = 4;

/**
 * What a new optimizer of a protocol chooses and minimizes: its `svc_dynamic` parameters and its first numeric output.
 *
 * @throws Error when the package has no such protocol, or the protocol has no such parameter or output
 */
export function optimizerParts(catalog: Catalog, packageName: string, type: string): OptimizerParts {
  const own = catalog.origins.filter((each) => each.kind === 'protocol' && each.package === packageName);
  const origin = own.find(({ name }) => name === type);
  const snapshot = catalog.protocol(type);
  if (origin === undefined || snapshot === undefined) {
    const names = own.filter(({ sound }) => sound).map(({ name }) => name);
    const hint = hintFor(type, names) ?? `svc pkg add protocol ${packageName} ${type}`;
    throw new Error(`the package has no protocol "${type}" without errors: ${hint}`);
  }
  const values: OptimizerParts['values'] = {};
  for (const { task, parameter, spec } of dynamicParameters(snapshot)) {
    const some = valuesOf(spec);
    if (some.length > 0) values[`${task}.${parameter}`] = some;
  }
  if (Object.keys(values).length === 0) {
    throw new Error(
      `the protocol ${type} leaves nothing to an optimizer: write svc_dynamic as the value of a parameter in ${origin.file}`,
    );
  }
  const output = snapshot.protocol.tasks.flatMap((task) =>
    Object.entries(snapshot.tasks[task.type]?.output_parameters ?? {})
      .filter(([, spec]) => spec.type === 'int' || spec.type === 'float')
      .map(([name]) => `${task.name}.${name}`),
  )[0];
  if (output === undefined) {
    throw new Error(
      `no task of the protocol ${type} has a numeric output to minimize: add an int or float to output_parameters of a task.yml`,
    );
  }
  const parts = origin.file.split('/');
  const folder = posix.dirname(parts.slice(parts.indexOf(packageName) + 1).join('/'));
  return { folder, values, output };
}

/** Values of a parameter to try; none if only the author knows some. */
function valuesOf(spec: ParameterSpec): JsonValue[] {
  if (spec.type === 'bool') return [false, true];
  if (spec.type === 'choice') {
    return spec.choices.filter((each) => ['string', 'number', 'boolean'].includes(typeof each));
  }
  if (spec.type !== 'int' && spec.type !== 'float') return [];
  const low = spec.min ?? Math.min(0, (spec.max ?? 0) - 1);
  const high = spec.max ?? low + (spec.type === 'int' ? steps : 1);
  const all = Array.from({ length: steps + 1 }, (_, step) => low + ((high - low) * step) / steps);
  return [...new Set(spec.type === 'int' ? all.map(Math.round) : all)];
}

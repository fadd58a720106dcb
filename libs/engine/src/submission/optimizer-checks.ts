import type { Fault } from '@lab/contracts';

/** Arguments that define the search space. A change of them would change the meaning of existing trials. */
const domainKeys = ['inputs', 'outputs', 'constraints'];

/** Overrides that would change the meaning of existing trials. */
export function domainFaults(overrides: object): Fault[] {
  return domainKeys
    .filter((key) => Object.hasOwn(overrides, key))
    .map((key) => ({
      path: `optimizer_overrides.${key}`,
      code: 'domain',
      message: `cannot be changed: the trials of the campaign were found with other ${key}`,
      hint: 'leave it out, or submit another campaign',
    }));
}

/** Splits a reference `TASK.PARAMETER`. */
export function splitReference(reference: string): [task: string, parameter: string] {
  const dot = reference.indexOf('.');
  return dot < 0 ? [reference, ''] : [reference.slice(0, dot), reference.slice(dot + 1)];
}

import type { CheckArguments } from '@lab/actors';
import { checkParameters, type ParameterSpec, type ParameterSpecs } from '@lab/definitions/model';

/** Checks the arguments of a device call by the rules that hold for the parameters of tasks. */
export const checkArguments: CheckArguments = ({ parameters }, given) => {
  if (parameters === undefined) return { values: given, faults: [] };
  const specs: ParameterSpecs = Object.fromEntries(
    Object.entries(parameters).map(([name, { optional: _, desc = '', ...spec }]) => [
      name,
      { ...spec, desc } as ParameterSpec,
    ]),
  );
  const { values, faults } = checkParameters(specs, given, { path: 'arguments' });
  return {
    values,
    faults: faults.filter(({ code, path }) => {
      const missing = code === 'missing_parameter' ? path.slice('arguments.'.length) : undefined;
      return missing === undefined || parameters[missing]?.optional !== true;
    }),
  };
};

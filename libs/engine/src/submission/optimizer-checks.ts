import type { Fault, OptimizerDescription } from '@lab/contracts';
import { dynamicParameters, type ProtocolSnapshot } from '@lab/definitions/model';
import { among } from '../labs/index.js';

/** Arguments that define the search space. A change of them would change the meaning of existing trials. */
const domainKeys = ['inputs', 'outputs', 'constraints'];

/** Names that an optimizer uses and its protocol does not have. */
export function optimizerFaults(snapshot: ProtocolSnapshot, optimizer: OptimizerDescription): Fault[] {
  const { protocol } = snapshot;
  const open = dynamicParameters(snapshot).map(({ task, parameter }) => `${task}.${parameter}`);
  const typeOf = (task: string) =>
    snapshot.tasks[protocol.tasks.find(({ name }) => name === task)?.type ?? ''];
  const outputs = protocol.tasks.flatMap(({ name, type }) =>
    Object.entries(snapshot.tasks[type]?.output_parameters ?? {}).flatMap(([parameter, { type: kind }]) =>
      kind === 'int' || kind === 'float' ? [`${name}.${parameter}`] : [],
    ),
  );
  const isKnown = (reference: string): boolean => {
    const [task, parameter] = splitReference(reference);
    const type = typeOf(task);
    return (
      type !== undefined &&
      (Object.hasOwn(type.output_parameters, parameter) || Object.hasOwn(type.input_parameters, parameter))
    );
  };
  const none = (list: 'input_names' | 'output_names'): Fault[] => {
    const message = 'the optimizer of the protocol declares none';
    return optimizer[list].length > 0 ? [] : [{ path: `optimizer.${list}`, code: 'missing', message }];
  };
  return [
    ...none('input_names'),
    ...none('output_names'),
    ...unknown('input_names', optimizer.input_names, (name) => open.includes(name), {
      code: 'unknown_input',
      message: `is not a svc_dynamic parameter of the protocol ${protocol.type}`,
      ...among(open),
    }),
    ...unknown('output_names', optimizer.output_names, (name) => outputs.includes(name), {
      code: 'unknown_output',
      message: `is not a numeric output parameter of the protocol ${protocol.type}`,
      ...among(outputs),
    }),
    ...unknown('additional_names', optimizer.additional_names, isKnown, {
      code: 'unknown_parameter',
      message: `is not a parameter of a task of the protocol ${protocol.type}`,
    }),
  ];
}

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

function unknown(
  list: string,
  names: readonly string[],
  isKnown: (name: string) => boolean,
  fault: Omit<Fault, 'path'>,
): Fault[] {
  return names.flatMap((name, index) =>
    isKnown(name)
      ? []
      : [{ ...fault, path: `optimizer.${list}[${index}]`, message: `"${name}" ${fault.message}` }],
  );
}

/** Splits a reference `TASK.PARAMETER`. */
export function splitReference(reference: string): [task: string, parameter: string] {
  const dot = reference.indexOf('.');
  return dot < 0 ? [reference, ''] : [reference.slice(0, dot), reference.slice(dot + 1)];
}

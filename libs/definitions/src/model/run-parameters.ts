import type { Fault, TaskParameters } from '@lab/contracts';
import { checkValue, fault } from './parameters.js';
import { hintFor } from './suggest.js';
import type { ParameterSpec, ProtocolSnapshot } from './types.js';

/** A parameter of a protocol whose value a run supplies. */
export interface DynamicParameter {
  task: string;
  parameter: string;
  spec: ParameterSpec;
}

/** The `svc_dynamic` parameters of a protocol, in the order of its tasks. */
export function dynamicParameters(snapshot: ProtocolSnapshot): DynamicParameter[] {
  return snapshot.protocol.tasks.flatMap((task) =>
    Object.entries(task.parameters).flatMap(([parameter, binding]) => {
      const spec = snapshot.tasks[task.type]?.input_parameters[parameter];
      return binding.kind === 'dynamic' && spec ? [{ task: task.name, parameter, spec }] : [];
    }),
  );
}

/**
 * Checks the parameters of a run against the open parameters of its protocol.
 *
 * @param parameters task name to parameter name to value
 * @param options.path path of `parameters` in the input; default `parameters`
 * @param options.complete false: a missing value is not a fault, because it is supplied later; default true
 * @returns all faults. Codes: those of `checkParameters`, `unknown_task`, `not_dynamic`.
 */
export function checkRunParameters(
  snapshot: ProtocolSnapshot,
  parameters: TaskParameters,
  options: { path?: string; complete?: boolean } = {},
): Fault[] {
  const base = options.path ?? 'parameters';
  const at = (...names: string[]): string => [base, ...names].filter((name) => name !== '').join('.');
  const byTask = new Map<string, Map<string, ParameterSpec>>(
    snapshot.protocol.tasks.map((task) => [task.name, new Map()]),
  );
  for (const { task, parameter, spec } of dynamicParameters(snapshot)) byTask.get(task)?.set(parameter, spec);

  const faults: Fault[] = [];
  for (const [taskName, given] of Object.entries(parameters)) {
    const open = byTask.get(taskName);
    if (!open) {
      const message = `the protocol ${snapshot.protocol.type} has no task "${taskName}"`;
      faults.push(fault(at(taskName), 'unknown_task', message, hintFor(taskName, byTask.keys())));
      continue;
    }
    for (const [name, value] of Object.entries(given)) {
      const spec = open.get(name);
      if (spec) faults.push(...checkValue(spec, value, at(taskName, name)));
      else faults.push(notOpen(snapshot, taskName, name, at(taskName, name)));
    }
  }
  if (options.complete !== false) {
    for (const [taskName, open] of byTask) {
      const given = Object.hasOwn(parameters, taskName) ? parameters[taskName] : undefined;
      for (const name of open.keys()) {
        if (given && Object.hasOwn(given, name)) continue;
        faults.push({
          path: at(taskName, name),
          code: 'missing_parameter',
          message: `the protocol leaves "${name}" of task "${taskName}" open; a value is required`,
        });
      }
    }
  }
  return faults;
}

function notOpen(snapshot: ProtocolSnapshot, taskName: string, name: string, path: string): Fault {
  const task = snapshot.protocol.tasks.find((candidate) => candidate.name === taskName);
  const specs = (task && snapshot.tasks[task.type]?.input_parameters) ?? {};
  if (!Object.hasOwn(specs, name)) {
    const message = `the task "${taskName}" has no parameter "${name}"`;
    return fault(path, 'unknown_parameter', message, hintFor(name, Object.keys(specs)));
  }
  return {
    path,
    code: 'not_dynamic',
    message: `the protocol sets "${name}" of task "${taskName}" itself`,
    hint: 'only parameters that the protocol declares as svc_dynamic can be supplied',
  };
}

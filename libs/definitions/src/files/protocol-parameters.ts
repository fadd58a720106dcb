import {
  checkValue,
  dynamicMarker,
  hintFor,
  type ParameterBinding,
  type ParameterSpec,
} from '../model/index.js';
import type { Path } from '../documents/index.js';
import { elementPath } from './parameter-specs.js';
import { checkAncestor, type ProtocolScope, type TaskEntry } from './protocol-scope.js';

/** Checks the parameters of a task against its type and the referenced tasks. */
export function checkBindings(scope: ProtocolScope, entry: TaskEntry): void {
  const specs = entry.definition?.input_parameters;
  for (const [name, binding] of Object.entries(entry.parameters)) {
    const path: Path = [...entry.path, 'parameters', name];
    const spec = specs !== undefined && Object.hasOwn(specs, name) ? specs[name] : undefined;
    if (specs !== undefined && !spec) {
      scope.source.fault(
        path,
        'unknown_parameter',
        `the task type "${entry.type}" has no parameter "${name}"`,
        { what: 'key', hint: hintFor(name, Object.keys(specs)) },
      );
    } else if (binding.kind === 'reference') {
      checkReference(scope, entry, path, binding, spec);
    } else if (binding.kind === 'literal' && spec) {
      checkLiteral(scope, path, binding, spec);
    }
  }
  for (const [name, spec] of Object.entries(specs ?? {})) {
    if (spec.value !== undefined || entry.named.parameters.includes(name)) continue;
    scope.source.fault(
      [...entry.path, 'parameters'],
      'missing_parameter',
      `the task type "${entry.type}" requires the parameter "${name}"`,
      { what: 'key', hint: `add "${name}": a value, ${dynamicMarker} or <task>.<output>` },
    );
  }
}

function checkLiteral(
  scope: ProtocolScope,
  path: Path,
  binding: ParameterBinding & { kind: 'literal' },
  spec: ParameterSpec,
): void {
  for (const fault of checkValue(spec, binding.value, '')) {
    const meantDynamic = typeof binding.value === 'string' && binding.value.toLowerCase() === dynamicMarker;
    scope.source.fault([...path, ...elementPath(fault.path)], `value_${fault.code}`, fault.message, {
      hint: meantDynamic ? `did you mean ${dynamicMarker}?` : fault.hint,
    });
  }
}

function checkReference(
  scope: ProtocolScope,
  entry: TaskEntry,
  path: Path,
  binding: ParameterBinding & { kind: 'reference' },
  wanted: ParameterSpec | undefined,
): void {
  const target = scope.tasks.get(binding.task);
  if (!target) return;
  checkAncestor(scope, entry, path, binding.task);
  const { definition } = target;
  if (!definition) return;
  const found =
    ownSpec(definition.output_parameters, binding.parameter) ??
    ownSpec(definition.input_parameters, binding.parameter);
  if (!found) {
    const names = [...Object.keys(definition.output_parameters), ...Object.keys(definition.input_parameters)];
    const text = `${binding.task}.${binding.parameter}`;
    const near = hintFor(binding.parameter, names);
    scope.source.fault(
      path,
      'unknown_parameter',
      `the task "${binding.task}" has neither an output nor an input "${binding.parameter}"`,
      { hint: `${near === undefined ? '' : `${near}; `}if the text itself is meant, write '\\${text}'` },
    );
    return;
  }
  if (!wanted || isAssignable(found, wanted)) return;
  scope.source.fault(
    path,
    'parameter_type',
    `"${binding.task}.${binding.parameter}" is ${typeName(found)}, but the task needs ${typeName(wanted)}`,
  );
}

function ownSpec(specs: Record<string, ParameterSpec>, name: string): ParameterSpec | undefined {
  return Object.hasOwn(specs, name) ? specs[name] : undefined;
}

/**
 * Types must be equal, except that a float parameter accepts an int. Constraints are checked when the value is known.
 */
function isAssignable(from: ParameterSpec, to: ParameterSpec): boolean {
  if (from.type === 'list' && to.type === 'list') return isSameOrWider(from.element_type, to.element_type);
  return isSameOrWider(from.type, to.type);
}

function isSameOrWider(from: string, to: string): boolean {
  return from === to || (from === 'int' && to === 'float');
}

function typeName(spec: ParameterSpec): string {
  return spec.type === 'list' ? `a list of ${spec.element_type}` : `of type ${spec.type}`;
}

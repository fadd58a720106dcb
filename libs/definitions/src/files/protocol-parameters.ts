import {
  checkValue,
  dynamicMarker,
  hintFor,
  type ParameterBinding,
  type ParameterSpec,
  splitReference,
  suggest,
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
  { value }: ParameterBinding & { kind: 'literal' },
  spec: ParameterSpec,
): void {
  if (typeof value === 'string' && isMisspeltMarker(value)) {
    scope.source.fault(
      path,
      'value_type',
      `${JSON.stringify(value)} is neither a value nor ${dynamicMarker}`,
      {
        hint: `did you mean ${dynamicMarker}?`,
      },
    );
    return;
  }
  const reference = typeof value === 'string' ? splitReference(value) : undefined;
  const task = reference && suggest(reference.task, scope.tasks.keys());
  for (const fault of checkValue(spec, value, '')) {
    scope.source.fault([...path, ...elementPath(fault.path)], `value_${fault.code}`, fault.message, {
      hint: task === undefined ? fault.hint : `did you mean the output ${task}.${reference?.name}?`,
    });
  }
}

/** A text that differs in few letters from the marker was meant to be the marker, also where any text is allowed. */
function isMisspeltMarker(value: string): boolean {
  return value !== dynamicMarker && /^svc/i.test(value) && suggest(value, [dynamicMarker]) !== undefined;
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
  if (!wanted) return;
  if (isAssignable(found, wanted)) {
    if (!scope.source.isTranslated) checkUnits(scope, path, binding, found, wanted);
    return;
  }
  if (scope.source.isTranslated && kindOfText(found.type) === kindOfText(wanted.type)) return;
  scope.source.fault(
    path,
    'parameter_type',
    `"${binding.task}.${binding.parameter}" is ${typeName(found)}, but the task needs ${typeName(wanted)}`,
  );
}

/** The service converts no units, so both sides must state the same one. A side without a unit fits every unit. */
function checkUnits(
  scope: ProtocolScope,
  path: Path,
  { task, parameter }: ParameterBinding & { kind: 'reference' },
  found: ParameterSpec,
  wanted: ParameterSpec,
): void {
  const [from, to] = [unitOf(found), unitOf(wanted)];
  if (from === undefined || to === undefined || from === to) return;
  scope.source.fault(path, 'unit', `"${task}.${parameter}" is in ${from}, but the task needs ${to}`, {
    hint: 'the service converts no units: state the same unit in both task.yml, or convert the value in a task',
  });
}

/** The unit, with one form for characters that look the same; undefined: none is stated. */
function unitOf(spec: ParameterSpec): string | undefined {
  if (spec.type !== 'int' && spec.type !== 'float') return undefined;
  const unit = spec.unit.normalize('NFKC').trim();
  return unit.toLowerCase() === 'n/a' ? undefined : unit;
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

/** EOS compares the types of Python: a choice is a text, and the elements of a list do not count. */
function kindOfText(type: ParameterSpec['type']): string {
  return type === 'choice' ? 'str' : type;
}

function isSameOrWider(from: string, to: string): boolean {
  return from === to || (from === 'int' && to === 'float');
}

function typeName(spec: ParameterSpec): string {
  return spec.type === 'list' ? `a list of ${spec.element_type}` : `of type ${spec.type}`;
}

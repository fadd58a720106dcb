import type { Diagnostic } from '@lab/definitions';
import { hintFor, suggest, type ParameterSpec, type TaskDefinition } from '@lab/definitions/model';
import ts from 'typescript';
import { exportedClass, nameOf, type At } from './author-class.js';
import { checkReturned } from './task-outputs.js';

/** Checks that the code of a task accepts what its `task.yml` declares. */

/** TypeScript that is appended to the generated types of a package: `Expected`, the inputs of each task type. */
export const expectations = `
import type { Handles as ExpectedHandles } from '@lab/sdk';
export type Expected = {
  [Type in keyof TaskTypes]: {
    devices: ExpectedHandles<TaskTypes[Type]['devices']>;
    parameters: TaskTypes[Type]['parameters'];
    resources: TaskTypes[Type]['resources'];
    files: TaskTypes[Type] extends { files: infer Files } ? Files : Record<never, never>;
    outputs: TaskTypes[Type]['outputs'];
  };
};
`;

export interface TaskCode {
  task: TaskDefinition;
  /** Absolute path of `task.ts`. */
  file: string;
}

const parts = ['devices', 'parameters', 'resources', 'files'] as const;
type Part = (typeof parts)[number];

const words: Record<Part, { one: string; unknown: string; missing: string; type: string }> = {
  devices: {
    one: 'device handle',
    unknown: 'unknown_handle',
    missing: 'unused_handle',
    type: 'handle_type',
  },
  parameters: {
    one: 'input parameter',
    unknown: 'unknown_parameter',
    missing: 'missing_parameter',
    type: 'parameter_type',
  },
  resources: {
    one: 'input resource',
    unknown: 'unknown_resource',
    missing: 'missing_resource',
    type: 'resource_type',
  },
  files: {
    one: 'input file',
    unknown: 'unknown_file',
    missing: 'missing_file',
    type: 'file_type',
  },
};

/** Number of arguments of `_execute`. The files are on the object. */
const argumentCount = 3;

/**
 * Compares the types of `_execute` with `task.yml`: every name on both sides, and whether the code accepts the values that
 * the service passes.
 *
 * @param expected the declaration of `expectations`: devices (handles), parameters, resources and files of each task type
 */
export class TaskContract {
  constructor(
    private readonly program: ts.Program,
    private readonly expected: ts.Type | undefined,
    private readonly at: At,
  ) {}

  check({ task, file }: TaskCode): Diagnostic[] {
    const found = exportedClass(this.program, file, 'BaseTask', this.at);
    if (found === undefined || 'code' in found) return found === undefined ? [] : [found];
    const { source, declaration, type } = found;
    const checker = this.program.getTypeChecker();
    const execute = type.getProperty('_execute');
    const [signature] = execute
      ? checker.getTypeOfSymbolAtLocation(execute, declaration).getCallSignatures()
      : [];
    // The compiler reports a class without the method.
    if (execute === undefined || signature === undefined) return [];
    const method = execute.valueDeclaration ?? declaration;
    const own = method.getSourceFile() === source ? nameOf(method) : nameOf(declaration);
    const wanted = this.expected?.getProperty(task.type);
    const shape = wanted && checker.getTypeOfSymbolAtLocation(wanted, source);
    const inputs = parts.flatMap((part, index) => {
      const parameter = index < argumentCount ? signature.getParameters()[index] : undefined;
      // If a method leaves out a parameter, the type arguments of its class are checked instead.
      const given = parameter ?? type.getProperty(part);
      if (given === undefined) return [];
      const declared = checker.getTypeOfSymbolAtLocation(given, method);
      const actual = checker.getBaseConstraintOfType(declared) ?? declared;
      const place = parameter?.valueDeclaration;
      const node = place?.getSourceFile() === source ? place : own;
      const member = shape?.getProperty(part);
      const expected = member && checker.getTypeOfSymbolAtLocation(member, source);
      return this.compare(part, task, actual, expected, node, source);
    });
    const outputs = shape?.getProperty('outputs');
    const promised = outputs && checker.getTypeOfSymbolAtLocation(outputs, source);
    return [...inputs, ...checkReturned(checker, { task, method, promised }, this.at)];
  }

  private compare(
    part: Part,
    task: TaskDefinition,
    actual: ts.Type,
    expected: ts.Type | undefined,
    node: ts.Node,
    source: ts.SourceFile,
  ): Diagnostic[] {
    const checker = this.program.getTypeChecker();
    if (actual.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) return [];
    const declared = {
      devices: task.devices,
      parameters: task.input_parameters,
      resources: task.input_resources,
      files: task.input_files ?? {},
    }[part];
    const word = words[part];
    const names = Object.keys(declared);
    const taken = new Map(actual.getProperties().map((each) => [each.name, each]));
    const open = checker.getIndexInfoOfType(actual, ts.IndexKind.String) !== undefined;
    const found: Diagnostic[] = [];
    const meant = new Set<string>();
    for (const [name, property] of taken) {
      if (names.includes(name) || mayBeGiven(part, property)) continue;
      const near = suggest(
        name,
        names.filter((each) => !taken.has(each)),
      );
      if (near !== undefined) meant.add(near);
      const place = property.declarations?.find((each) => each.getSourceFile() === source);
      const message = `task.yml has no ${word.one} "${name}"`;
      const instead =
        part === 'devices' ? 'write it with ? if only some protocols give it' : hintFor(name, names);
      const hint = near === undefined ? instead : `did you mean "${near}"?`;
      found.push(this.at(place ? nameOf(place) : node, word.unknown, message, hint));
    }
    for (const name of names) {
      const property = taken.get(name);
      if (property === undefined) {
        // A misspelt name is reported once, not on both sides.
        if (open || meant.has(name)) continue;
        const [message, hint] = absence(part, name);
        found.push(this.at(node, word.missing, message, hint));
        continue;
      }
      const place = property.declarations?.find((each) => each.getSourceFile() === source);
      const type = checker.getTypeOfSymbolAtLocation(property, node);
      const member = expected?.getProperty(name);
      const given = member && checker.getTypeOfSymbolAtLocation(member, source);
      const problem = this.misfit(part, task, name, type, given);
      if (problem !== undefined) {
        found.push(this.at(place ? nameOf(place) : node, word.type, `the ${word.one} "${name}" ${problem}`));
      }
    }
    return found;
  }

  /** Why the code does not accept what the service passes; undefined: it does. */
  private misfit(
    part: Part,
    task: TaskDefinition,
    name: string,
    taken: ts.Type,
    given: ts.Type | undefined,
  ): string | undefined {
    const checker = this.program.getTypeChecker();
    const text = checker.typeToString(taken);
    if (part === 'parameters') {
      const spec = task.input_parameters[name];
      if (spec === undefined || given === undefined || this.fits(spec, taken, given)) return undefined;
      return `is ${kindText(spec)} in task.yml (${checker.typeToString(given)}), which is not ${text}`;
    }
    if (part === 'resources') {
      const isResource = ['name', 'type', 'meta'].every((key) => taken.getProperty(key) !== undefined);
      return isResource || taken.flags & ts.TypeFlags.Any
        ? undefined
        : `must be taken as a Resource, not as ${text}`;
    }
    if (given === undefined || checker.isTypeAssignableTo(given, taken)) return undefined;
    // The compiler has reported the class in place of its handle.
    if (part === 'devices' && taken.getProperty('_initialize') !== undefined) return undefined;
    if (part === 'files') {
      return task.input_files?.[name]?.required === false
        ? `may be left out, so it must be taken as InputFile | undefined, not as ${text}`
        : `must be taken as an InputFile, not as ${text}`;
    }
    const device = `is a ${task.devices[name]?.type ?? 'device'} in task.yml`;
    const missing = taken.getProperties().find((each) => given.getProperty(each.name) === undefined);
    return missing === undefined
      ? `${device}, which is not ${text}`
      : `${device}, which has no function "${missing.name}"`;
  }

  private fits(spec: ParameterSpec, taken: ts.Type, given: ts.Type): boolean {
    const checker = this.program.getTypeChecker();
    if (checker.isTypeAssignableTo(given, taken)) return true;
    // Only the author knows the content of a dict.
    const isObject = (type: ts.Type): boolean =>
      (type.flags & ts.TypeFlags.Object) !== 0 && !checker.isArrayLikeType(type);
    if (spec.type === 'dict') return isObject(taken);
    if (spec.type === 'list' && ['dict', 'choice'].includes(spec.element_type)) {
      return checker.isArrayLikeType(taken);
    }
    return spec.type === 'choice' && spec.choices.every((each) => typeof each === 'object');
  }
}

/** A protocol may give a task more devices than its type declares, so the code may take such a handle with `?`. */
function mayBeGiven(part: Part, property: ts.Symbol): boolean {
  return part === 'devices' && (property.flags & ts.SymbolFlags.Optional) !== 0;
}

function kindText(spec: ParameterSpec): string {
  return spec.type === 'list' ? `a list of ${spec.element_type}` : `of type ${spec.type}`;
}

/** The message and the hint about a name of `task.yml` that the code does not know. */
function absence(part: Part, name: string): [message: string, hint: string] {
  if (part === 'devices') {
    return [
      `the task holds the device "${name}" of task.yml and does not use it`,
      'this is right if the device must only be kept from others; otherwise add it to the type of the devices, or remove it from task.yml',
    ];
  }
  const code = part === 'files' ? 'the class' : '_execute';
  return [
    `${code} does not know the ${words[part].one} "${name}" of task.yml`,
    `add it to the type of the ${part}, or remove it from task.yml`,
  ];
}

import type { Diagnostic } from '@lab/definitions';
import { suggest, hintFor, type ParameterSpec, type TaskDefinition } from '@lab/definitions/model';
import ts from 'typescript';
import { nameOf, type At } from './author-class.js';

/** Checks that the code of a task returns what its `task.yml` promises. */

export interface TaskMethod {
  task: TaskDefinition;
  /** The declaration of `_execute`. */
  method: ts.Node;
  /** The type of the output parameters by `task.yml`; undefined: it is unknown. */
  promised: ts.Type | undefined;
}

/** A name of an output or resource with its place; `type` is that of its value. */
interface Named {
  name: string;
  node: ts.Node;
  type: ts.Type;
}

/** Compares every list that `_execute` returns as `[outputs, resources, files]` with `task.yml`. */
export function checkReturned(
  checker: ts.TypeChecker,
  { task, method, promised }: TaskMethod,
  at: At,
): Diagnostic[] {
  return returnedLists(method).flatMap((list) => {
    const [outputs, resources] = list.elements;
    const found: Diagnostic[] = [];
    const given = outputs && namesIn(checker, outputs);
    if (outputs !== undefined && given !== undefined) {
      const names = Object.keys(task.output_parameters);
      const unknown = unknownNames(given.named, names, 'output', at);
      found.push(...unknown.faults);
      for (const [name, spec] of Object.entries(task.output_parameters)) {
        const output = given.named.find((each) => each.name === name);
        if (output !== undefined) {
          const wanted = promised?.getProperty(name);
          const type = wanted && checker.getTypeOfSymbolAtLocation(wanted, method);
          if (isPrimitive(spec) && type !== undefined && !canBe(checker, output.type, type)) {
            const actual = checker.typeToString(output.type);
            const message = `the output "${name}" is of type ${spec.type} in task.yml, which is not ${actual}`;
            found.push(at(output.node, 'output_type', message));
          }
        } else if (!given.open && spec.value === undefined && !unknown.meant.has(name)) {
          const message = `_execute does not return the output "${name}" of task.yml`;
          found.push(at(outputs, 'missing_output', message, `return [{ ${name}: ... }, {}, {}]`));
        }
      }
    }
    const used = resources && namesIn(checker, resources)?.named;
    found.push(...unknownNames(used ?? [], Object.keys(task.output_resources), 'output resource', at).faults);
    return found;
  });
}

function unknownNames(
  given: readonly Named[],
  names: readonly string[],
  word: 'output' | 'output resource',
  at: At,
): { faults: Diagnostic[]; meant: Set<string> } {
  const meant = new Set<string>();
  const faults = given.flatMap(({ name, node }) => {
    if (names.includes(name)) return [];
    const near = suggest(
      name,
      names.filter((each) => !given.some((other) => other.name === each)),
    );
    if (near !== undefined) meant.add(near);
    const code = `unknown_${word.replace(' ', '_')}`;
    const hint = near === undefined ? hintFor(name, names) : `did you mean "${near}"?`;
    return [at(node, code, `task.yml has no ${word} "${name}"`, hint ?? `declare it in task.yml`)];
  });
  return { faults, meant };
}

/** The lists in the return statements of a method, without those of functions inside it. */
function returnedLists(method: ts.Node): ts.ArrayLiteralExpression[] {
  const found: ts.ArrayLiteralExpression[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isReturnStatement(node) && node.expression !== undefined) {
      const value = plain(node.expression);
      if (ts.isArrayLiteralExpression(value)) found.push(value);
    }
    if (!ts.isFunctionLike(node)) ts.forEachChild(node, visit);
  };
  ts.forEachChild(method, visit);
  return found;
}

/** The names of an object; `open`: it may have more. Undefined: nothing is known about them. */
function namesIn(
  checker: ts.TypeChecker,
  expression: ts.Expression,
): { named: Named[]; open: boolean } | undefined {
  const value = plain(expression);
  if (ts.isSpreadElement(value)) return undefined;
  const isLiteral = ts.isObjectLiteralExpression(value);
  const type = checker.getTypeAtLocation(value);
  const isOpen = checker.getIndexInfosOfType(type).length > 0;
  if (!isLiteral && (!(type.flags & ts.TypeFlags.Object) || isOpen || type.getProperties().length === 0)) {
    return undefined;
  }
  const named = type.getProperties().map((property) => {
    const own = property.declarations?.find(({ parent }) => parent === value);
    const member = own && ts.isPropertyAssignment(own) ? own.initializer : undefined;
    return {
      name: property.name,
      node: own === undefined ? value : nameOf(own),
      type:
        member === undefined
          ? checker.getTypeOfSymbolAtLocation(property, value)
          : checker.getTypeAtLocation(member),
    };
  });
  return { named, open: isOpen || (isLiteral && value.properties.some(ts.isSpreadAssignment)) };
}

/** An expression without its parentheses and type assertions. */
function plain(expression: ts.Expression): ts.Expression {
  return ts.isParenthesizedExpression(expression) ||
    ts.isAsExpression(expression) ||
    ts.isSatisfiesExpression(expression)
    ? plain(expression.expression)
    : expression;
}

function isPrimitive({ type }: ParameterSpec): boolean {
  return type === 'int' || type === 'float' || type === 'str' || type === 'bool';
}

/** Whether a value of one type can be one of the other type: only the author knows which member of a union it is. */
function canBe(checker: ts.TypeChecker, actual: ts.Type, wanted: ts.Type): boolean {
  return checker.isTypeAssignableTo(actual, wanted) || checker.isTypeAssignableTo(wanted, actual);
}

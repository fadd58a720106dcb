import type { JsonObject } from '@lab/contracts';
import type { Diagnostic } from '@lab/definitions';
import { optimizerFaults, type ProtocolSnapshot } from '@lab/definitions/model';
import ts from 'typescript';
import type { At } from './author-class.js';

/** What the second argument of an input of `@lab/optimization` says, by the name of the function. */
const domains: Readonly<Record<string, string>> = {
  continuousInput: 'bounds',
  discreteInput: 'values',
  categoricalInput: 'categories',
};

/**
 * Compares the bounds, the step and the values of a declared input with its parameter, by the rules of a submission.
 * Compares only what the compiler knows: values that the code computes are compared when a campaign is submitted.
 *
 * @param name of the called function of `@lab/optimization`
 * @param key `TASK.PARAMETER`, a `svc_dynamic` parameter of the protocol
 */
export function checkDomain(
  checker: ts.TypeChecker,
  call: ts.CallExpression,
  { name, key }: { name: string; key: string },
  snapshot: ProtocolSnapshot,
  at: At,
): Diagnostic[] {
  const domain = Object.hasOwn(domains, name) ? domains[name] : undefined;
  if (domain === undefined) return [];
  const [keyNode, domainNode, optionsNode] = call.arguments;
  const step = optionsNode && propertyOf(optionsNode, 'step');
  const entry: JsonObject = { key };
  const known = domainNode && knownList(checker, domainNode);
  if (known !== undefined) entry[domain] = known;
  const knownStep = step && knownValue(checker, step);
  if (knownStep !== undefined) entry['step'] = knownStep;
  const made = { input_names: [key], output_names: [], additional_names: [], arguments: { inputs: [entry] } };
  return optimizerFaults(snapshot, made).flatMap(({ path, code, message, hint }) => {
    // The outputs are declared elsewhere.
    if (path === 'optimizer.output_names') return [];
    const index = /\.(?:values|categories)\[(\d+)\]$/.exec(path)?.[1];
    const element = index === undefined ? undefined : elementsOf(domainNode)?.[Number(index)];
    const node = path.endsWith('.step')
      ? step
      : path.includes('.inputs[')
        ? (element ?? domainNode)
        : keyNode;
    return [at(node ?? call, code, index === undefined ? message : `${key}: ${message}`, hint)];
  });
}

function elementsOf(node: ts.Expression | undefined): readonly ts.Expression[] | undefined {
  return node !== undefined && ts.isArrayLiteralExpression(node) ? node.elements : undefined;
}

/** The values of a list; undefined if the code computes one of them. */
function knownList(checker: ts.TypeChecker, node: ts.Expression): (string | number)[] | undefined {
  const values = elementsOf(node)?.map((element) => knownValue(checker, element));
  return values?.every((value) => value !== undefined) ? values : undefined;
}

/** The value of an expression with a literal type, such as `-5` or the name of a constant. */
function knownValue(checker: ts.TypeChecker, node: ts.Expression): string | number | undefined {
  const type = checker.getTypeAtLocation(node);
  return type.isStringLiteral() || type.isNumberLiteral() ? type.value : undefined;
}

function propertyOf(node: ts.Expression, name: string): ts.Expression | undefined {
  if (!ts.isObjectLiteralExpression(node)) return undefined;
  const found = node.properties.find((each) => each.name?.getText() === name);
  return found !== undefined && ts.isPropertyAssignment(found) ? found.initializer : undefined;
}

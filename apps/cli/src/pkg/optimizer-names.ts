import type { Diagnostic } from '@lab/definitions';
import { dynamicParameters, hintFor, suggest, type ProtocolSnapshot } from '@lab/definitions/model';
import ts from 'typescript';
import type { At } from './author-class.js';
import { checkDomain } from './optimizer-domains.js';

/** Functions of `@lab/optimization` whose first argument is the name of an input or output. */
const declarations: Readonly<Record<string, 'input' | 'output'>> = {
  continuousInput: 'input',
  discreteInput: 'input',
  categoricalInput: 'input',
  continuousOutput: 'output',
};

/**
 * Compares the names `TASK.PARAMETER` that are written in an `optimizer.ts`, and the bounds and values of declared inputs,
 * with its protocol. Names and values that the code computes are compared when a campaign is submitted.
 *
 * @returns `unknown_input` and `unknown_output` at declarations of `@lab/optimization`, the findings of {@link checkDomain},
 *   and `doubtful_name` at other texts that look like such a name
 */
export function checkOptimizerNames(
  program: ts.Program,
  file: string,
  snapshot: ProtocolSnapshot,
  at: At,
): Diagnostic[] {
  const source = program.getSourceFile(file);
  if (source === undefined) return [];
  const checker = program.getTypeChecker();
  const names = namesOf(snapshot);
  const found: Diagnostic[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    if (ts.isStringLiteralLike(node) && !ts.isLiteralTypeNode(node.parent)) {
      const declared = declaration(checker, node);
      const fault = nameFault(node.text, declared?.kind, names);
      if (fault !== undefined) found.push(at(node, fault.code, fault.message, fault.hint));
      else if (declared !== undefined) {
        const input = { name: declared.name, key: node.text };
        found.push(...checkDomain(checker, declared.call, input, snapshot, at));
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** The names of a protocol that its optimizer may mean. */
export interface Names {
  protocol: string;
  tasks: string[];
  /** Input parameters that are `svc_dynamic`. */
  input: string[];
  /** Numeric output parameters. */
  output: string[];
  all: string[];
}

interface NameFault {
  code: string;
  message: string;
  hint: string | undefined;
}

/**
 * What is wrong with a name in the text of an optimizer; undefined: nothing.
 *
 * @param kind as what it is declared; undefined: it is only a text
 */
export function nameFault(
  text: string,
  kind: 'input' | 'output' | undefined,
  names: Names,
): NameFault | undefined {
  return kind === undefined ? doubt(text, names) : misnamed(text, kind, names);
}

export function namesOf(snapshot: ProtocolSnapshot): Names {
  const { protocol, tasks } = snapshot;
  const of = (key: 'input_parameters' | 'output_parameters', numeric: boolean): string[] =>
    protocol.tasks.flatMap(({ name, type }) =>
      Object.entries(tasks[type]?.[key] ?? {})
        .filter(([, spec]) => !numeric || spec.type === 'int' || spec.type === 'float')
        .map(([parameter]) => `${name}.${parameter}`),
    );
  return {
    protocol: protocol.type,
    tasks: protocol.tasks.map(({ name }) => name),
    input: dynamicParameters(snapshot).map(({ task, parameter }) => `${task}.${parameter}`),
    output: of('output_parameters', true),
    all: [...of('input_parameters', false), ...of('output_parameters', false)],
  };
}

interface Declaration {
  call: ts.CallExpression;
  /** Name of the function. */
  name: string;
  kind: 'input' | 'output';
}

/** What a text declares as the first argument of a function of `@lab/optimization`. */
function declaration(checker: ts.TypeChecker, node: ts.StringLiteralLike): Declaration | undefined {
  const call = node.parent;
  if (!ts.isCallExpression(call) || call.arguments[0] !== node) return undefined;
  const symbol = checker.getSymbolAtLocation(call.expression);
  if (symbol === undefined) return undefined;
  const { name } = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const kind = Object.hasOwn(declarations, name) ? declarations[name] : undefined;
  return kind && { call, name, kind };
}

function misnamed(name: string, kind: 'input' | 'output', names: Names): NameFault | undefined {
  if (names[kind].includes(name)) return undefined;
  const [code, known] = [`unknown_${kind}`, names[kind]];
  const parameter = name.slice(name.indexOf('.') + 1);
  if (kind === 'input' && names.all.includes(name) && !names.output.includes(name)) {
    const message = `"${name}" is not svc_dynamic in the protocol ${names.protocol}, so no optimizer can choose it`;
    return { code, message, hint: `write ${parameter}: svc_dynamic in experiment.yml` };
  }
  const what = kind === 'input' ? 'svc_dynamic parameter' : 'numeric output parameter';
  const hint = hintFor(name, known) ?? `it has no ${what}`;
  return { code, message: `"${name}" is not a ${what} of the protocol ${names.protocol}`, hint };
}

/** A text of the form `TASK.PARAMETER` that is close to a name of the protocol without being one. */
function doubt(text: string, names: Names): NameFault | undefined {
  if (!/^[^.\s/]+\.[^.\s/]+$/.test(text) || names.all.includes(text)) return undefined;
  const near = suggest(text, names.all);
  if (near === undefined && !names.tasks.includes(text.slice(0, text.indexOf('.')))) return undefined;
  return {
    code: 'doubtful_name',
    message: `the protocol ${names.protocol} has no parameter "${text}"`,
    hint: near === undefined ? hintFor(text, names.all) : `did you mean "${near}"?`,
  };
}

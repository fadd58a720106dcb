import type { Diagnostic } from '@lab/definitions';
import ts from 'typescript';
import type { At } from './author-class.js';

/**
 * Finds calls of devices whose end nobody awaits. Such a call runs beside the statements after it, so an arm would move
 * during the next step. `void` before a call says that this is meant.
 */
export function unawaitedCalls(program: ts.Program, source: ts.SourceFile, at: At): Diagnostic[] {
  const checker = program.getTypeChecker();
  const found: Diagnostic[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && isDeviceCall(checker, node) && !isHandled(checker, node)) {
      const name = node.expression.getText(source);
      found.push(
        at(
          node,
          'missing_await',
          `nothing awaits the device call ${name}, so the task goes on while it runs`,
          `write: await ${name}(...)`,
        ),
      );
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Finds calls of methods that the class of a device does not declare as functions. The agent refuses them. */
export function undeclaredCalls(program: ts.Program, source: ts.SourceFile, at: At): Diagnostic[] {
  const checker = program.getTypeChecker();
  const found: Diagnostic[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && isDeviceCall(checker, node)) {
      const called = checker.getSymbolAtLocation(calledName(node.expression));
      const method = called?.declarations?.find(ts.isMethodDeclaration);
      if (method !== undefined && !isFunction(method)) {
        found.push(
          at(
            node,
            'undeclared_function',
            `${node.expression.getText(source)} calls a method that the device does not declare as a function`,
            `write @effect(), @idempotent() or @query() above ${method.name.getText()} in device.ts`,
          ),
        );
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function calledName(expression: ts.Expression): ts.Node {
  return ts.isPropertyAccessExpression(expression) ? expression.name : expression;
}

/** Whether a method has a decorator, or its class a table of functions. The agent checks the content of the table. */
function isFunction(method: ts.MethodDeclaration): boolean {
  const isTable = (member: ts.ClassElement): boolean => member.name?.getText() === 'svc_functions';
  return (
    (ts.getDecorators(method) ?? []).length > 0 ||
    (ts.isClassLike(method.parent) && method.parent.members.some(isTable))
  );
}

function isDeviceCall(checker: ts.TypeChecker, { expression }: ts.CallExpression): boolean {
  if (!ts.isPropertyAccessExpression(expression) && !ts.isElementAccessExpression(expression)) return false;
  const { aliasSymbol } = checker.getNonNullableType(checker.getTypeAtLocation(expression.expression));
  return aliasSymbol?.name === 'Handle';
}

/** Whether the promise of a call goes anywhere. */
function isHandled(checker: ts.TypeChecker, call: ts.CallExpression): boolean {
  let node: ts.Node = call;
  for (;;) {
    const { parent } = node;
    if (ts.isExpressionStatement(parent)) return false;
    if (ts.isVariableDeclaration(parent) && ts.isIdentifier(parent.name)) return isUsed(checker, parent.name);
    if (ts.isArrowFunction(parent) && parent.body === node) return !returnsNothing(checker, parent);
    // A promise with `then` behind it is still a promise.
    const isPassed =
      ts.isParenthesizedExpression(parent) ||
      ts.isPropertyAccessExpression(parent) ||
      (ts.isCallExpression(parent) && parent.expression === node);
    if (!isPassed) return true;
    node = parent;
  }
}

/** Whether the caller of a function ignores what the function returns, as `forEach` does. */
function returnsNothing(checker: ts.TypeChecker, node: ts.ArrowFunction): boolean {
  const [signature] = checker.getContextualType(node)?.getCallSignatures() ?? [];
  return signature !== undefined && (signature.getReturnType().flags & ts.TypeFlags.Void) !== 0;
}

function isUsed(checker: ts.TypeChecker, name: ts.Identifier): boolean {
  const symbol = checker.getSymbolAtLocation(name);
  const search = (node: ts.Node): boolean =>
    (ts.isIdentifier(node) &&
      node !== name &&
      node.text === name.text &&
      (checker.getSymbolAtLocation(node) === symbol ||
        checker.getShorthandAssignmentValueSymbol(node.parent) === symbol)) ||
    (ts.forEachChild(node, search) ?? false);
  return search(name.getSourceFile());
}

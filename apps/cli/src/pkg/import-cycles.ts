import type { Diagnostic } from '@lab/definitions';
import ts from 'typescript';
import type { At } from './author-class.js';

/** An import that remains when the types are removed. */
interface Edge {
  to: ts.SourceFile;
  node: ts.Node;
  /** A name of the other file that is needed while this file is loaded; undefined: functions use it later. */
  early: string | undefined;
}

/**
 * Finds files that import each other. Imports of types do not count, because the bundle does not have them. Each circle is
 * reported once: with `import_cycle_at_load` if a file needs the other one while both are loaded, else with `import_cycle`.
 *
 * @param nameOf names a file in messages
 */
export function importCycles(
  program: ts.Program,
  sources: readonly ts.SourceFile[],
  at: At,
  nameOf: (file: ts.SourceFile) => string,
): Diagnostic[] {
  const checker = program.getTypeChecker();
  const edges = new Map(sources.map((source) => [source, edgesOf(checker, source)]));
  const seen = new Set<string>();
  const inOrder = [...sources].sort((a, b) => (a.fileName < b.fileName ? -1 : 1));
  return inOrder.flatMap((source) => {
    const circle = shortestCircle(edges, source);
    if (circle === undefined) return [];
    const names = circle.map(({ to }) => nameOf(to));
    const key = [...names].sort().join('\n');
    if (seen.has(key)) return [];
    seen.add(key);
    const edge = circle.find(({ early }) => early !== undefined) ?? circle[0];
    if (edge === undefined) return [];
    const way = [nameOf(source), ...names].join(' -> ');
    const hint = 'move what both files need into a third file';
    return edge.early === undefined
      ? [at(edge.node, 'import_cycle', `the files import each other: ${way}`, hint)]
      : [
          at(
            edge.node,
            'import_cycle_at_load',
            `the files import each other (${way}), and "${edge.early}" is needed while they are loaded: it may not exist yet`,
            hint,
          ),
        ];
  });
}

/** The imports that lead from a file back to it; undefined: there are none. */
function shortestCircle(
  edges: ReadonlyMap<ts.SourceFile, readonly Edge[]>,
  start: ts.SourceFile,
): Edge[] | undefined {
  const reached = new Set<ts.SourceFile>();
  let ways: Edge[][] = (edges.get(start) ?? []).map((edge) => [edge]);
  while (ways.length > 0) {
    const next: Edge[][] = [];
    for (const way of ways) {
      const end = way.at(-1)?.to;
      if (end === start) return way;
      if (end === undefined || reached.has(end)) continue;
      reached.add(end);
      next.push(...(edges.get(end) ?? []).map((edge) => [...way, edge]));
    }
    ways = next;
  }
  return undefined;
}

function edgesOf(checker: ts.TypeChecker, source: ts.SourceFile): Edge[] {
  return source.statements.flatMap((statement): Edge[] => {
    const isImport = ts.isImportDeclaration(statement);
    if (!isImport && !ts.isExportDeclaration(statement)) return [];
    const { moduleSpecifier: node } = statement;
    const to = node && checker.getSymbolAtLocation(node)?.valueDeclaration;
    if (node === undefined || to === undefined || !ts.isSourceFile(to)) return [];
    if (!isImport) return statement.isTypeOnly ? [] : [{ to, node, early: undefined }];
    const { importClause: clause } = statement;
    if (clause === undefined) return [{ to, node, early: undefined }];
    const uses = namesOf(clause).flatMap((name) => usesOf(checker, name));
    if (uses.length === 0) return [];
    return [{ to, node, early: uses.find(isEarly)?.text }];
  });
}

/** The local names of an import, without those of types. */
function namesOf({ name, namedBindings: bindings, phaseModifier }: ts.ImportClause): ts.Identifier[] {
  if (phaseModifier === ts.SyntaxKind.TypeKeyword) return [];
  const others =
    bindings === undefined
      ? []
      : ts.isNamespaceImport(bindings)
        ? [bindings.name]
        : bindings.elements.filter(({ isTypeOnly }) => !isTypeOnly).map((each) => each.name);
  return name === undefined ? others : [name, ...others];
}

/** The places that use an imported name as a value. */
function usesOf(checker: ts.TypeChecker, name: ts.Identifier): ts.Identifier[] {
  const symbol = checker.getSymbolAtLocation(name);
  const found: ts.Identifier[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) return;
    if (ts.isIdentifier(node) && node.text === name.text && !isOfType(node)) {
      const used = ts.isShorthandPropertyAssignment(node.parent)
        ? checker.getShorthandAssignmentValueSymbol(node.parent)
        : ts.isExportSpecifier(node.parent)
          ? checker.getExportSpecifierLocalTargetSymbol(node.parent)
          : checker.getSymbolAtLocation(node);
      if (used === symbol) found.push(node);
    }
    ts.forEachChild(node, visit);
  };
  visit(name.getSourceFile());
  return found;
}

/** `extends Base<Type>` of a class is a value, although its node is one of a type. */
function isOfType(node: ts.Identifier): boolean {
  for (let each: ts.Node = node; !ts.isStatement(each); each = each.parent) {
    if (ts.isHeritageClause(each.parent)) {
      return (
        each.parent.token === ts.SyntaxKind.ImplementsKeyword || ts.isInterfaceDeclaration(each.parent.parent)
      );
    }
    if (ts.isTypeNode(each)) return !ts.isExpressionWithTypeArguments(each);
  }
  return ts.isTypeAliasDeclaration(node.parent) || ts.isInterfaceDeclaration(node.parent);
}

/** Whether the code of a place runs while its file is loaded, and not only when a function is called. */
function isEarly(node: ts.Node): boolean {
  for (let each = node; !ts.isSourceFile(each); each = each.parent) {
    // A decorator runs when its class is defined.
    if (ts.isDecorator(each)) each = each.parent;
    else if (ts.isExportSpecifier(each) || ts.isFunctionLike(each)) return false;
    else if (ts.isPropertyDeclaration(each) && !ts.getModifiers(each)?.some(isStatic)) return false;
  }
  return true;
}

function isStatic({ kind }: ts.Modifier): boolean {
  return kind === ts.SyntaxKind.StaticKeyword;
}

import type { Diagnostic } from '@lab/definitions';
import ts from 'typescript';

/** Finds the class that an author exports for the service to run. */

/** Makes a diagnostic at a node of a source. */
export type At = (node: ts.Node, code: string, message: string, hint?: string) => Diagnostic;

export type BaseClass = 'BaseDevice' | 'BaseTask';

export interface AuthorClass {
  source: ts.SourceFile;
  declaration: ts.Declaration;
  /** The type of its objects. */
  type: ts.Type;
}

/**
 * The default export of a file, if it is a class that extends `base`.
 *
 * @param file absolute
 * @returns the class, or the fault of the file; undefined when the program does not have the file
 */
export function exportedClass(
  program: ts.Program,
  file: string,
  base: BaseClass,
  at: At,
): AuthorClass | Diagnostic | undefined {
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  if (source === undefined) return undefined;
  const module = checker.getSymbolAtLocation(source);
  const exported = module && checker.getExportsOfModule(module).find((each) => each.name === 'default');
  if (exported === undefined) {
    return at(source, 'missing_class', 'there is no default export', hintOf('...', base));
  }
  const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
  const declaration = symbol.declarations?.[0];
  if (declaration === undefined) return undefined;
  const place = declaration.getSourceFile() === source ? nameOf(declaration) : source;
  if (!(symbol.flags & ts.SymbolFlags.Class)) {
    return at(place, 'missing_class', 'the default export is no class', hintOf('...', base));
  }
  const type = checker.getDeclaredTypeOfSymbol(symbol);
  if (!isBasedOn(checker, type, base)) {
    const name = ts.isClassDeclaration(declaration) ? declaration.name?.text : undefined;
    const message = `the class ${name ?? 'of the default export'} does not extend ${base}`;
    return at(place, 'missing_base', message, hintOf(name ?? '...', base));
  }
  return { source, declaration, type };
}

/** The node to which a diagnostic of a declaration points: its name. */
export function nameOf(node: ts.Node): ts.Node {
  return ts.getNameOfDeclaration(node as ts.Declaration) ?? node;
}

function hintOf(name: string, base: BaseClass): string {
  return `write: export default class ${name} extends ${base}, with ${base} imported from @lab/sdk`;
}

/** True also if a base class is unknown, because the compiler reports that itself. */
function isBasedOn(checker: ts.TypeChecker, type: ts.Type, base: BaseClass): boolean {
  if (type.isIntersection()) return type.types.some((each) => isBasedOn(checker, each, base));
  const { target = type } = type as ts.TypeReference;
  if (!target.isClassOrInterface()) return (type.flags & ts.TypeFlags.Any) !== 0;
  if (target.symbol.name === base) return true;
  const [clause] = target.symbol.declarations?.filter(ts.isClassDeclaration) ?? [];
  const parent = clause?.heritageClauses?.find(({ token }) => token === ts.SyntaxKind.ExtendsKeyword)
    ?.types[0]?.expression;
  if (parent !== undefined && checker.getTypeAtLocation(parent).flags & ts.TypeFlags.Any) return true;
  return checker.getBaseTypes(target).some((each) => isBasedOn(checker, each, base));
}

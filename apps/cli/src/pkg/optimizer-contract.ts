import type { Diagnostic } from '@lab/definitions';
import ts from 'typescript';
import type { At } from './author-class.js';

/** Checks that the code beside a protocol gives a campaign an optimizer. */

const factory = 'svc_create_campaign_optimizer';

/** TypeScript that is appended to the generated types of a package: `ExpectedOptimizer`, the export of an `optimizer.ts`. */
export const optimizerExpectation = `
import type { AbstractSequentialOptimizer as ExpectedBase } from '@lab/sdk';
export type ExpectedOptimizer = () => readonly [object, new (args: never) => ExpectedBase];
`;

/**
 * Compares the type of `svc_create_campaign_optimizer` with what the service calls: a function without parameters that
 * returns the constructor arguments and the class. Loading has already checked that the function exists.
 *
 * @param file absolute path of `optimizer.ts`
 * @param expected the declaration of `optimizerExpectation`
 */
export function checkOptimizer(
  program: ts.Program,
  expected: ts.Type | undefined,
  file: string,
  at: At,
): Diagnostic[] {
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const module = source && checker.getSymbolAtLocation(source);
  const exported = module && checker.getExportsOfModule(module).find(({ name }) => name === factory);
  if (source === undefined || exported === undefined || expected === undefined) return [];
  const type = checker.getTypeOfSymbolAtLocation(exported, source);
  if (type.flags & ts.TypeFlags.Any || checker.isTypeAssignableTo(type, expected)) return [];
  const declaration = exported.declarations?.[0] ?? source;
  const node = declaration.getSourceFile() === source ? declaration : source;
  return [
    at(
      ts.getNameOfDeclaration(node as ts.Declaration) ?? node,
      'optimizer_type',
      `"${factory}" is ${checker.typeToString(type)}, not a function that gives the constructor arguments and a class of optimizer`,
      `declare it as CreateCampaignOptimizer<Arguments> of @lab/sdk: () => [args, OptimizerClass]`,
    ),
  ];
}

import type { ParameterDeclarations } from '@lab/sdk';
import {
  declarationsOf,
  fileDeclaration,
  signatureOf,
  type PythonParameter,
  type ToldFunction,
} from '../nodes/index.js';
import type { MadsciAction, MadsciArgument, MadsciInfo } from './madsci-node.js';

/** The actions of a node as functions. */
export function toldFunctions({ actions }: MadsciInfo): Record<string, ToldFunction> {
  return Object.fromEntries(Object.entries(actions).map(([name, action]) => [name, toldFunction(action)]));
}

function toldFunction({ description, args, locations, files }: MadsciAction): ToldFunction {
  const plain = Object.values(args).map(parameterOf);
  // A location is the object that a workcell would fill in.
  const places = Object.values(locations).map((each) => ({ ...parameterOf(each), type: 'dict' }));
  const parameters = declarationsOf([...plain, ...places]);
  const text = description.trim().split('\n\n')[0] ?? '';
  if (parameters === undefined) {
    return {
      description: `${text} (${signatureOf([...plain, ...places, ...Object.values(files).map(parameterOf)])})`,
    };
  }
  const uploads: ParameterDeclarations = Object.fromEntries(
    Object.values(files).map(({ name, required }) => [
      name,
      { ...fileDeclaration, ...(required ? {} : { optional: true }) },
    ]),
  );
  return { description: text, parameters: { ...parameters, ...uploads } };
}

const parameterOf = (each: MadsciArgument): PythonParameter => ({
  name: each.name,
  type: each.argument_type,
  required: each.required,
  default: each.default ?? undefined,
  description: each.description ?? undefined,
});

/** What a feature definition of SiLA 2 says, as far as a program needs it. */

export const basicTypes = [
  'String',
  'Integer',
  'Real',
  'Boolean',
  'Binary',
  'Date',
  'Time',
  'Timestamp',
  'Any',
] as const;
export type BasicType = (typeof basicTypes)[number];

/** The constraints that the parameters of a device function can express. The server checks all of them. */
export interface Constraints {
  minimum?: number;
  maximum?: number;
  /** Texts or numbers, as they stand in the definition. */
  choices?: readonly string[];
  unit?: string;
}

export type DataType =
  | { kind: 'basic'; name: BasicType }
  | { kind: 'list'; of: DataType }
  | { kind: 'structure'; elements: readonly Element[] }
  | { kind: 'constrained'; of: DataType; constraints: Constraints }
  /** A type that the feature defines. */
  | { kind: 'defined'; identifier: string };

export interface Described {
  identifier: string;
  displayName: string;
  description: string;
}

/** A parameter, a response, or an element of a structure. */
export interface Element extends Described {
  type: DataType;
}

export interface Command extends Described {
  observable: boolean;
  parameters: readonly Element[];
  responses: readonly Element[];
  intermediate: readonly Element[];
  /** Identifiers of the errors that it declares. */
  errors: readonly string[];
}

export interface Property extends Element {
  observable: boolean;
  errors: readonly string[];
}

export interface Feature extends Described {
  /** As in `org.silastandard/core/SiLAService/v1`. */
  fullIdentifier: string;
  originator: string;
  category: string;
  /** As in `1`. */
  majorVersion: string;
  commands: ReadonlyMap<string, Command>;
  properties: ReadonlyMap<string, Property>;
  metadata: ReadonlyMap<string, Element>;
  errors: ReadonlyMap<string, Described>;
  types: ReadonlyMap<string, DataType>;
}

/** The package of the protocol buffers of a feature. */
export function packageOf({ originator, category, identifier, majorVersion }: Feature): string {
  return `sila2.${originator}.${category}.${identifier.toLowerCase()}.v${majorVersion}`;
}

/** Key under which gRPC carries a metadatum: it follows from the version of the feature, so it is never a constant. */
export function metadataKey(feature: Feature, identifier: string): string {
  const full = `${feature.fullIdentifier}/Metadata/${identifier}`;
  return `sila-${full.replaceAll('/', '-').toLowerCase()}-bin`;
}

/** The type behind constraints and definitions. */
export function plainType(
  type: DataType,
  feature: Feature,
): Exclude<DataType, { kind: 'defined' | 'constrained' }> {
  let plain = type;
  while (plain.kind === 'defined' || plain.kind === 'constrained') {
    plain = plain.kind === 'constrained' ? plain.of : definedType(plain.identifier, feature);
  }
  return plain;
}

/** @throws Error when the feature does not define the type */
export function definedType(identifier: string, feature: Feature): DataType {
  const type = feature.types.get(identifier);
  if (type === undefined) throw new Error(`${feature.fullIdentifier} defines no data type ${identifier}`);
  return type;
}

import { trafficFunctions } from '@lab/instruments';
import type { AddedFunction, JsonObject, JsonValue, ParameterDeclaration } from '@lab/sdk';
import { readFeature } from '../feature/index.js';
import {
  basicXml,
  commandXml,
  constrainedXml,
  elementXml,
  escapeXml,
  featureXml,
  listXml,
  propertyXml,
  type XmlPart,
} from './xml.js';
import type { ServedFeature } from './sila-server.js';

/** A function of a device as the service lists it. */
export interface OfferedFunction {
  name: string;
  kind: AddedFunction['kind'];
  description: string | null;
  /** Null: it declares none. */
  parameters: Readonly<Record<string, ParameterDeclaration>> | null;
}

interface Offered {
  name: string;
  /** By the identifiers of SiLA. */
  parameters: ReadonlyMap<string, { name: string; spec: ParameterDeclaration }>;
}

const result: XmlPart = {
  identifier: 'Result',
  name: 'Result',
  description: 'What the function returned, as JSON.',
};

/**
 * The functions of a device as a SiLA feature. A query without parameters is a property. An effect is an observable command, because it may
 * take long; other functions are plain commands. A function that declares no parameters takes them as JSON.
 * Those for recordings are left out: SiLA asks nobody who calls, and a recording may have passwords.
 *
 * @param type of the device, as in `color_station`
 * @param call calls a function of the device
 */
export function deviceFeature(
  type: string,
  originator: string,
  functions: readonly OfferedFunction[],
  call: (name: string, parameters: JsonObject) => Promise<JsonValue>,
): ServedFeature {
  const commands = new Map<string, Offered>();
  const properties = new Map<string, string>();
  const parts: string[] = [];
  for (const each of functions) {
    if (trafficFunctions.includes(each.name)) continue;
    const identifier = identifierOf(each.name);
    if (commands.has(identifier) || properties.has(identifier))
      throw new Error(
        `two functions of ${type} would have the identifier ${identifier}: rename ${each.name}`,
      );
    const part = {
      identifier,
      name: nameOf(each.name),
      description: each.description ?? `The function ${each.name}.`,
    };
    const declared = Object.entries(each.parameters ?? {});
    if (each.kind === 'query' && each.parameters !== null && declared.length === 0) {
      properties.set(identifier, each.name);
      parts.push(propertyXml(part, false, basicXml('String')));
      continue;
    }
    const parameters = new Map(declared.map(([name, spec]) => [identifierOf(name), { name, spec }]));
    commands.set(identifier, { name: each.name, parameters });
    const fields =
      each.parameters === null
        ? [
            elementXml(
              { identifier: 'Parameters', name: 'Parameters', description: 'A JSON object.' },
              basicXml('String'),
            ),
          ]
        : [...parameters].map(([field, { name, spec }]) =>
            elementXml(
              { identifier: field, name: nameOf(name), description: spec.desc ?? `The parameter ${name}.` },
              typeOf(spec),
            ),
          );
    parts.push(commandXml(part, each.kind === 'effect', fields, [elementXml(result, basicXml('String'))]));
  }
  const identifier = identifierOf(type);
  const feature = {
    identifier,
    name: nameOf(type),
    description: `The functions of a device of the type ${type}.`,
  };
  return {
    xml: featureXml(feature, { originator, category: 'devices', version: '1.0' }, parts),
    get: async (property) => JSON.stringify(await call(properties.get(property) ?? property, {})),
    run: async (command, given) => {
      const offered = commands.get(command);
      if (offered === undefined) throw new Error(`there is no command ${command}`);
      return { Result: JSON.stringify((await call(offered.name, argumentsOf(offered, given))) ?? null) };
    },
  };
}

/** @throws Error when a text is no JSON */
function argumentsOf({ parameters }: Offered, given: JsonObject): JsonObject {
  if (parameters.size === 0 && given['Parameters'] !== undefined)
    return jsonOf('Parameters', given['Parameters']) as JsonObject;
  return Object.fromEntries(
    [...parameters].map(([field, { name, spec }]) => {
      const value = given[field] ?? null;
      return [name, isJson(spec) ? jsonOf(field, value) : value];
    }),
  );
}

function jsonOf(field: string, text: JsonValue): JsonValue {
  try {
    return JSON.parse(String(text)) as JsonValue;
  } catch {
    throw new Error(`${field} must be JSON`);
  }
}

/** Whether a value has no type of SiLA and travels as JSON. */
function isJson(spec: ParameterDeclaration): boolean {
  if (spec.type === 'choice') return !spec.choices.every((each) => typeof each === 'string');
  if (spec.type === 'list') return spec.element_type === 'dict' || spec.element_type === 'choice';
  return spec.type === 'dict';
}

const basics = { int: 'Integer', float: 'Real', str: 'String', bool: 'Boolean' } as const;

function typeOf(spec: ParameterDeclaration): string {
  if (isJson(spec)) return basicXml('String');
  switch (spec.type) {
    case 'int':
    case 'float': {
      const bounds = [
        ...(spec.max === undefined ? [] : [`<MaximalInclusive>${spec.max}</MaximalInclusive>`]),
        ...(spec.min === undefined ? [] : [`<MinimalInclusive>${spec.min}</MinimalInclusive>`]),
      ];
      const basic = basicXml(basics[spec.type]);
      return bounds.length === 0 ? basic : constrainedXml(basic, bounds.join(''));
    }
    case 'choice': {
      const values = spec.choices.map((each) => `<Value>${escapeXml(String(each))}</Value>`).join('');
      return constrainedXml(basicXml('String'), `<Set>${values}</Set>`);
    }
    case 'list':
      return listXml(basicXml(basics[spec.element_type as keyof typeof basics]));
    case 'str':
    case 'bool':
      return basicXml(basics[spec.type]);
    case 'dict':
      return basicXml('String');
  }
}

/** `set_flow` as `SetFlow`: identifiers of SiLA begin with a capital letter and have no underscore. */
function identifierOf(name: string): string {
  const joined = name
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
  return /^[A-Z]/.test(joined) ? joined : `X${joined}`;
}

function nameOf(name: string): string {
  return identifierOf(name).replace(/([a-z0-9])([A-Z])/g, '$1 $2');
}

/** As in `org.example/devices/ColorStation/v1`. */
export function fullIdentifierOf({ xml }: ServedFeature): string {
  return readFeature(xml).fullIdentifier;
}

import { DOMParser, type Element as XmlElement } from '@xmldom/xmldom';
import {
  basicTypes,
  type BasicType,
  type Command,
  type Constraints,
  type DataType,
  type Described,
  type Element,
  type Feature,
  type Property,
} from './model.js';

/** Largest definition that is read, in characters. */
const longestDefinition = 2_000_000;
/** Deepest nesting of data types. */
const deepestType = 32;

/**
 * Reads a feature definition.
 *
 * @throws Error that says what is wrong with it, and where
 */
export function readFeature(xml: string): Feature {
  const root = parse(xml, 'Feature');
  const identifier = text(root, 'Identifier');
  const originator = root.getAttribute('Originator') ?? '';
  const category = root.getAttribute('Category') || 'none';
  const [majorVersion = ''] = (root.getAttribute('FeatureVersion') ?? '').split('.');
  if (
    !/^[a-z][a-z0-9.]*$/.test(originator) ||
    !/^[a-z][a-z.]*$/.test(category) ||
    !/^\d+$/.test(majorVersion)
  ) {
    throw new Error(`the definition of ${identifier} has a wrong Originator, Category or FeatureVersion`);
  }
  return {
    ...described(root),
    fullIdentifier: `${originator}/${category}/${identifier}/v${majorVersion}`,
    originator,
    category,
    majorVersion,
    commands: byIdentifier(children(root, 'Command').map(commandOf)),
    properties: byIdentifier(children(root, 'Property').map(propertyOf)),
    metadata: byIdentifier(children(root, 'Metadata').map(elementOf)),
    errors: byIdentifier(children(root, 'DefinedExecutionError').map(described)),
    types: new Map(
      children(root, 'DataTypeDefinition').map((each) => [
        text(each, 'Identifier'),
        typeOf(only(each, 'DataType'), 0),
      ]),
    ),
  };
}

/**
 * Reads a data type that stands alone, as in a value of the type Any.
 *
 * @throws Error that says what is wrong with it
 */
export function readDataType(xml: string): DataType {
  return typeOf(parse(xml, 'DataType'), 0);
}

function parse(xml: string, name: string): XmlElement {
  if (xml.length > longestDefinition) throw new Error(`a definition of ${xml.length} characters is too long`);
  // A document type could define entities, and no definition needs one.
  if (xml.includes('<!DOCTYPE')) throw new Error('a definition may not have a document type');
  const fail = (level: string, message: string): void => {
    if (level !== 'warning') throw new Error(`the definition is no XML: ${message}`);
  };
  const root = new DOMParser({ onError: fail }).parseFromString(xml.trim(), 'text/xml').documentElement;
  if (root?.localName !== name)
    throw new Error(`the root of the definition is ${root?.localName ?? 'missing'}, not ${name}`);
  return root;
}

function commandOf(xml: XmlElement): Command {
  return {
    ...described(xml),
    observable: text(xml, 'Observable') === 'Yes',
    parameters: children(xml, 'Parameter').map(elementOf),
    responses: children(xml, 'Response').map(elementOf),
    intermediate: children(xml, 'IntermediateResponse').map(elementOf),
    errors: errorsOf(xml),
  };
}

function propertyOf(xml: XmlElement): Property {
  return { ...elementOf(xml), observable: text(xml, 'Observable') === 'Yes', errors: errorsOf(xml) };
}

function elementOf(xml: XmlElement): Element {
  return { ...described(xml), type: typeOf(only(xml, 'DataType'), 0) };
}

function described(xml: XmlElement): Described {
  return {
    identifier: text(xml, 'Identifier'),
    displayName: text(xml, 'DisplayName', ''),
    description: text(xml, 'Description', '').replace(/\s+/g, ' '),
  };
}

function errorsOf(xml: XmlElement): string[] {
  return children(xml, 'DefinedExecutionErrors').flatMap((list) => children(list, 'Identifier').map(textOf));
}

function typeOf(xml: XmlElement, depth: number): DataType {
  if (depth > deepestType) throw new Error('a data type is nested too deeply');
  const [inner] = elements(xml);
  switch (inner?.localName) {
    case 'Basic':
      return { kind: 'basic', name: basicType(textOf(inner)) };
    case 'List':
      return { kind: 'list', of: typeOf(only(inner, 'DataType'), depth + 1) };
    case 'Structure': {
      const parts = children(inner, 'Element').map((each) => ({
        ...described(each),
        type: typeOf(only(each, 'DataType'), depth + 1),
      }));
      return { kind: 'structure', elements: parts };
    }
    case 'Constrained': {
      const of = typeOf(only(inner, 'DataType'), depth + 1);
      return { kind: 'constrained', of, constraints: constraintsOf(only(inner, 'Constraints')) };
    }
    case 'DataTypeIdentifier':
      return { kind: 'defined', identifier: textOf(inner) };
    default:
      throw new Error(`a data type cannot be a ${inner?.localName ?? 'nothing'}`);
  }
}

function basicType(name: string): BasicType {
  if (!(basicTypes as readonly string[]).includes(name))
    throw new Error(`there is no basic data type ${name}`);
  return name as BasicType;
}

function constraintsOf(xml: XmlElement): Constraints {
  const number = (name: string): number | undefined => {
    const value = Number(text(xml, name, 'none'));
    return Number.isFinite(value) ? value : undefined;
  };
  // An exclusive bound is not expressed: the server refuses the bound itself.
  const minimum = number('MinimalInclusive') ?? number('MinimalExclusive');
  const maximum = number('MaximalInclusive') ?? number('MaximalExclusive');
  const [set] = children(xml, 'Set');
  const [unit] = children(xml, 'Unit');
  return {
    ...(minimum === undefined ? {} : { minimum }),
    ...(maximum === undefined ? {} : { maximum }),
    ...(set === undefined ? {} : { choices: children(set, 'Value').map(textOf) }),
    ...(unit === undefined ? {} : { unit: text(unit, 'Label', 'n/a') }),
  };
}

function byIdentifier<Part extends Described>(parts: Part[]): ReadonlyMap<string, Part> {
  return new Map(parts.map((part) => [part.identifier, part]));
}

function elements(xml: XmlElement): XmlElement[] {
  return [...xml.childNodes].filter((node): node is XmlElement => node.nodeType === 1);
}

function children(xml: XmlElement, name: string): XmlElement[] {
  return elements(xml).filter((each) => each.localName === name);
}

/** @throws Error when there is none */
function only(xml: XmlElement, name: string): XmlElement {
  const [found] = children(xml, name);
  if (found === undefined)
    throw new Error(`${xml.localName ?? 'an element'} of the definition lacks ${name}`);
  return found;
}

function text(xml: XmlElement, name: string, otherwise?: string): string {
  const [found] = children(xml, name);
  if (found !== undefined) return textOf(found);
  if (otherwise !== undefined) return otherwise;
  throw new Error(`${xml.localName ?? 'an element'} of the definition lacks ${name}`);
}

function textOf(xml: XmlElement): string {
  return (xml.textContent ?? '').trim();
}

import type { JsonObject, JsonValue } from '@lab/sdk';
import {
  definedType,
  readDataType,
  type BasicType,
  type DataType,
  type Element,
  type Feature,
} from '../feature/index.js';
import type { Wire } from './framework.js';
import { FeatureMessages } from './messages.js';
import { timeExample, timeFromWire, timeToWire } from './times.js';

/**
 * Values of SiLA as JSON. An integer beyond 2^53 is a text of digits, a binary is base64, dates and times are texts of ISO 8601,
 * a value of the type Any is `{type, value}`, and a number that is not finite is null.
 */

/** Large binaries travel apart from their message. */
export interface BinaryCarrier {
  /** @param path of the parameter, for messages @returns the UUID of the upload; undefined: it is small enough */
  upload(bytes: Buffer, path: string): Promise<string | undefined>;
  download(uuid: string): Promise<Buffer>;
}

/** Refuses large binaries. */
export const noCarrier: BinaryCarrier = {
  upload: () => Promise.resolve(undefined),
  download: (uuid) =>
    Promise.reject(new Error(`binary ${uuid} has to be fetched apart, which is not possible here`)),
};

/**
 * The arguments of a command as its message.
 *
 * @throws TypeError that names every parameter that is missing, unknown or of another type; any error of an upload
 */
export async function toMessage(
  fields: readonly Element[],
  given: JsonObject,
  feature: Feature,
  carrier: BinaryCarrier,
): Promise<Wire> {
  return structureToWire(fields, given, { feature, carrier }, '');
}

/** The fields of a message as JSON. @throws any error of a download */
export async function fromMessage(
  fields: readonly Element[],
  wire: Wire,
  feature: Feature,
  carrier: BinaryCarrier,
): Promise<JsonObject> {
  return structureFromWire(fields, wire, { feature, carrier });
}

interface Context {
  feature: Feature;
  carrier: BinaryCarrier;
}

async function structureToWire(
  fields: readonly Element[],
  given: JsonObject,
  context: Context,
  path: string,
): Promise<Wire> {
  const known = new Set(fields.map(({ identifier }) => identifier));
  const unknown = Object.keys(given).filter((name) => !known.has(name));
  if (unknown.length > 0) {
    const names = [...known].join(', ') || 'none';
    throw new TypeError(`there is no ${join(path, unknown[0] ?? '')}; there are: ${names}`);
  }
  const wire: Wire = {};
  for (const { identifier, type } of fields) {
    const value = given[identifier];
    if (value === undefined) throw new TypeError(`${join(path, identifier)} is missing`);
    wire[identifier] = await toWire(type, value, context, join(path, identifier));
  }
  return wire;
}

async function toWire(type: DataType, value: JsonValue, context: Context, path: string): Promise<unknown> {
  switch (type.kind) {
    case 'basic':
      return basicToWire(type.name, value, context, path);
    case 'constrained':
      return toWire(type.of, value, context, path);
    case 'defined': {
      const inner = await toWire(definedType(type.identifier, context.feature), value, context, path);
      return { [type.identifier]: inner };
    }
    case 'list': {
      if (!Array.isArray(value)) throw wrong(path, 'a list', value);
      const items: unknown[] = [];
      for (const [index, each] of value.entries())
        items.push(await toWire(type.of, each, context, `${path}[${index}]`));
      return items;
    }
    case 'structure':
      if (!isObject(value)) throw wrong(path, 'an object', value);
      return structureToWire(type.elements, value, context, path);
  }
}

async function basicToWire(type: BasicType, value: JsonValue, context: Context, path: string): Promise<Wire> {
  switch (type) {
    case 'String':
      if (typeof value !== 'string') throw wrong(path, 'a text', value);
      return { value };
    case 'Boolean':
      if (typeof value !== 'boolean') throw wrong(path, 'true or false', value);
      return { value };
    case 'Real':
      if (typeof value !== 'number') throw wrong(path, 'a number', value);
      return { value };
    case 'Integer': {
      const isWhole = typeof value === 'number' ? Number.isSafeInteger(value) : isInt64(value);
      if (!isWhole) throw wrong(path, 'a whole number', value);
      return { value };
    }
    case 'Date':
    case 'Time':
    case 'Timestamp': {
      const wire = typeof value === 'string' ? timeToWire(type, value) : undefined;
      if (wire === undefined) throw wrong(path, `a text such as "${timeExample(type)}"`, value);
      return wire;
    }
    case 'Binary': {
      const bytes = typeof value === 'string' ? Buffer.from(value, 'base64') : undefined;
      if (bytes === undefined || bytes.toString('base64') !== value)
        throw wrong(path, 'a text in base64', value);
      const uuid = await context.carrier.upload(bytes, path);
      return uuid === undefined ? { value: bytes } : { binaryTransferUUID: uuid };
    }
    case 'Any':
      return anyToWire(value, context, path);
  }
}

async function fromWire(type: DataType, wire: unknown, context: Context): Promise<JsonValue> {
  switch (type.kind) {
    case 'basic':
      return basicFromWire(type.name, (wire ?? {}) as Wire, context);
    case 'constrained':
      return fromWire(type.of, wire, context);
    case 'defined': {
      const inner = ((wire ?? {}) as Wire)[type.identifier];
      return fromWire(definedType(type.identifier, context.feature), inner, context);
    }
    case 'list': {
      const items: JsonValue[] = [];
      for (const each of (wire ?? []) as unknown[]) items.push(await fromWire(type.of, each, context));
      return items;
    }
    case 'structure':
      return structureFromWire(type.elements, (wire ?? {}) as Wire, context);
  }
}

async function structureFromWire(
  fields: readonly Element[],
  wire: Wire,
  context: Context,
): Promise<JsonObject> {
  const value: JsonObject = {};
  for (const { identifier, type } of fields)
    value[identifier] = await fromWire(type, wire[identifier], context);
  return value;
}

async function basicFromWire(type: BasicType, wire: Wire, context: Context): Promise<JsonValue> {
  switch (type) {
    case 'String':
      return (wire['value'] as string | undefined) ?? '';
    case 'Boolean':
      return (wire['value'] as boolean | undefined) ?? false;
    case 'Real': {
      const number = (wire['value'] as number | undefined) ?? 0;
      return Number.isFinite(number) ? number : null;
    }
    case 'Integer': {
      const digits = String(wire['value'] ?? 0);
      const number = Number(digits);
      return Number.isSafeInteger(number) ? number : digits;
    }
    case 'Date':
    case 'Time':
    case 'Timestamp':
      return timeFromWire(type, wire);
    case 'Binary': {
      const uuid = wire['binaryTransferUUID'] as string | undefined;
      const bytes =
        uuid === undefined ? (wire['value'] as Buffer | undefined) : await context.carrier.download(uuid);
      return (bytes ?? Buffer.alloc(0)).toString('base64');
    }
    case 'Any':
      return anyFromWire(wire, context);
  }
}

async function anyToWire(value: JsonValue, context: Context, path: string): Promise<Wire> {
  if (!isObject(value) || typeof value['type'] !== 'string' || value['value'] === undefined)
    throw wrong(path, 'an object with type and value', value);
  const given = value['type'];
  const xml = given.startsWith('<') ? given : `<DataType><Basic>${given}</Basic></DataType>`;
  const { codec, element } = anyCodec(xml);
  const inner = await toWire(element.type, value['value'], context, `${path}.value`);
  return { type: xml, payload: codec.encode({ [element.identifier]: inner }) };
}

async function anyFromWire(wire: Wire, context: Context): Promise<JsonValue> {
  const xml = (wire['type'] as string | undefined) ?? '';
  if (xml === '') return null;
  const { codec, element } = anyCodec(xml);
  const message = codec.decode((wire['payload'] as Buffer | undefined) ?? Buffer.alloc(0));
  const basic = element.type.kind === 'basic' ? element.type.name : xml;
  return { type: basic, value: await fromWire(element.type, message[element.identifier], context) };
}

/** The payload of an Any is a message with one field. */
function anyCodec(xml: string) {
  const type = readDataType(xml);
  const element: Element = { identifier: 'Any', displayName: '', description: '', type };
  const feature: Feature = {
    ...{ identifier: 'Any', displayName: '', description: '', fullIdentifier: 'Any' },
    ...{ originator: 'any', category: 'any', majorVersion: '1' },
    ...{
      commands: new Map(),
      properties: new Map(),
      metadata: new Map(),
      errors: new Map(),
      types: new Map(),
    },
  };
  return { codec: new FeatureMessages(feature).codec('Payload', [element]), element };
}

function isInt64(value: JsonValue): boolean {
  if (typeof value !== 'string' || !/^-?\d{1,19}$/.test(value)) return false;
  return BigInt.asIntN(64, BigInt(value)) === BigInt(value);
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function wrong(path: string, wanted: string, value: JsonValue): TypeError {
  const text = JSON.stringify(value);
  return new TypeError(
    `${path} must be ${wanted}, not ${text.length > 60 ? `${text.slice(0, 60)}...` : text}`,
  );
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

import type { JsonObject, JsonValue } from '@lab/sdk';
import {
  coerceNodeId,
  DataType,
  NodeId,
  StatusCode,
  Variant,
  VariantArrayType,
  type ClientSession,
} from 'node-opcua-client';
import type { ValueType } from './node-types.js';

/**
 * A value of a server as JSON: integers of 64 bits beyond 2^53 as texts, times in ISO 8601, bytes in base64, structures as objects. NaN
 * and infinities are null.
 */
export function toJson(value: unknown): JsonValue {
  if (value === null || value === undefined) return null;
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'bigint') return wide(value);
  if (value instanceof Date) return value.toISOString();
  if (Buffer.isBuffer(value)) return value.toString('base64');
  if (ArrayBuffer.isView(value)) return Array.from(value as unknown as ArrayLike<unknown>, toJson);
  if (Array.isArray(value)) return value.map(toJson);
  if (value instanceof NodeId) return value.toString();
  if (value instanceof StatusCode) return value.name;
  if (value instanceof Variant) return variantToJson(value);
  const { text, name } = value as { text?: unknown; name?: unknown };
  const kind = (value as object).constructor.name;
  if (kind === 'LocalizedText') return typeof text === 'string' ? text : null;
  if (kind === 'QualifiedName') return typeof name === 'string' ? name : null;
  const object: JsonObject = {};
  for (const [key, each] of Object.entries(value)) {
    if (!key.startsWith('_') && key !== 'schema' && typeof each !== 'function') object[key] = toJson(each);
  }
  return object;
}

/** The value of a variant as JSON. */
export function variantToJson({ dataType, arrayType, value }: Variant): JsonValue {
  if (dataType === DataType.Int64 || dataType === DataType.UInt64) {
    const one = (pair: unknown): JsonValue => wideOf(pair as [number, number], dataType === DataType.Int64);
    return arrayType === VariantArrayType.Scalar ? one(value) : (value as unknown[]).map(one);
  }
  return toJson(value);
}

/** The library keeps integers of 64 bits as two of 32 bits, the higher one first. */
function wideOf(pair: readonly [number, number] | number | bigint, signed: boolean): JsonValue {
  if (!Array.isArray(pair) && !ArrayBuffer.isView(pair)) return toJson(pair);
  const [high, low] = pair as readonly [number, number];
  const joined = (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0);
  return wide(signed ? BigInt.asIntN(64, joined) : joined);
}

const wide = (value: bigint): JsonValue =>
  value <= BigInt(Number.MAX_SAFE_INTEGER) && value >= BigInt(Number.MIN_SAFE_INTEGER)
    ? Number(value)
    : value.toString();

/**
 * A JSON value as the variant that a server expects.
 *
 * @throws TypeError when the value has not the type
 */
export async function toVariant(value: JsonValue, type: ValueType, session: ClientSession): Promise<Variant> {
  const dataType = DataType[type.type as keyof typeof DataType];
  const one = (each: JsonValue): Promise<unknown> => scalar(each, type, session);
  if (!type.isArray) {
    return new Variant({ dataType, arrayType: VariantArrayType.Scalar, value: await one(value) });
  }
  if (!Array.isArray(value)) throw new TypeError(`a list of ${type.type} is expected`);
  const values = await Promise.all(value.map(one));
  return new Variant({ dataType, arrayType: VariantArrayType.Array, value: values });
}

async function scalar(
  value: JsonValue,
  { type, data_type: dataType }: ValueType,
  session: ClientSession,
): Promise<unknown> {
  const wrong = (): TypeError => new TypeError(`${JSON.stringify(value)} is no ${type}`);
  switch (type) {
    case 'Boolean':
      if (typeof value !== 'boolean') throw wrong();
      return value;
    case 'Int64':
    case 'UInt64': {
      if (typeof value !== 'number' && typeof value !== 'string') throw wrong();
      const bits = BigInt.asUintN(64, BigInt(value));
      return [Number(bits >> 32n), Number(bits & 0xffff_ffffn)];
    }
    case 'DateTime': {
      const time = new Date(String(value));
      if (Number.isNaN(time.getTime())) throw wrong();
      return time;
    }
    case 'ByteString':
      if (typeof value !== 'string') throw wrong();
      return Buffer.from(value, 'base64');
    case 'LocalizedText':
      return { text: String(value) };
    case 'QualifiedName':
      return { name: String(value), namespaceIndex: 0 };
    case 'NodeId':
    case 'ExpandedNodeId':
      return coerceNodeId(String(value));
    case 'ExtensionObject':
      if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong();
      return session.constructExtensionObject(coerceNodeId(dataType), value);
    case 'String':
    case 'Guid':
    case 'XmlElement':
      if (typeof value !== 'string') throw wrong();
      return value;
    default:
      if (typeof value !== 'number') throw wrong();
      return value;
  }
}

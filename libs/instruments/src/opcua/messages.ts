import type { JsonObject, JsonValue } from '@lab/sdk';
import type { ValueDescription, ValueType } from './node-types.js';

/** What a device asks a server of OPC UA, and what it answers. The field `ask` says which request it is. */
export type OpcuaRequest =
  | { ask: 'find'; node: string }
  | { ask: 'describe'; node: string }
  | { ask: 'read'; node: string }
  | { ask: 'write'; node: string; value: JsonValue; type: ValueType }
  | { ask: 'call'; object: string; method: string; arguments: { value: JsonValue; type: ValueType }[] }
  | { ask: 'watch'; node: string; interval: number };

/** Answer of `find`: the node id, and that of the node that has it; `parent` is null for a node id without such a node. */
export interface Found extends JsonObject {
  node: string;
  parent: string | null;
}

/** Answer of `describe`. */
export type Described =
  | { class: 'Variable'; value: ValueDescription }
  | { class: 'Method'; inputs: ValueDescription[]; outputs: ValueDescription[] }
  | { class: string };

/** Answer of `read`, and an event of a watched node. */
export interface Sample extends JsonObject {
  node: string;
  value: JsonValue;
  /** Name of the status code, as in `Good` or `BadNotConnected`. */
  status: string;
  /** When the source took the value, in ISO 8601; null: it does not say. */
  time: string | null;
}

/** A status code that says that a value means nothing (OPC UA part 4, section 7.39). */
export const isBad = (status: string): boolean => status.startsWith('Bad');

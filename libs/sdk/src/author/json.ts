/**
 * A value that JSON can carry: what parameters, results and metadata are made of. Declared here, so that the types of
 * this library need no other.
 */
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;

export interface JsonObject {
  [key: string]: JsonValue;
}

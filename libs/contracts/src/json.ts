/** Any value that JSON can carry: what parameters, results and metadata are made of. */
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;

export interface JsonObject {
  [key: string]: JsonValue;
}

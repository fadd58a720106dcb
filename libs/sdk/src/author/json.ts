/**
 * A JSON value. Parameters, results and metadata consist of such values. It is declared here, so that the types of this
 * library depend on no other library.
 */
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;

export interface JsonObject {
  [key: string]: JsonValue;
}

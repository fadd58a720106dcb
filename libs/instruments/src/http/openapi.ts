import { createHash } from 'node:crypto';
import type { JsonObject, JsonValue, ParameterDeclaration } from '@lab/sdk';
import { messageOf } from '../errors/index.js';
import { excerpt } from '../messages/index.js';
import { kindOf, type RequestTemplate } from './settings.js';

/** An operation of a document as a function. */
export interface DocumentOperation {
  /** The operationId, or method and path. */
  id: string;
  /** Method and path, as in `POST /tare`. */
  route: string;
  kind: 'query' | 'idempotent' | 'effect';
  desc: string | undefined;
  parameters: Record<string, ParameterDeclaration>;
  request: RequestTemplate;
  /** Names of the values in a successful answer, for the twin. */
  answers: readonly string[];
}

/**
 * Parses a document, and compares its hash.
 *
 * @param where its place for messages
 * @throws Error that names the hash that the document has
 */
export function pinnedDocument(text: string, sha256: string | undefined, where: string): JsonObject {
  const found = createHash('sha256').update(text).digest('hex');
  if (sha256?.toLowerCase() !== found) {
    const advice =
      sha256 === undefined
        ? `read the document, and if it is right write openapi.sha256: ${found}`
        : `it is ${found}, not ${sha256.toLowerCase()}: read what changed, and if it is right write openapi.sha256: ${found}`;
    throw new Error(`the OpenAPI document at ${where} must be the one that a person has read: ${advice}`);
  }
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (error) {
    throw new Error(
      `the OpenAPI document at ${where} is no JSON (${messageOf(error)}): convert YAML to JSON once`,
      {
        cause: error,
      },
    );
  }
  return asObject(document as JsonValue, where);
}

/** An operation that cannot be a function as it is. */
export interface DocumentFault {
  id: string;
  route: string;
  /** Names the place in the document. */
  error: Error;
}

/**
 * The operations of an OpenAPI 3 document.
 *
 * @throws Error when it is no such document
 */
export function operationsOf(document: JsonObject): {
  operations: DocumentOperation[];
  faults: DocumentFault[];
} {
  const { openapi } = document;
  if (typeof openapi !== 'string' || !openapi.startsWith('3.')) {
    throw new Error(
      `the document says openapi: ${excerpt(openapi ?? null)}; version 3.0 and 3.1 are understood`,
    );
  }
  const operations: DocumentOperation[] = [];
  const faults: DocumentFault[] = [];
  for (const [path, item] of Object.entries(asObject(document['paths'] ?? {}, 'paths'))) {
    const shared = asObject(item, `paths.${path}`);
    for (const method of ['get', 'put', 'post', 'delete', 'patch', 'head'] as const) {
      if (shared[method] === undefined) continue;
      const where = `paths.${path}.${method}`;
      const operation = asObject(shared[method], where);
      try {
        operations.push(new Reading(document, where).operation(method, path, shared, operation));
      } catch (error) {
        const route = `${method.toUpperCase()} ${path}`;
        const id = typeof operation['operationId'] === 'string' ? operation['operationId'] : route;
        faults.push({ id, route, error: error instanceof Error ? error : new Error(messageOf(error)) });
      }
    }
  }
  return { operations, faults };
}

class Reading {
  constructor(
    private readonly document: JsonObject,
    private readonly where: string,
  ) {}

  operation(method: string, path: string, shared: JsonObject, operation: JsonObject): DocumentOperation {
    const upper = method.toUpperCase() as RequestTemplate['method'];
    const route = `${upper} ${path}`;
    const { operationId, summary, description } = operation;
    const parameters: Record<string, ParameterDeclaration> = {};
    const request: RequestTemplate = { method: upper, path, query: {}, headers: {} };
    for (const listed of [...asList(shared['parameters']), ...asList(operation['parameters'])]) {
      const parameter = this.resolve(listed);
      const { name: given, in: place, required, schema, description: desc } = parameter;
      if (typeof given !== 'string' || typeof place !== 'string')
        throw this.fault('a parameter needs name and in');
      if (place === 'cookie') continue;
      const name = safeName(given);
      const unit = parameter['x-unit'];
      parameters[name] = this.declaration(
        { ...this.resolve(schema ?? {}), ...(typeof unit === 'string' ? { 'x-unit': unit } : {}) },
        required === true,
        desc,
      );
      if (place === 'path') request.path = request.path.replaceAll(`{${given}}`, `{${name}}`);
      else if (place === 'query') request.query[given] = `{${name}}`;
      else if (required === true) request.headers[given] = `{${name}}`;
      else delete parameters[name];
    }
    this.#body(operation, parameters, request);
    const desc = [summary, description].find(
      (each): each is string => typeof each === 'string' && each !== '',
    );
    return {
      id: typeof operationId === 'string' ? operationId : route,
      route,
      kind: kindOf(upper),
      desc: desc?.slice(0, 400),
      parameters,
      request,
      answers: this.#answers(operation),
    };
  }

  #body(
    operation: JsonObject,
    parameters: Record<string, ParameterDeclaration>,
    request: RequestTemplate,
  ): void {
    if (operation['requestBody'] === undefined) return;
    const body = this.resolve(operation['requestBody']);
    const schema = this.#jsonSchema(body['content']);
    if (schema === null) throw this.fault('a body is no JSON: declare the function by hand');
    const properties = schema['properties'];
    const isRequired = body['required'] === true;
    const names = Object.keys(asObject(properties ?? {}, this.where));
    if (names.length === 0 || names.some((name) => safeName(name) in parameters)) {
      parameters['body'] = this.declaration(schema, isRequired, 'The body');
      request.body = '{body}';
      return;
    }
    const required = asList(schema['required']);
    const template: JsonObject = {};
    for (const [name, property] of Object.entries(asObject(properties ?? {}, this.where))) {
      const resolved = this.resolve(property);
      if (resolved['readOnly'] === true) continue;
      parameters[safeName(name)] = this.declaration(
        resolved,
        isRequired && required.includes(name),
        undefined,
      );
      template[name] = `{${safeName(name)}}`;
    }
    request.body = template;
  }

  #jsonSchema(content: JsonValue | undefined): JsonObject | null {
    const types = Object.entries(asObject(content ?? {}, this.where));
    const json = types.find(([type]) => /^application\/([\w.-]+\+)?json\b/.test(type));
    if (json === undefined) return null;
    return this.resolve(asObject(json[1], this.where)['schema'] ?? {});
  }

  #answers(operation: JsonObject): string[] {
    const answers = Object.entries(asObject(operation['responses'] ?? {}, this.where));
    const success = answers.find(([status]) => /^2/.test(status));
    if (success === undefined) return [];
    const schema = this.#jsonSchema(this.resolve(success[1])['content']);
    return Object.keys(asObject(schema?.['properties'] ?? {}, this.where));
  }

  /** A schema in the terms of `task.yml`. What cannot be expressed in them becomes a wider type. */
  declaration(schema: JsonObject, required: boolean, desc: JsonValue | undefined): ParameterDeclaration {
    const { schema: plain, nullable } = this.#withoutNull(schema);
    const { type, enum: choices, default: value, minimum: min, maximum: max } = plain;
    const text = [desc, plain['description'], plain['title']].find((each) => typeof each === 'string');
    const hasDefault = value !== undefined && value !== null;
    const common = {
      ...(typeof text === 'string' ? { desc: text.slice(0, 400) } : {}),
      ...(hasDefault ? { value } : required && !nullable ? {} : { optional: true }),
      ...(plain['format'] === 'password' || plain['writeOnly'] === true ? { secret: true } : {}),
    };
    const unit = typeof plain['x-unit'] === 'string' ? plain['x-unit'] : 'n/a';
    const bounds = {
      ...(typeof min === 'number' ? { min } : {}),
      ...(typeof max === 'number' ? { max } : {}),
    };
    const made = (rest: object): ParameterDeclaration => ({ ...rest, ...common }) as ParameterDeclaration;
    if (Array.isArray(choices)) return made({ type: 'choice', choices });
    switch (type) {
      case 'integer':
        return made({ type: 'int', unit, ...bounds });
      case 'number':
        return made({ type: 'float', unit, ...bounds });
      case 'string':
        return made({ type: 'str' });
      case 'boolean':
        return made({ type: 'bool' });
      case 'array': {
        const { type: element } = this.#withoutNull(this.resolve(plain['items'] ?? {})).schema;
        const known = { integer: 'int', number: 'float', string: 'str', boolean: 'bool', object: 'dict' };
        const mapped = typeof element === 'string' ? known[element as keyof typeof known] : undefined;
        if (mapped === undefined)
          throw this.fault('a list of lists or of several types: declare the function by hand');
        return made({ type: 'list', element_type: mapped });
      }
      default:
        return made({ type: 'dict' });
    }
  }

  /** Both ways in which a schema allows null: that of 3.0, and those of 3.1. */
  #withoutNull(schema: JsonObject): { schema: JsonObject; nullable: boolean } {
    const { type, anyOf, allOf } = schema;
    if (Array.isArray(type)) {
      const [first = 'object', ...more] = type.filter((each) => each !== 'null');
      if (more.length > 0)
        throw this.fault(`a value of the types ${type.join(', ')}: declare the function by hand`);
      return { schema: { ...schema, type: first }, nullable: type.includes('null') };
    }
    const all = anyOf ?? allOf;
    if (Array.isArray(all)) {
      const kinds = all.map((each) => this.resolve(each));
      const [first, ...more] = kinds.filter((each) => each['type'] !== 'null');
      if (first !== undefined && more.length === 0) {
        const { anyOf: _any, allOf: _all, ...outer } = schema;
        return { schema: { ...first, ...outer }, nullable: kinds.length > 1 };
      }
      throw this.fault('a value of several types: declare the function by hand');
    }
    return { schema, nullable: schema['nullable'] === true };
  }

  /** Follows references within the document. */
  resolve(value: JsonValue, depth = 0): JsonObject {
    const object = asObject(value, this.where);
    const reference = object['$ref'];
    if (typeof reference !== 'string') return object;
    if (!reference.startsWith('#/') || depth > 20) {
      throw this.fault(`the reference ${reference} does not end within the document`);
    }
    let found: JsonValue | undefined = this.document;
    for (const part of reference.slice(2).split('/')) {
      const key = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
      found = asObject(found ?? null, reference)[key];
    }
    if (found === undefined) throw this.fault(`the reference ${reference} leads nowhere`);
    return this.resolve(found, depth + 1);
  }

  fault(what: string): Error {
    return new Error(`the OpenAPI document, ${this.where}: ${what}`);
  }
}

/** A name that functions and parameters may have. */
export function safeName(text: string): string {
  const name = text.replace(/[^A-Za-z0-9_]+/g, '_').replace(/^_+|_+$/g, '');
  return /^[A-Za-z]/.test(name) ? name : `p_${name}`;
}

function asObject(value: JsonValue, where: string): JsonObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new Error(`the OpenAPI document, ${where}: an object is expected, not ${excerpt(value, 60)}`);
}

const asList = (value: JsonValue | undefined): JsonValue[] => (Array.isArray(value) ? value : []);

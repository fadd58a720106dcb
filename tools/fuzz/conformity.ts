import Ajv, { type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { operationAt, type OpenApiDocument } from '../shared/openapi.js';
import type { RawReply } from '../shared/raw-sender.js';
import { csvFault } from './csv.js';
import { parsedJson } from './request.js';

const problemType = 'application/problem+json';
const documentId = 'document';

/** Checks replies against the document. It compiles each schema once. */
export class Conformity {
  readonly #ajv = new Ajv.default({ strict: false, allErrors: false });
  readonly #checks = new Map<string, ValidateFunction>();

  constructor(readonly document: OpenApiDocument) {
    addFormats.default(this.#ajv);
    this.#ajv.addSchema({ $id: documentId, ...document });
  }

  /**
   * The first difference between a reply and the document; undefined: there is none.
   *
   * @param key of the operation, for example `post /api/tasks`; undefined: the path is no route, and any problem document
   *   is right
   */
  fault(key: string | undefined, { status, headers, body }: RawReply): string | undefined {
    const [type = ''] = (headers['content-type'] ?? '').split(';');
    if (headers['x-content-type-options'] !== 'nosniff') return 'x-content-type-options is missing';
    const operation = key === undefined ? undefined : operationAt(this.document, key);
    const response = operation?.responses[status];
    if (operation !== undefined && response === undefined) return `status ${status} is not described`;
    if (response === undefined) {
      return status >= 400 ? this.#problemFault(type, body) : `status ${status} for a path that is no route`;
    }
    if (status === 429 && headers['retry-after'] === undefined) return 'retry-after is missing';
    if (response.headers?.Location !== undefined && headers.location === undefined)
      return 'location is missing';
    const content = response.content ?? {};
    if (Object.keys(content).length === 0)
      return body.length === 0 ? undefined : 'the reply must have no body';
    const described = content[type];
    if (described === undefined) return `${type || 'no content type'} is not described for ${status}`;
    if (type === 'text/csv') return csvFault(body);
    if (!type.endsWith('json')) return undefined;
    const value = parsedJson(body);
    if (value === undefined) return 'the body is not JSON';
    if (type === problemType) {
      const { examples } = described;
      const code = String((value as { code?: unknown }).code);
      if (examples !== undefined && !(code in examples)) return `code ${code} is not described for ${status}`;
    }
    const [method = '', path = ''] = (key ?? '').split(' ');
    return this.#mismatch([path, method, status, type].join(' '), value, [
      ...['paths', path, method, 'responses', String(status), 'content', type, 'schema'],
    ]);
  }

  #problemFault(type: string, body: string): string | undefined {
    if (type !== problemType) return `${type} is no problem document`;
    const value = parsedJson(body);
    if (value === undefined) return 'the problem is not JSON';
    return this.#mismatch('problem', value, ['components', 'schemas', 'Problem']);
  }

  #mismatch(name: string, value: unknown, path: readonly string[]): string | undefined {
    const node = path.reduce<unknown>((at, part) => (at as Record<string, unknown>)[part], this.document);
    const { $ref: shared } = node as { $ref?: string };
    const pointer =
      shared ??
      `#/${path.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`;
    let check = this.#checks.get(pointer);
    if (check === undefined) {
      // Most replies share their schema with others. Compiling it costs more than a thousand checks.
      check = this.#ajv.compile({ $ref: `${documentId}${pointer}` });
      this.#checks.set(pointer, check);
    }
    return check(value) ? undefined : `${name}: ${this.#ajv.errorsText(check.errors)}`;
  }
}

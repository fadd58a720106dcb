// Whether replies are what the document says.
import Ajv from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { csvFault } from './csv.ts';

const problemType = 'application/problem+json';
const documentId = 'document';

/** What a reply to an operation may be; makes each check of a schema once. */
export class Conformity {
  #ajv = new Ajv.default({ strict: false, allErrors: false });
  #checks = new Map();

  constructor(document) {
    this.document = document;
    addFormats.default(this.#ajv);
    this.#ajv.addSchema({ $id: documentId, ...document });
  }

  /**
   * What is wrong with a reply; undefined: nothing.
   *
   * @param key of the operation, `post /api/tasks`; undefined: the request meant no route, and any problem is right
   */
  fault(key, { status, headers, body }) {
    const [type] = (headers['content-type'] ?? '').split(';');
    if (headers['x-content-type-options'] !== 'nosniff') return 'x-content-type-options is missing';
    const operation = key === undefined ? undefined : this.#operation(key);
    const response = operation?.responses[status];
    if (operation !== undefined && response === undefined) return `status ${status} is not described`;
    if (response === undefined) {
      return status >= 400 ? this.#problemFault(type, body) : `status ${status} where nothing is`;
    }
    if (status === 429 && headers['retry-after'] === undefined) return 'retry-after is missing';
    if (response.headers?.Location !== undefined && headers.location === undefined)
      return 'location is missing';
    const content = response.content ?? {};
    if (Object.keys(content).length === 0) return body.length === 0 ? undefined : 'there should be no body';
    if (!(type in content)) return `${type || 'no content type'} is not described for ${status}`;
    if (type === 'text/csv') return csvFault(body);
    if (!type.endsWith('json')) return undefined;
    const value = parsed(body);
    if (value === undefined) return 'the body is not JSON';
    if (type === problemType) {
      const { examples } = content[type];
      if (examples !== undefined && !(value.code in examples))
        return `code ${value.code} is not described for ${status}`;
    }
    return this.#mismatch([key.split(' ')[1], key.split(' ')[0], status, type].join(' '), value, [
      'paths',
      key.split(' ')[1],
      key.split(' ')[0],
      'responses',
      String(status),
      'content',
      type,
      'schema',
    ]);
  }

  #operation(key) {
    const [method, path] = key.split(' ');
    return this.document.paths[path]?.[method];
  }

  #problemFault(type, body) {
    if (type !== problemType) return `${type} is no problem document`;
    const value = parsed(body);
    if (value === undefined) return 'the problem is not JSON';
    return this.#mismatch('problem', value, ['components', 'schemas', 'Problem']);
  }

  #mismatch(name, value, path) {
    const { $ref: shared } = path.reduce((node, part) => node[part], this.document);
    const pointer =
      shared ??
      `#/${path.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`;
    let check = this.#checks.get(pointer);
    if (check === undefined) {
      // Most answers share their schema with others, and making a check of it costs more than a thousand checks.
      check = this.#ajv.compile({ $ref: `${documentId}${pointer}` });
      this.#checks.set(pointer, check);
    }
    return check(value) ? undefined : `${name}: ${this.#ajv.errorsText(check.errors)}`;
  }
}

function parsed(body) {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

import { holds } from './versions.js';

/**
 * Environment markers: conditions on the computer and the Python, such as `sys_platform == "win32"`. The grammar is that of the
 * dependency specifiers of Python packages (PEP 508).
 */

/** The values of the variables of markers on one computer, such as `sys_platform`. */
export type MarkerValues = Readonly<Record<string, string>>;

const token = /\s*(?:(\(|\))|(===|~=|==|!=|<=|>=|<|>)|'([^']*)'|"([^"]*)"|([A-Za-z_.]+))/y;

type Token = { kind: 'sign' | 'text' | 'word'; text: string };

/** Whether a marker holds on a computer. @throws Error in one sentence when it cannot be read */
export function markerHolds(marker: string, values: MarkerValues): boolean {
  return new Marker(marker, values).value();
}

class Marker {
  readonly #tokens: Token[] = [];
  #at = 0;

  constructor(
    private readonly marker: string,
    private readonly values: MarkerValues,
  ) {
    token.lastIndex = 0;
    const end = marker.trimEnd().length;
    while (token.lastIndex < end) {
      const from = token.lastIndex;
      const [, bracket, operator, single, double, word] = token.exec(marker) ?? [];
      const text = single ?? double;
      if (bracket !== undefined || operator !== undefined)
        this.#tokens.push({ kind: 'sign', text: bracket ?? operator ?? '' });
      else if (text !== undefined) this.#tokens.push({ kind: 'text', text });
      else if (word !== undefined) this.#tokens.push({ kind: 'word', text: word });
      else throw this.#fault(`it has ${JSON.stringify(marker.slice(from, from + 10))}`);
    }
  }

  value(): boolean {
    const value = this.#or();
    if (this.#at < this.#tokens.length) throw this.#fault(`"${this.#next().text}" is too much`);
    return value;
  }

  #or(): boolean {
    let value = this.#and();
    while (this.#takes('or')) value = this.#and() || value;
    return value;
  }

  #and(): boolean {
    let value = this.#one();
    while (this.#takes('and')) value = this.#one() && value;
    return value;
  }

  #one(): boolean {
    if (this.#takes('(')) {
      const value = this.#or();
      if (!this.#takes(')')) throw this.#fault('a bracket is not closed');
      return value;
    }
    const left = this.#operand();
    const operator = this.#takes('not') ? `not ${this.#next().text}` : this.#next().text;
    return this.#compare(left, operator, this.#operand());
  }

  #compare(left: string, operator: string, right: string): boolean {
    if (operator === 'in') return right.includes(left);
    if (operator === 'not in') return !right.includes(left);
    const ofVersions = holds(left, operator, right);
    if (ofVersions !== undefined) return ofVersions;
    if (operator === '==' || operator === '===') return left === right;
    if (operator === '!=') return left !== right;
    // Words are compared as versions or not at all.
    if (['<', '<=', '>', '>=', '~='].includes(operator)) return false;
    throw this.#fault(`"${operator}" is no operator`);
  }

  #operand(): string {
    const { kind, text } = this.#next();
    if (kind === 'text') return text;
    if (kind === 'word' && text === 'extra') return '';
    const value = kind === 'word' && Object.hasOwn(this.values, text) ? this.values[text] : undefined;
    if (value === undefined) throw this.#fault(`"${text}" is no variable`);
    return value;
  }

  #takes(text: string): boolean {
    const next = this.#tokens[this.#at];
    if (next === undefined || next.kind === 'text' || next.text !== text) return false;
    this.#at += 1;
    return true;
  }

  #next(): Token {
    const next = this.#tokens[this.#at];
    if (next === undefined) throw this.#fault('it ends too early');
    this.#at += 1;
    return next;
  }

  #fault(why: string): Error {
    return new Error(`the marker ${JSON.stringify(this.marker)} cannot be read: ${why}`);
  }
}

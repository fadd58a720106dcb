import type { Position } from './source-map.js';

/** Errors of templates that are not well-formed, among them those in the syntax of Jinja. */

export interface TemplateError {
  message: string;
  hint?: string;
  /** Position in the template; null when it is unknown. */
  position: Position | null;
}

export const loopHint =
  'write {{#range 0 3 as |i|}}...{{/range}}, or {{#each list as |item|}}...{{/each}} for the elements of a list';

/** The fault of a line that begins with a statement or a comment of Jinja. */
export function statementFault(text: string): { message: string; hint: string } {
  return text.trim().startsWith('{#')
    ? { message: '{# ... #} is no comment here', hint: 'write {{!-- ... --}}, or # as in YAML' }
    : { message: '{% ... %} is not evaluated', hint: hintOfStatement(text) };
}

/** What to write instead of the statements of Jinja in a template; undefined: it has none. */
export function statementHint(template: string): string | undefined {
  const statement = /\{%.*?%\}/.exec(template)?.[0];
  return statement === undefined ? undefined : `{% ... %} is not evaluated: ${hintOfStatement(statement)}`;
}

function hintOfStatement(text: string): string {
  if (/\bfor\b/.test(text)) return loopHint;
  if (/\bset\b/.test(text)) return 'write {{set name=value}}';
  if (/\bif\b/.test(text)) return 'write {{#if name}}...{{else}}...{{/if}}';
  return 'use {{set name=value}}, {{#if name}}...{{/if}} and {{#range 0 3 as |i|}}...{{/range}}';
}

/**
 * An error of the parser of Handlebars.
 *
 * @param line the line of the template where the parser stopped, from 1
 * @param message the end of that line, a caret below it, and the tokens that the parser expected and got
 */
export function syntaxError(template: string, line: number, message: string): TemplateError {
  const text = template.split('\n')[line - 1] ?? '';
  const got = /, got '(\w+)'\s*$/.exec(message)?.[1];
  const { hint, column } = cause(text, got);
  return {
    message: 'a template expression is not complete or not well-formed',
    hint,
    position: { line, column: column + 1 },
  };
}

/** @param got the token of the parser that is wrong there */
function cause(text: string, got: string | undefined): { hint: string; column: number } {
  const at = (part: string | RegExp): number => Math.max(0, text.search(part));
  if (got === 'EOF') {
    return { hint: 'a block is not closed: {{#if name}} needs {{/if}}, and so do all others', column: 0 };
  }
  if (got === 'OPEN_ENDBLOCK') return { hint: 'no block is open that this closes', column: at(/\{\{~?\//) };
  if (got === 'INVERSE' || got === 'OPEN_INVERSE') {
    return { hint: 'else belongs between {{#if name}} and {{/if}}', column: at(/\{\{~?(else|\^)/) };
  }
  if (text.includes('{{{') !== text.includes('}}}')) {
    const part = text.includes('{{{') ? '{{{' : '}}}';
    return {
      hint: `three braces in a row: put a space between the brace of YAML and those of the expression, as in { volume: {{name}} }`,
      column: text.indexOf(part),
    };
  }
  const operator = /\{\{(?!set\b)[^{}]*?(?:[-+*/~%<>]|==|\||\w\(|\[)/.exec(text);
  if (operator !== null) {
    return {
      hint: 'there are no operators, filters, calls and indexes: write {{add n 1}}, {{round n 2}}, {{concat "a" n}}, {{lookup list 0}}',
      column: operator.index,
    };
  }
  return { hint: 'an expression is {{name}}, {{helper argument ...}} or {{#block}}...{{/block}}', column: 0 };
}

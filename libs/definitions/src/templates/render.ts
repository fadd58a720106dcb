import Handlebars from 'handlebars';
import { maxList, maxString, range, TemplateFault, templateValue, valueHelpers } from './helpers.js';
import { SourceMap, type Position, type Segment } from './source-map.js';

/** Longest rendered text, in characters. */
export const maxRendered = 1_000_000;

/** Blocks entered and expressions evaluated while rendering one file; a count and not a time, so that what loads once loads always. */
const maxSteps = 100_000;

/** Encloses a mark in the rendered text; a file that holds these characters itself is refused. */
const open = '\uE000';
const close = '\uE001';

export interface TemplateError {
  message: string;
  hint?: string;
  /** Where in the template; null when it is not known. */
  position: Position | null;
}

export type Rendered = { ok: true; text: string; map: SourceMap } | { ok: false; error: TemplateError };

/**
 * Evaluates the Handlebars expressions of a definition file: no escaping, no access to prototypes, files or the
 * environment, allow-listed helpers and inline partials only. A name that is not defined is an error. Bounded in steps
 * and output. A text without `{{` is returned as it is.
 *
 * Beside the value helpers there are `{{set name=value ...}}`, which defines variables for what follows (inside
 * `each`, `with` and partials they are reached as `@root.name`), `{{#range start end as |i|}}`, and Handlebars' own
 * `if`, `unless`, `each`, `with` and `lookup`.
 *
 * @returns the text with a map from its offsets to the template, or the first error. Never throws.
 */
export function render(template: string): Rendered {
  const reserved = template.search(/[\uE000\uE001]/);
  if (reserved !== -1) {
    const position = SourceMap.identity(template).at(reserved);
    return failure('the file holds a character of the private use area (U+E000 or U+E001)', position);
  }
  if (!template.includes('{{')) return { ok: true, text: template, map: SourceMap.identity(template) };
  try {
    const program = Handlebars.parse(template);
    new Instrumentation().program(program, new Set());
    const budget = new Budget();
    const rendered = evaluate(program, budget);
    return { ok: true, ...unmark(rendered) };
  } catch (error) {
    return { ok: false, error: describeError(error) };
  }
}

class Budget {
  private steps = 0;
  private size = 0;

  /** @throws TemplateFault when the file takes too many steps, or its literal text alone would be too long */
  spend(literalSize = 0): void {
    this.steps += 1;
    this.size += literalSize;
    if (this.steps > maxSteps) throw new TemplateFault(`the template takes more than ${maxSteps} steps`);
    if (this.size > maxRendered) throw new TemplateFault(tooLong);
  }
}

const tooLong = `the template makes more than ${maxRendered} characters`;
const tick = '@@step';

type Helper = (this: unknown, ...args: unknown[]) => unknown;

function evaluate(program: hbs.AST.Program, budget: Budget): string {
  const helpers: Record<string, Helper> = {
    [tick]: (size) => {
      budget.spend(Number(size));
      return '';
    },
    set: (...args) => {
      const options = args.pop() as Handlebars.HelperOptions;
      if (args.length > 0) throw located(new TemplateFault('set: write {{set name=value}}'), options);
      const root = (options.data as { root: Record<string, unknown> }).root;
      for (const [name, value] of Object.entries(options.hash as Record<string, unknown>)) {
        root[name] = guarded(options, () => templateValue('set', value));
      }
      return '';
    },
    range(...args) {
      const options = args.pop() as Handlebars.HelperOptions & { fn?: Handlebars.TemplateDelegate };
      budget.spend();
      const values = guarded(options, () => range(args));
      if (options.fn === undefined) return values;
      const block = options.fn;
      return values
        .map((value) => block(this, { data: options.data as unknown, blockParams: [value] }))
        .join('');
    },
  };
  helpers['lookup'] = (...args) => {
    const options = args.pop() as Handlebars.HelperOptions;
    return guarded(options, () => elementOf(args[0], args[1]));
  };
  for (const [name, helper] of Object.entries(valueHelpers)) {
    if (name === 'range') continue;
    helpers[name] = (...args) => {
      const options = args.pop() as Handlebars.HelperOptions;
      return guarded(options, () => {
        budget.spend();
        return helper(...args);
      });
    };
  }
  const environment = Handlebars.create();
  environment.unregisterHelper('log');
  const known = {
    ...Object.fromEntries(Object.keys(helpers).map((name) => [name, true])),
    log: false,
    helperMissing: false,
    blockHelperMissing: false,
  };
  const template = environment.compile<unknown>(program, {
    noEscape: true,
    strict: true,
    knownHelpersOnly: true,
    knownHelpers: known as unknown as KnownHelpers,
  });
  const variables: unknown = Object.create(null, {
    [Symbol.toPrimitive]: { value: () => 'the variables', enumerable: false },
  });
  return template(variables, {
    helpers,
    allowProtoMethodsByDefault: false,
    allowProtoPropertiesByDefault: false,
  });
}

/** An element of a list by its index from 0, or a variable by its name. */
function elementOf(of: unknown, key: unknown): unknown {
  const name = String(key);
  if (typeof of === 'object' && of !== null && name !== 'length' && Object.hasOwn(of, name)) {
    return (of as Record<string, unknown>)[name];
  }
  throw new TemplateFault(`lookup: there is no element ${JSON.stringify(name)}`);
}

interface SourceRange {
  start: { line: number; column: number };
}

function guarded<T>(options: object, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw located(error, options);
  }
}

function located(error: unknown, options: object): unknown {
  if (error instanceof TemplateFault && 'loc' in options) {
    const { start } = options.loc as SourceRange;
    return Object.assign(error, { lineNumber: start.line, column: start.column });
  }
  return error;
}

/**
 * Adds to a parsed template what positions and limits need: a mark before every piece of text and every expression, and a
 * step at the start of every block. Refuses what cannot be bounded or is not allowed.
 */
class Instrumentation {
  program(program: hbs.AST.Program, outerPartials: ReadonlySet<string>): void {
    const partials = new Set([...outerPartials, ...inlinePartialsOf(program)]);
    const body: hbs.AST.Statement[] = [];
    let size = 0;
    for (const statement of program.body) {
      switch (statement.type) {
        case 'ContentStatement': {
          const content = statement as hbs.AST.ContentStatement;
          size += content.value.length;
          content.value = marked(content);
          break;
        }
        case 'CommentStatement':
          break;
        default:
          body.push(mark(statement.loc.start));
          this.statement(statement, partials);
      }
      body.push(statement);
    }
    program.body = [stepCall(size, program.loc), ...body];
  }

  private statement(statement: hbs.AST.Statement, partials: ReadonlySet<string>): void {
    const node = statement as Partial<hbs.AST.BlockStatement> & Partial<hbs.AST.PartialStatement>;
    for (const parameter of node.params ?? []) this.expression(parameter);
    for (const entry of node.hash?.pairs ?? []) this.expression(entry.value);
    if (statement.type === 'PartialStatement' || statement.type === 'PartialBlockStatement') {
      const name = node.name as hbs.AST.PathExpression | hbs.AST.SubExpression | undefined;
      if (name?.type !== 'PathExpression') {
        throw at(new TemplateFault('the name of a partial must be written out'), statement.loc);
      }
      const { original } = name as hbs.AST.PathExpression;
      if (!partials.has(original) && original !== '@partial-block') {
        throw at(new TemplateFault(`there is no inline partial "${original}" here`), statement.loc);
      }
    }
    if (node.program) this.program(node.program, partials);
    if (node.inverse) this.program(node.inverse, partials);
  }

  private expression(expression: hbs.AST.Expression): void {
    const node = expression as Partial<hbs.AST.SubExpression> & Partial<hbs.AST.StringLiteral>;
    if (node.type === 'StringLiteral' && (node.value?.length ?? 0) > maxString) {
      throw at(new TemplateFault(`a text in an expression may have ${maxString} characters`), expression.loc);
    }
    if ((node.params?.length ?? 0) > maxList) {
      throw at(new TemplateFault(`an expression may have ${maxList} arguments`), expression.loc);
    }
    for (const parameter of node.params ?? []) this.expression(parameter);
    for (const entry of node.hash?.pairs ?? []) this.expression(entry.value);
  }
}

function inlinePartialsOf(program: hbs.AST.Program): string[] {
  return program.body.flatMap((statement) => {
    if (statement.type !== 'DecoratorBlock') return [];
    const first = (statement as hbs.AST.DecoratorBlock).params[0] as hbs.AST.StringLiteral | undefined;
    return first?.type === 'StringLiteral' ? [first.value] : [];
  });
}

function at(fault: TemplateFault, loc: hbs.AST.SourceLocation): TemplateFault {
  return Object.assign(fault, { lineNumber: loc.start.line, column: loc.start.column });
}

function mark(start: { line: number; column: number }): hbs.AST.ContentStatement {
  const value = `${open}${start.line}:${start.column + 1}:0${close}`;
  // The typings of Handlebars declare `original` as flags; it is the text before blanks were stripped.
  const original = value as unknown as hbs.AST.StripFlags;
  return { type: 'ContentStatement', value, original, loc: { source: '', start, end: start } };
}

/** The text with a mark at its start and after every line break. Blank text that was stripped at its start is accounted for. */
function marked(content: hbs.AST.ContentStatement): string {
  if (content.value === '') return '';
  const original = content.original as unknown as string;
  const stripped = original.slice(0, Math.max(0, original.indexOf(content.value)));
  const breaks = stripped.split('\n').length - 1;
  let line = content.loc.start.line + breaks;
  const column =
    breaks === 0
      ? content.loc.start.column + stripped.length
      : stripped.length - stripped.lastIndexOf('\n') - 1;
  return content.value
    .split(/(?<=\n)/)
    .map(
      (piece, index) =>
        `${open}${index === 0 ? line : ++line}:${index === 0 ? column + 1 : 1}:1${close}${piece}`,
    )
    .join('');
}

function stepCall(size: number, loc: hbs.AST.SourceLocation): hbs.AST.MustacheStatement {
  const path: hbs.AST.PathExpression = {
    type: 'PathExpression',
    data: false,
    depth: 0,
    parts: [tick],
    original: tick,
    loc,
  };
  const literal: hbs.AST.NumberLiteral = { type: 'NumberLiteral', value: size, original: size, loc };
  return {
    type: 'MustacheStatement',
    path,
    params: [literal],
    hash: undefined as unknown as hbs.AST.Hash,
    escaped: false,
    strip: { open: false, close: false } as unknown as hbs.AST.StripFlags,
    loc,
  };
}

function unmark(rendered: string): { text: string; map: SourceMap } {
  const segments: Segment[] = [];
  const pieces: string[] = [];
  let offset = 0;
  for (const [index, part] of rendered.split(open).entries()) {
    const end = index === 0 ? -1 : part.indexOf(close);
    if (end !== -1) {
      const [line = '1', column = '1', verbatim] = part.slice(0, end).split(':');
      segments.push({ offset, line: Number(line), column: Number(column), verbatim: verbatim === '1' });
    }
    const piece = part.slice(end + 1);
    pieces.push(piece);
    offset += piece.length;
    if (offset > maxRendered) throw new TemplateFault(tooLong);
  }
  return { text: pieces.join(''), map: SourceMap.of(segments) };
}

function describeError(error: unknown): TemplateError {
  if (error instanceof RangeError) return { message: 'a partial calls itself without end', position: null };
  const { message, lineNumber, column } = error as Error & { lineNumber?: number; column?: number };
  const position =
    lineNumber === undefined ? null : { line: Number(lineNumber), column: Number(column ?? 0) + 1 };
  const undefinedName = /^"(.+)" not defined in /.exec(message);
  if (undefinedName) {
    return {
      message: `"${undefinedName[1]}" is not defined`,
      hint: 'define it with {{set name=value}}; inside each, with and partials write @root.name',
      position,
    };
  }
  if (error instanceof TypeError) {
    return { message: 'an expression asks for a part of a value that has none', position };
  }
  const unknownHelper = /unknown helper (\S+)/.exec(message);
  if (unknownHelper) {
    return {
      message: `there is no helper "${unknownHelper[1]}"`,
      hint: `helpers are ${Object.keys(valueHelpers).join(', ')}, set, if, unless, each, with, lookup`,
      position,
    };
  }
  const syntax = /on line (\d+)[:.]?\s*([\s\S]*)/.exec(message);
  if (syntax && position === null) return syntaxError(Number(syntax[1]), message);
  return { message: message.replace(/ - \d+:\d+$/, ''), position };
}

/** Handlebars' parser draws its message: the line's end with a caret line below it. */
function syntaxError(line: number, message: string): TemplateError {
  return {
    message: 'a template expression is not complete or not well-formed',
    hint: message.includes('UNESCAPED')
      ? 'three braces in a row: put a space between the brace of YAML and those of the expression'
      : 'an expression is {{name}}, {{helper argument ...}} or {{#block}}...{{/block}}',
    position: { line, column: 1 },
  };
}

function failure(message: string, position: Position | null): Rendered {
  return { ok: false, error: { message, position } };
}

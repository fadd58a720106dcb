import Handlebars from 'handlebars';
import { suggest } from '../model/index.js';
import { range, TemplateFault, templateValue, valueHelpers } from './helpers.js';
import { Instrumentation, nest, reservedCharacter, tick, unmark } from './instrumentation.js';
import { SourceMap, type Position } from './source-map.js';
import { loopHint, statementFault, statementHint, syntaxError, type TemplateError } from './syntax-errors.js';

/** Longest rendered text, in characters. */
export const maxRendered = 1_000_000;

/**
 * Most blocks and expressions while rendering one file. It is a count and not a time, so that a file that loads once
 * always loads.
 */
const maxSteps = 100_000;

/** Longest processor time for one file, in milliseconds. The counts end a template long before on most machines. */
const maxMs = 500;

/** Partials within partials. */
const maxPartials = 50;

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
 * @param now clock in milliseconds; a file has 500 ms. The usual clock stands still while the process waits for a processor.
 * @returns the text with a map from its offsets to the template, or the first error. Never throws.
 */
export function render(template: string, now: () => number = runningTime()): Rendered {
  const reserved = reservedCharacter(template);
  if (reserved !== -1) {
    const position = SourceMap.identity(template).at(reserved);
    return failure('the file holds a character of the private use area (U+E000 or U+E001)', position);
  }
  // Some tools count it as the end of a line and some do not, so line numbers would differ.
  const alone = template.search(/\r(?!\n)/);
  if (alone !== -1) {
    const position = SourceMap.identity(template).at(alone);
    return failure('the file holds a carriage return without a line feed', position);
  }
  const statement = /^[ \t]*\{[%#].*[%#]\}/m.exec(template);
  if (statement !== null) {
    const position = SourceMap.identity(template).at(statement.index + statement[0].indexOf('{'));
    return { ok: false, error: { ...statementFault(statement[0]), position } };
  }
  if (!template.includes('{{')) return { ok: true, text: template, map: SourceMap.identity(template) };
  const variables = new Set<string>();
  try {
    const budget = new Budget(now);
    countExpressions(template);
    const program = Handlebars.parse(template);
    budget.spend();
    new Instrumentation().program(program, new Set());
    const rendered = evaluate(program, budget, variables);
    budget.spend();
    return { ok: true, ...unmark(rendered, maxRendered) };
  } catch (error) {
    return { ok: false, error: describeError(error, variables, template) };
  }
}

/**
 * A clock in milliseconds that stands still while this process waits for a processor: a busy computer refuses no file.
 * Processor time alone would run faster than time while other threads work.
 */
function runningTime(): () => number {
  const begin = performance.now();
  const used = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(used);
    return Math.min(performance.now() - begin, (user + system) / 1_000);
  };
}

/** Most expressions in a file: nothing can interrupt their parsing. */
const maxExpressions = 1_000;

function countExpressions(template: string): void {
  const count = template.split('{{').length - 1;
  if (count > maxExpressions) {
    throw new TemplateFault(`the file has ${count} expressions, but at most ${maxExpressions} are allowed`);
  }
}

class Budget {
  private steps = 0;
  private size = 0;
  private depth = 0;
  private readonly endsAt: number;

  constructor(private readonly now: () => number) {
    this.endsAt = now() + maxMs;
  }

  /** @throws TemplateFault when the file takes too many steps, or its literal text alone would be too long */
  spend(literalSize = 0): void {
    this.steps += 1;
    this.size += literalSize;
    if (this.steps > maxSteps) throw new TemplateFault(`the template takes more than ${maxSteps} steps`);
    if (this.size > maxRendered) throw new TemplateFault(tooLong);
    if (this.now() > this.endsAt) throw new TemplateFault(`the template takes longer than ${maxMs} ms`);
  }

  /** Called at the start and end of every partial. @throws TemplateFault when they are nested too deeply */
  nest(by: 1 | -1): void {
    this.depth += by;
    if (this.depth > maxPartials) {
      throw new TemplateFault(`partials call each other more than ${maxPartials} deep`);
    }
  }
}

const tooLong = `the template makes more than ${maxRendered} characters`;
type Helper = (this: unknown, ...args: unknown[]) => unknown;

function evaluate(program: hbs.AST.Program, budget: Budget, defined: Set<string>): string {
  const helpers: Record<string, Helper> = {
    [tick]: (size) => {
      budget.spend(Number(size));
      return '';
    },
    [nest]: (by) => {
      budget.nest(Number(by) === 1 ? 1 : -1);
      return '';
    },
    set: (...args) => {
      const options = args.pop() as Handlebars.HelperOptions;
      if (args.length > 0) throw located(new TemplateFault('set: write {{set name=value}}'), options);
      const root = (options.data as { root: Record<string, unknown> }).root;
      for (const [name, value] of Object.entries(options.hash as Record<string, unknown>)) {
        defined.add(name);
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

function describeError(error: unknown, variables: ReadonlySet<string>, template: string): TemplateError {
  if (error instanceof RangeError) return { message: 'a partial calls itself without end', position: null };
  const { message, lineNumber, column } = error as Error & { lineNumber?: number; column?: number };
  const position =
    lineNumber === undefined ? null : { line: Number(lineNumber), column: Number(column ?? 0) + 1 };
  const undefinedName = /^"(.+)" not defined in /.exec(message);
  if (undefinedName) {
    const near = suggest(undefinedName[1] ?? '', variables);
    return {
      message: `"${undefinedName[1]}" is not defined`,
      hint:
        near === undefined
          ? (statementHint(template) ??
            'define it with {{set name=value}}; inside each, with and partials write @root.name')
          : `did you mean "${near}"?`,
      position,
    };
  }
  if (error instanceof TypeError) {
    return { message: 'an expression asks for a part of a value that has none', position };
  }
  const unknownHelper = /unknown helper (\S+)/.exec(message);
  if (unknownHelper) {
    const helpers = [...Object.keys(valueHelpers), 'set', 'if', 'unless', 'each', 'with', 'lookup'];
    const near = suggest(unknownHelper[1] ?? '', helpers);
    if (unknownHelper[1] === 'for') return { message: 'there is no helper "for"', hint: loopHint, position };
    return {
      message: `there is no helper "${unknownHelper[1]}"`,
      hint: near === undefined ? `helpers are ${helpers.join(', ')}` : `did you mean "${near}"?`,
      position,
    };
  }
  const syntax = /on line (\d+)[:.]?\s*([\s\S]*)/.exec(message);
  if (syntax && position === null) return syntaxError(template, Number(syntax[1]), message);
  const text = message.replace(/ - \d+:\d+$/, '');
  return error instanceof TemplateFault && error.hint !== undefined
    ? { message: text, hint: error.hint, position }
    : { message: text, position };
}

function failure(message: string, position: Position | null): Rendered {
  return { ok: false, error: { message, position } };
}

import { hintFor } from '../model/index.js';
import { maxList, maxString, TemplateFault } from './helpers.js';
import { SourceMap, type Segment } from './source-map.js';

/** Encloses a mark in the rendered text. A file that contains these characters is refused. */
const open = '\uE000';
const close = '\uE001';

/** Offset of a character that marks use; -1 when there is none. */
export function reservedCharacter(text: string): number {
  return text.search(/[\uE000\uE001]/);
}

/**
 * Name of the helper that is called at the start of every block with the length of its text. Authors cannot write this
 * name.
 */
export const tick = '@@step';

/** Name of the helper that is called with 1 at the start and with -1 at the end of every inline partial. */
export const nest = '@@nest';

/**
 * Adds marks and steps to a parsed template, for positions and limits: a mark before every text and every expression,
 * and a step at the start of every block. Refuses templates that cannot be bounded or are not allowed.
 */
export class Instrumentation {
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
    program.body = [call(tick, size, program.loc), ...body];
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
        throw at(
          new TemplateFault(`there is no inline partial "${original}" here`, hintFor(original, partials)),
          statement.loc,
        );
      }
    }
    if (node.program) this.program(node.program, partials);
    if (node.program && statement.type === 'DecoratorBlock') {
      const { loc } = statement;
      node.program.body = [call(nest, 1, loc), ...node.program.body, call(nest, -1, loc)];
    }
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

/** The text with a mark at its start and after every line break. Stripped blanks at its start are accounted for. */
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

function call(helper: string, argument: number, loc: hbs.AST.SourceLocation): hbs.AST.MustacheStatement {
  const path: hbs.AST.PathExpression = {
    type: 'PathExpression',
    data: false,
    depth: 0,
    parts: [helper],
    original: helper,
    loc,
  };
  const literal: hbs.AST.NumberLiteral = { type: 'NumberLiteral', value: argument, original: argument, loc };
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

/** Removes the marks from a rendered text, and makes their map. @throws TemplateFault when the text is too long */
export function unmark(rendered: string, maxLength: number): { text: string; map: SourceMap } {
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
    if (offset > maxLength) throw new TemplateFault(`the template makes more than ${maxLength} characters`);
  }
  return { text: pieces.join(''), map: SourceMap.of(segments) };
}

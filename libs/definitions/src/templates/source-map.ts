/** The origin of a character of a rendered template. */

export interface Position {
  /** From 1. */
  line: number;
  /** From 1. */
  column: number;
}

interface Segment {
  /** Offset in the rendered text at which the segment starts. */
  offset: number;
  line: number;
  column: number;
  /** True: the template contains this text. False: it was computed, and has the position of its expression. */
  verbatim: boolean;
}

export class SourceMap {
  private constructor(private readonly segments: readonly Segment[]) {}

  /** The map of a text that is its own source. */
  static identity(text: string): SourceMap {
    const segments: Segment[] = [{ offset: 0, line: 1, column: 1, verbatim: true }];
    let line = 1;
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
      line += 1;
      segments.push({ offset: at + 1, line, column: 1, verbatim: true });
    }
    return new SourceMap(segments);
  }

  static of(segments: readonly Segment[]): SourceMap {
    return new SourceMap(segments);
  }

  /** The position in the source of a character of the rendered text. */
  at(offset: number): Position {
    let low = 0;
    let high = this.segments.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.segments[middle]?.offset ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    const segment = this.segments[low];
    if (!segment) return { line: 1, column: 1 };
    const column = segment.verbatim ? segment.column + Math.max(0, offset - segment.offset) : segment.column;
    return { line: segment.line, column };
  }
}

export type { Segment };

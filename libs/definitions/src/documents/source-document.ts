import type { JsonValue } from '@lab/contracts';
import { render, SourceMap } from '../templates/index.js';
import { fileFault, formatPath, type Diagnostic, type Path } from './diagnostic.js';
import { parseYaml, type YamlDocument } from './yaml.js';

/** Largest definition file, in bytes. */
export const maxFileSize = 256 * 1024;

/** A document of another product in the terms of this service. */
export interface Translation {
  value: JsonValue;
  /** What this service cannot do, by the paths of the document. */
  faults: readonly { path: Path; code: string; message: string; hint: string }[];
}

interface FindingOptions {
  hint?: string | undefined;
  what?: 'key' | 'value';
}

/** A rendered and parsed definition file. Collects its faults and warnings, each with its place in the source. */
export class SourceDocument {
  readonly diagnostics: Diagnostic[];
  /** Findings with which the definition can be used. */
  readonly warnings: Diagnostic[] = [];
  /** The look-ups of its check: the same values under the same names give the same result. */
  readonly uses: { kind: string; name: string; value: unknown }[] = [];

  private constructor(
    readonly file: string,
    private readonly document: YamlDocument | undefined,
    private readonly map: SourceMap,
    /** Faults of the text itself. */
    private readonly own: readonly Diagnostic[],
    /** Stands in place of what was parsed; undefined: nothing does. */
    private readonly translation?: Translation,
  ) {
    this.diagnostics = [...own];
  }

  /**
   * Renders and parses the text of a file. Faults are in `diagnostics`; `value` is then null.
   *
   * @param file name for diagnostics
   */
  static parse(file: string, text: string): SourceDocument {
    const size = Buffer.byteLength(text);
    if (size > maxFileSize) {
      const message = `the text has ${size} bytes, but at most ${maxFileSize} are allowed`;
      return SourceDocument.broken(fileFault(file, 'file_too_large', message));
    }
    const rendered = render(text.startsWith('\uFEFF') ? text.slice(1) : text);
    if (!rendered.ok) {
      const { message, hint, position } = rendered.error;
      return SourceDocument.broken({ ...fileFault(file, 'template', message, hint), ...position });
    }
    const parsed = parseYaml(rendered.text);
    const faults = (parsed.ok ? [] : parsed.faults).map(
      ({ path, code, message, hint, offset }): Diagnostic => {
        const position = offset === null ? { line: null, column: null } : rendered.map.at(offset);
        return { file, ...position, path: formatPath(path), code, message, hint: hint ?? null };
      },
    );
    return new SourceDocument(file, parsed.ok ? parsed.document : undefined, rendered.map, faults);
  }

  /** A file that cannot be read as a document. */
  static broken(fault: Diagnostic): SourceDocument {
    return new SourceDocument(fault.file, undefined, SourceMap.identity(''), [fault]);
  }

  /** The same text without the faults and warnings that were found later, to check it again. */
  unchecked(): SourceDocument {
    return new SourceDocument(this.file, this.document, this.map, this.own, this.translation);
  }

  /**
   * The same text with another value for its checks. A place that the text lacks is shown at the nearest one around it.
   * Such a document is from another product, so checks for which its authors could not prepare are left out.
   */
  translated(translation: Translation): SourceDocument {
    return new SourceDocument(this.file, this.document, this.map, this.own, translation);
  }

  /** Records what the translation could not express. The checks before find the other faults. */
  faultUntranslated(): void {
    for (const { path, code, message, hint } of this.translation?.faults ?? [])
      this.fault(path, code, message, { what: 'key', hint });
  }

  get value(): JsonValue {
    return this.translation === undefined ? (this.document?.value ?? null) : this.translation.value;
  }

  /** True: the document was written for another product; see {@link translated}. */
  get isTranslated(): boolean {
    return this.translation !== undefined;
  }

  /** True once the file has a fault. */
  get isBroken(): boolean {
    return this.diagnostics.length > 0;
  }

  /** Records a fault. `what` says whether the key or the value is wrong. */
  fault(path: Path, code: string, message: string, options?: FindingOptions): void {
    this.diagnostics.push(this.finding(path, code, message, options));
  }

  /** Records a warning. The document stays sound. */
  warn(path: Path, code: string, message: string, options?: FindingOptions): void {
    this.warnings.push(this.finding(path, code, message, options));
  }

  private finding(
    path: Path,
    code: string,
    message: string,
    { hint, what = 'value' }: FindingOptions = {},
  ): Diagnostic {
    const position = this.document
      ? this.map.at(this.document.locate(path, what))
      : { line: null, column: null };
    return { file: this.file, ...position, path: formatPath(path), code, message, hint: hint ?? null };
  }
}

import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { productLibraries, type Diagnostic } from '@lab/definitions';
import ts from 'typescript';
import { isInside, relativeTo } from './place.js';

/** The TypeScript of packages, read and checked as in the editors of their authors. */

export interface CodeOfPackage {
  /** Absolute. */
  folder: string;
  /** Text of files by absolute path; it is used instead of the file on the disk. */
  texts: ReadonlyMap<string, string>;
}

export interface CheckedCode {
  program: ts.Program;
  diagnostics: Diagnostic[];
  /** Sources of the package itself, with those of `texts`. */
  sources: ts.SourceFile[];
}

const here = fileURLToPath(import.meta.url);
const productTypes = dirname(dirname(createRequire(here).resolve('@types/node/package.json')));

const isOfProduct = (specifier: string): boolean =>
  productLibraries.some((name) => specifier === name || specifier.startsWith(`${name}/`));

/** Compiler options of a package without a `tsconfig.json`. */
const defaults: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  lib: ['lib.es2023.d.ts'],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  strict: true,
  types: ['node'],
};

/** Options that overrule `tsconfig.json`: the compiler only checks, and only the author's code. */
const forced: ts.CompilerOptions = {
  noEmit: true,
  composite: false,
  incremental: false,
  declaration: false,
  declarationMap: false,
  skipLibCheck: true,
};

/** Parsed declaration files outside of user directories. They do not change while the process runs. */
const libraries = new Map<string, ts.SourceFile | undefined>();

/**
 * Checks the types of the packages of a user directory, each with its own `tsconfig.json` if it has one. The libraries of
 * the product and the types of Node come from the package if it has them, otherwise from the product.
 *
 * @param userDir absolute; the files of diagnostics are relative to it
 */
export class PackageChecker {
  private readonly sources = new Map<string, ts.SourceFile | undefined>();

  constructor(private readonly userDir: string) {}

  check({ folder, texts }: CodeOfPackage): CheckedCode {
    const { options, roots, faults } = settingsOf(folder);
    const program = ts.createProgram({
      rootNames: [...new Set([...roots, ...texts.keys()])],
      options,
      host: this.host(options, texts),
      configFileParsingDiagnostics: faults,
    });
    const own = program
      .getSourceFiles()
      .filter((file) => isInside(folder, file.fileName) && !file.fileName.includes('/node_modules/'));
    const found = ts
      .sortAndDeduplicateDiagnostics([
        ...program.getConfigFileParsingDiagnostics(),
        ...program.getOptionsDiagnostics(),
        ...program.getGlobalDiagnostics(),
        ...own.flatMap((file) => {
          // The types of a file with a syntax error follow from a guess of the parser.
          const syntax = program.getSyntacticDiagnostics(file);
          return syntax.length > 0 ? syntax.slice(0, 1) : program.getSemanticDiagnostics(file);
        }),
      ])
      .filter(({ category }) => category === ts.DiagnosticCategory.Error);
    return { program, diagnostics: found.map((each) => this.diagnostic(each, folder)), sources: own };
  }

  private host(options: ts.CompilerOptions, texts: ReadonlyMap<string, string>): ts.CompilerHost {
    const host = ts.createCompilerHost(options, true);
    const { fileExists, readFile, getSourceFile } = host;
    const cache = ts.createModuleResolutionCache(host.getCurrentDirectory(), (name) => name, options);
    host.fileExists = (name) => texts.has(name) || fileExists.call(host, name);
    host.readFile = (name) => texts.get(name) ?? readFile.call(host, name);
    host.getSourceFile = (name, languageVersion, ...rest) => {
      const text = texts.get(name);
      if (text !== undefined) return ts.createSourceFile(name, text, languageVersion, true);
      // A declaration file has the same text in every package, so the packages share its parsed form.
      if (!/\.d\.[cm]?ts$/.test(name)) return getSourceFile.call(host, name, languageVersion, ...rest);
      const id = `${name} ${JSON.stringify(languageVersion)}`;
      const sources = isInside(this.userDir, name) ? this.sources : libraries;
      if (!sources.has(id)) sources.set(id, getSourceFile.call(host, name, languageVersion, ...rest));
      return sources.get(id);
    };
    host.resolveModuleNameLiterals = (literals, containing, redirected, optionsThere, file) =>
      literals.map((literal) => {
        const mode = ts.getModeForUsageLocation(file, literal, optionsThere);
        const resolve = (from: string): ts.ResolvedModuleWithFailedLookupLocations =>
          ts.resolveModuleName(literal.text, from, optionsThere, host, cache, redirected, mode);
        const found = resolve(containing);
        const ofProduct = isOfProduct(literal.text) && found.resolvedModule === undefined;
        return ofProduct ? resolve(here) : found;
      });
    return host;
  }

  private diagnostic({ file, start, code, messageText }: ts.Diagnostic, folder: string): Diagnostic {
    const position = file && start !== undefined ? file.getLineAndCharacterOfPosition(start) : undefined;
    const place = file?.fileName ?? join(folder, 'tsconfig.json');
    const text = ts.flattenDiagnosticMessageText(messageText, '\n  ');
    return {
      file: relativeTo(this.userDir, place),
      line: position ? position.line + 1 : null,
      column: position ? position.character + 1 : null,
      path: '',
      code: `TS${code}`,
      ...(plainerWords(code, text) ?? { message: text, hint: null }),
    };
  }
}

/** What an author should read instead of an error of the compiler that does not name the cure. */
function plainerWords(code: number, text: string): Pick<Diagnostic, 'message' | 'hint'> | undefined {
  if (code === 2834 || code === 2835)
    return { message: 'the import has no file extension', hint: 'write .js at the end of the path' };
  if (code !== 2416 || !text.startsWith("Property '_execute'")) return undefined;
  if (/Type 'Handle<.*>' is missing the following properties/.test(text)) {
    return {
      message:
        '_execute takes the class of a device, but it gets a handle, which has only the functions of the device',
      hint: "write this['devices'] as the type of the first parameter",
    };
  }
  if (!text.includes('Target requires 3 element(s)')) return undefined;
  return {
    message:
      'TypeScript takes what _execute returns for a list of any length, because no return type is written',
    hint: 'write _execute(): TaskResult, or async _execute(): Promise<TaskResult>, with TaskResult imported from @lab/sdk',
  };
}

function settingsOf(folder: string): {
  options: ts.CompilerOptions;
  roots: string[];
  faults: ts.Diagnostic[];
} {
  const configFile = join(folder, 'tsconfig.json');
  const own = existsSync(configFile)
    ? ts.readJsonConfigFile(configFile, (path) => ts.sys.readFile(path))
    : null;
  const parsed =
    own === null
      ? ts.parseJsonConfigFileContent({}, ts.sys, folder, defaults)
      : ts.parseJsonSourceFileConfigFileContent(own, ts.sys, folder, undefined, configFile);
  // A package without code is not at fault: it can consist of definitions only.
  const faults = parsed.errors.filter(({ code }) => code !== 18003 && code !== 18002);
  const ownTypes = join(folder, 'node_modules', '@types');
  return {
    options: {
      ...parsed.options,
      ...forced,
      typeRoots: [...(parsed.options.typeRoots ?? [ownTypes]), productTypes],
      configFilePath: undefined,
    },
    roots: [...new Set([...parsed.fileNames, ...codeFiles(folder)])],
    faults,
  };
}

/** The code of definitions. It is checked even if `tsconfig.json` does not include it. */
function codeFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      return entry.name.startsWith('.') || ['node_modules', 'dist'].includes(entry.name)
        ? []
        : codeFiles(path);
    }
    return ['device.ts', 'task.ts', 'optimizer.ts'].includes(entry.name) ? [path] : [];
  });
}

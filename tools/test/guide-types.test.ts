import { dirname } from 'node:path';
import { load } from 'js-yaml';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { blocksOf, guide, guideBlocks, guideExamples, guideFiles, root, type Block } from './guide-blocks.js';

/** The code of the guide is real: whole files pass the compiler, and parts of files can be parsed. */

const settings = 'tsconfig.packages.json';
/** The folder of the virtual files, inside the repository so that `@lab/sdk` resolves. Nothing is written. */
const place = `${root}tools/test/.guide/`;

/** Type errors of files as `path:line message`, with the options for packages in the repository. */
function typeFaults(files: ReadonlyMap<string, string>): string[] {
  const { config, error } = ts.readConfigFile(`${root}${settings}`, (path) => ts.sys.readFile(path));
  const parsed = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const options = { ...parsed.options, incremental: false, tsBuildInfoFile: undefined };
  const texts = new Map([...files].map(([path, text]) => [`${place}${path}`, text]));
  const folders = new Set<string>();
  for (const path of texts.keys()) {
    for (let folder = dirname(path); folder.length >= place.length - 1; folder = dirname(folder)) {
      folders.add(folder);
    }
  }
  const host = ts.createCompilerHost(options);
  const disk = { ...host };
  host.fileExists = (path) => texts.has(path) || disk.fileExists(path);
  host.readFile = (path) => texts.get(path) ?? disk.readFile(path);
  host.directoryExists = (path) => folders.has(path) || ts.sys.directoryExists(path);
  host.getSourceFile = (path, languageVersion, ...rest) => {
    const text = texts.get(path);
    return text === undefined
      ? disk.getSourceFile(path, languageVersion, ...rest)
      : ts.createSourceFile(path, text, languageVersion, true);
  };
  const program = ts.createProgram({ rootNames: [...texts.keys()], options, host });
  const found = [
    ...(error ? [error] : []),
    ...parsed.errors,
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...[...texts.keys()].flatMap((path) => {
      const source = program.getSourceFile(path);
      return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    }),
  ];
  return found.map(({ file, start, messageText }) => {
    const at =
      file === undefined
        ? settings
        : `${file.fileName.slice(place.length)}:${file.getLineAndCharacterOfPosition(start ?? 0).line + 1}`;
    return `${at} ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
  });
}

/** The reason why a part of a file cannot be parsed. TypeScript may be statements or members of a class. */
function syntaxFault({ language, text }: Block): string | undefined {
  if (language === 'yaml') {
    try {
      load(text);
      return undefined;
    } catch (error) {
      return String(error);
    }
  }
  const faults = [text, `class Whole {\n${text}}\n`].map((whole) => {
    const { diagnostics = [] } = ts.transpileModule(whole, {
      reportDiagnostics: true,
      compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext },
    });
    return diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
  });
  return faults.some((found) => found.length === 0) ? undefined : faults.flat().join('; ');
}

/** The reason why no test reads a block. */
function blockFault(block: Block): string | undefined {
  const { language, path, example, fragmentOf } = block;
  if (['sh', 'text'].includes(language)) return undefined;
  // `npm run test:python` types the blocks of this page.
  if (language === 'python' && block.page === `${guide}/notebook.md`) return undefined;
  if (language === 'json') {
    try {
      JSON.parse(block.text);
      return undefined;
    } catch (error) {
      return String(error);
    }
  }
  const ending = { yaml: '.yml', ts: '.ts', python: '.py' }[language];
  if (ending === undefined) return `"${language}" is none of yaml, ts, python, json, sh, text`;
  if (path !== undefined) {
    return path.endsWith(ending) ? undefined : `a ${language} block whose path does not end in ${ending}`;
  }
  if (example !== undefined && language === 'ts') return undefined;
  if (fragmentOf !== undefined && language !== 'python') return syntaxFault(block);
  const mark = language === 'ts' ? '//' : '#';
  return `begin it with "${mark} <package>/<path>" or "${mark} fragment of <file>"`;
}

const faultsOf = (blocks: Block[]): string[] =>
  blocks.flatMap((block) => {
    const fault = blockFault(block);
    return fault === undefined ? [] : [`${block.page}:${block.line} ${fault}`];
  });

describe('every block of the guide', () => {
  it('is a file with a path, or a readable fragment', () => {
    expect(faultsOf(guideBlocks)).toEqual([]);
  });

  it.each([
    ['code without a first line', '```ts\nconst a = 1;\n```', /begin it with "\/\/ <package>/],
    ['definitions without a first line', '```yaml\ntype: pump\n```', /begin it with "# <package>/],
    ['code under another name', '```typescript\n// a/b.ts\n```', /none of yaml, ts/],
    ['Python without a first line', '```python\nx = 1\n```', /begin it with "# <package>/],
    ['a block without a language', '```\nx\n```', /none of yaml, ts/],
    ['an indented block', '  ```ts\n  const a = 1;\n  ```', /begin it with/],
    ['a path of the other language', '```ts\n// a/b.yml\n```', /does not end in \.ts/],
    ['a fragment that is no code', '```ts\n// fragment of a.ts\nconst = ;\n```', /expected/],
    ['a fragment that is no YAML', '```yaml\n# fragment of a.yml\na: [1\n```', /YAMLException/],
  ])('is refused as %s, by page and line', (_, text, fault) => {
    const [found = '', ...more] = faultsOf(blocksOf('page.md', `# Title\n\n${text}\n`));
    expect(found).toMatch(/^page\.md:3 /);
    expect(found).toMatch(fault);
    expect(more).toEqual([]);
  });

  it.each(['const a = await b();', '@query()\nasync a(): Promise<void> {}'])(
    'may be the fragment %j',
    (code) => {
      expect(faultsOf(blocksOf('page.md', `\`\`\`ts\n// fragment of a.ts\n${code}\n\`\`\``))).toEqual([]);
    },
  );
});

describe('the code of the guide', () => {
  const code = new Map(
    guideFiles.filter(({ path }) => path.endsWith('.ts')).map(({ path, text }) => [path, text]),
  );

  it('passes the strict type check', () => {
    expect([...code.keys()]).toContain('packages/demo_pkg/tasks/dispense/task.ts');
    const examples = [...guideExamples].map(([name, text]) => [`examples/${name}`, text] as const);
    expect(typeFaults(new Map([...code, ...examples]))).toEqual([]);
  }, 90_000);

  it('fails with a wrong type, a missing import or a device that breaks the rules of the SDK', () => {
    const wrong = new Map([
      ['my_lab/a.ts', "import { nothing } from '@lab/sdk';\nexport const a: number = nothing;\n"],
      ['my_lab/b.ts', "import { a } from './a.js';\n\nexport const b: string = a;\n"],
      ['my_lab/c.ts', "import { BaseDevice } from '@lab/sdk';\nexport class C extends BaseDevice {}\n"],
    ]);
    expect(typeFaults(wrong)).toEqual([
      expect.stringMatching(/^my_lab\/a\.ts:1 .*no exported member 'nothing'/),
      expect.stringMatching(/^my_lab\/b\.ts:3 Type 'number' is not assignable to type 'string'/),
      expect.stringMatching(/^my_lab\/c\.ts:2 Non-abstract class 'C'/),
    ]);
  }, 90_000);
});

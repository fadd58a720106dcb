import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withoutPython } from '@lab/testkit/python';
import { formatDiagnostics, loadPackages, render, type Catalog } from '../../libs/definitions/src/index.js';
import { checkPackages } from '../../apps/cli/src/pkg/check.js';
import { guide, guideFiles, guidePages, pagesIn, root, textOf } from './guide-blocks.js';

/**
 * The documentation is correct: its files load together, its templates give the stated results, and its links lead to
 * existing targets.
 */

const packageFolders = [
  ...new Set(
    guideFiles.map(({ path }) => path.replace(/\/(laboratories|devices|tasks|experiments)\/.*$/, '')),
  ),
];

/** Folder of the packages of the guide, beside those that they build on. */
const shown = 'shown';

describe('the files of the guide', () => {
  let place: string;
  let userDir: string;
  let catalog: Catalog;

  beforeAll(async () => {
    place = mkdtempSync(join(tmpdir(), 'guide-'));
    userDir = join(place, 'user');
    cpSync(`${root}lab-packages`, userDir, {
      recursive: true,
      filter: (path) => !/[\\/](node_modules|dist)$/.test(path),
    });
    for (const { path, text } of guideFiles) {
      const target = join(userDir, shown, path);
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, text);
    }
    for (const folder of packageFolders) {
      const packageJson = { name: basename(folder), type: 'module' };
      writeFileSync(join(userDir, shown, folder, 'package.json'), JSON.stringify(packageJson));
    }
    catalog = await loadPackages({ userDir, cacheDir: join(place, 'cache') });
  });
  afterAll(() => rmSync(place, { recursive: true, force: true }));

  it('include every kind of definition', () => {
    const kinds = new Set(guideFiles.map(({ path }) => path.split('/').at(-1)));
    expect([...kinds].sort()).toEqual([
      'device.py',
      'device.ts',
      'device.yml',
      'experiment.yml',
      'lab.yml',
      'optimizer.py',
      'task.py',
      'task.ts',
      'task.yml',
    ]);
  });

  it('have different paths, none of which exists in the packages', () => {
    const paths = guideFiles.map(({ path }) => path);
    expect(paths).toEqual([...new Set(paths)]);
    const taken = new Set(readdirSync(`${root}lab-packages`));
    expect(paths.filter((path) => taken.has(path.split('/')[0] ?? ''))).toEqual([]);
  });

  it('load without any diagnostic', () => {
    expect(formatDiagnostics(catalog.diagnostics)).toBe('');
    const definitions = guideFiles.filter(({ path }) => path.endsWith('.yml'));
    const loaded = catalog.origins.filter(({ sound }) => sound).map(({ file }) => file);
    expect(definitions.filter(({ path }) => !loaded.includes(`${shown}/${path}`))).toEqual([]);
  });

  it('pass `svc pkg check` with all their code', { timeout: 120_000 }, async () => {
    const packageDir = join(userDir, shown);
    const { errors, definitions, sources } = await checkPackages({ userDir, packageDir });
    expect(formatDiagnostics(errors)).toBe('');
    const count = (ending: string): number => guideFiles.filter(({ path }) => path.endsWith(ending)).length;
    const code = count('.ts') + (withoutPython() ? 0 : count('.py'));
    expect({ definitions, sources }).toEqual({ definitions: count('.yml'), sources: code });
  });
});

describe('the templates of the guide', () => {
  const rows = [...textOf(`${guide}/templating.md`).matchAll(/^\|[^|]*\| `(\{\{.*)` +\| `(.*)` +\|$/gm)].map(
    ([, template = '', result = '']) => [template.replaceAll('\\|', '|'), result] as const,
  );

  it('include at least one for each helper', () => {
    expect(rows.length).toBeGreaterThanOrEqual(40);
  });

  it.each(rows)('%s gives %s', (template, result) => {
    const rendered = render(template);
    expect(rendered.ok ? rendered.text.trim() : rendered.error.message).toBe(result);
  });
});

/** Anchor of a heading, as Markdown viewers build it. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .trim()
    .replaceAll(' ', '-');
}

describe('links', () => {
  const pages = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', ...pagesIn('docs')];
  const links = pages.flatMap((page) =>
    [
      ...textOf(page)
        .replace(/^```[\s\S]*?^```$/gm, '')
        .matchAll(/\]\(([^()\s]+)\)/g),
    ]
      .map((match) => match[1] ?? '')
      .filter((target) => !/^[a-z]+:/.test(target))
      .map((target) => ({ page, target })),
  );

  it('exist on the pages', () => {
    expect(links.length).toBeGreaterThanOrEqual(20);
  });

  it('lead to existing files and headings', () => {
    const dead = links.filter(({ page, target }) => {
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? page : join(dirname(page), path);
      if (!existsSync(`${root}${file}`)) return true;
      if (anchor === undefined) return false;
      const headings = [...textOf(file).matchAll(/^#+ (.+)$/gm)].map((match) => anchorOf(match[1] ?? ''));
      return !headings.includes(anchor);
    });
    expect(dead).toEqual([]);
  });

  it('from the index reach every page of the guide', () => {
    const reached = links.filter(({ page }) => page === `${guide}/README.md`).map(({ target }) => target);
    const missing = guidePages
      .map((page) => page.slice(guide.length + 1))
      .filter((page) => page !== 'README.md' && !reached.includes(page));
    expect(missing).toEqual([]);
  });
});

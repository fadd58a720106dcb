/**
 * Counts the lines of product code that people write. Tests with their doubles and
 * fixtures, generated files and data are left out. Prints
 * what each project has, and last one line of JSON: `product_lines`, `largest_file` (lines and path), `largest_folder`
 * (source files and path).
 *
 *   npm run loc
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const code = /\.(ts|mts|mjs|js|py|html|css)$/;
const leftOut = [
  /(^|\/)(test|testing|fixtures|e2e)\//,
  /\.test\.ts$/,
  /^libs\/api-client\/src\/generated\.ts$/,
  /^libs\/optimization\/src\/numeric\/kernel-wasm\.ts$/,
  /^tools\/bench\/instances\//,
];

const files = execFileSync('git', ['ls-files', 'libs', 'apps', 'tools', 'lab-packages', 'demo-packages'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => code.test(path) && !leftOut.some((pattern) => pattern.test(path)))
  .map((path) => ({ path, lines: readFileSync(path, 'utf8').split('\n').length - 1 }));

const projectOf = (path) =>
  path
    .split('/')
    .slice(0, path.startsWith('tools/') ? 1 : 2)
    .join('/');
const folderOf = (path) => path.slice(0, path.lastIndexOf('/'));
const total = (keyOf, valueOf) => {
  const totals = new Map();
  for (const file of files) totals.set(keyOf(file.path), (totals.get(keyOf(file.path)) ?? 0) + valueOf(file));
  return totals;
};
const greatest = (entries) => entries.reduce((best, entry) => (entry[1] > best[1] ? entry : best), ['', 0]);

for (const [project, lines] of total(projectOf, (file) => file.lines)) console.log(`${project}: ${lines}`);
const [file, lines] = greatest(files.map((one) => [one.path, one.lines]));
const [folder, inFolder] = greatest([...total(folderOf, () => 1)]);
console.log(
  JSON.stringify({
    product_lines: files.reduce((sum, one) => sum + one.lines, 0),
    largest_file: { path: file, lines },
    largest_folder: { path: folder, files: inFolder },
  }),
);

/**
 * Runs a tool: `node tools/run.mjs <tool> [arguments]`, for example `node tools/run.mjs bench/rpc`. Prepares the clone,
 * compiles `tools/` when a source has changed, and starts the compiled tool.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { areBundlesCurrent, bundlePrograms } from './bootstrap/bundle.mjs';
import { buildArguments, compiler, root, run } from './bootstrap/command.mjs';
import { prepare } from './bootstrap/prepare.mjs';

await prepare({ dev: true });
const [tool, ...args] = process.argv.slice(2);
if (tool === undefined || !existsSync(join(root, 'tools', `${tool}.ts`))) {
  console.error(`there is no tool "${tool ?? ''}": name a file below tools/ without its extension`);
  process.exit(2);
}
const { ok, output } = await run(process.execPath, [compiler, ...buildArguments, join(root, 'tools')]);
if (!ok) {
  console.error(`The build of tools/ failed:\n${output}`);
  process.exit(1);
}
// The compiler may have touched what the bundles were made of. A figure must be that of the bundles, as after an installation.
if (!(await areBundlesCurrent())) await bundlePrograms();
const program = join(root, 'tools', 'dist', `${tool}.js`);
process.argv.splice(1, process.argv.length, program, ...args);
await import(pathToFileURL(program).href);

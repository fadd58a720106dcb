/**
 * Runs the tests, or another npm script, with another version of Node: `node tools/node.mjs 22`, `node tools/node.mjs 24
 * demo`. Arguments after the script go to the script. npm fetches that version and checks it; it goes into .cache/node, and
 * nothing of the system changes. Ends with the exit code of the script.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { npmReason, root, run, tell } from './bootstrap/command.mjs';
import { cache } from './bootstrap/debian.mjs';

const [version = '', script = 'test', ...args] = process.argv.slice(2);
const npm = process.env.npm_execpath;
if (!/^\d+(\.\d+){0,2}$/.test(version)) end('name a version of Node, for example: npm run test:node -- 22');
if (!npm?.endsWith('.js')) end('start this with npm: npm run test:node -- 22');

const platform = process.platform === 'win32' ? 'win' : process.platform;
const family = platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node';
const packageName = `${family}-${platform}-${process.arch}`;
const folder = join(cache, 'node', version);
const program = join(folder, 'node_modules', packageName, 'bin', platform === 'win' ? 'node.exe' : 'node');

if (!existsSync(program)) {
  tell(`fetching Node ${version} (npm package ${packageName}, unpacked into .cache)`);
  mkdirSync(folder, { recursive: true });
  const options = [
    '--prefix',
    folder,
    '--no-save',
    '--ignore-scripts',
    '--no-fund',
    '--no-audit',
    '--loglevel=error',
  ];
  const result = await run(process.execPath, [npm, 'install', ...options, `${packageName}@${version}`]);
  if (!result.ok || !existsSync(program))
    end(`Node ${version} for this computer cannot be fetched:\n${npmReason(result.output)}`);
}

// npm of this version starts the script, and the script and everything below it find this Node first.
const path = [dirname(program), process.env.PATH].join(delimiter);
const child = spawn(program, [npm, 'run', script, '--', ...args], {
  cwd: root,
  env: { ...process.env, PATH: path },
  stdio: 'inherit',
});
// Ctrl-C reaches the script too, which decides how to end.
process.on('SIGINT', () => {});
child.once('close', (code) => process.exit(code ?? 1));

function end(problem) {
  console.error(problem);
  process.exit(2);
}

/** The program of the package for instrument PCs. `svc agent` starts `main.ts` without it. */
import { readFileSync } from 'node:fs';
import { dirname, normalize } from 'node:path';
import { processEnvironment } from '@lab/runtime/light';
import { dataFolder } from './installation/index.js';
import { keep, programIn, type Program } from './keeping/index.js';

/** The launcher of the package sets it. */
const given = processEnvironment()['SVC_AGENT_LAUNCHER'];
const launcher = given ? normalize(given) : undefined;

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

const [command, ...args] = process.argv.slice(2);
// The keeper runs for as long as the agent, so it loads neither the commands nor their libraries.
if (command !== 'run' || args.includes('--kept')) {
  const { runCommand } = await import('./program.js');
  await runCommand(version, launcher);
} else {
  try {
    const installed = { version, program: programHere() };
    process.exit(await keep({ data: dataFolder(dataOf(args)), args, installed }));
  } catch (error) {
    console.error(`svc-agent: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
}

/** How this very program is started. */
function programHere(): Program {
  const packaged = launcher === undefined ? undefined : programIn(dirname(launcher));
  const [, main = ''] = process.argv;
  return packaged ?? { command: process.execPath, args: [...process.execArgv, main], env: {} };
}

/** The value of `--data`. The agent itself refuses wrong arguments. */
function dataOf(words: readonly string[]): string | undefined {
  const at = words.lastIndexOf('--data');
  const joined = words.findLast((word) => word.startsWith('--data='));
  return at < 0 ? joined?.slice('--data='.length) : words[at + 1];
}

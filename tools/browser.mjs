/**
 * Finds or gets the browser that the tests of the web page need: one of the system, one that Playwright has fetched, or
 * Debian's Chromium without a window, unpacked into .cache/browser without root and without installing anything. Ends with 1
 * and says why when that cannot be.
 */
import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { run, tail, tell } from './bootstrap/command.mjs';
import { cache, unpackDebian } from './bootstrap/debian.mjs';

const target = join(cache, 'browser');
/** Says where the browser is, and what it needs in its environment. The tests read it. */
const found = join(cache, 'browser.json');
const packages = ['chromium-headless-shell', 'fonts-dejavu-core', 'fontconfig-config'];
const library = join('usr', 'lib', 'x86_64-linux-gnu');

const browser = ofSystem() ?? ofPlaywright() ?? (await ofDebian());
const answer = await run(browser.path, ['--version'], { env: { ...process.env, ...browser.env } });
if (!answer.ok) fail(`${browser.path} does not start (${tail(answer.output, 1)})`);
mkdirSync(cache, { recursive: true });
writeFileSync(found, JSON.stringify(browser));

function ofSystem() {
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
  const path = (process.env.PATH ?? '')
    .split(delimiter)
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find(existsSync);
  return path && { path, env: {} };
}

function ofPlaywright() {
  const folder = process.env.PLAYWRIGHT_BROWSERS_PATH ?? join(homedir(), '.cache', 'ms-playwright');
  const programs = [
    ['chrome-linux', 'headless_shell'],
    ['chrome-linux', 'chrome'],
  ];
  const path = (existsSync(folder) ? readdirSync(folder).sort().reverse() : [])
    .flatMap((version) => programs.map((program) => join(folder, version, ...program)))
    .find(existsSync);
  return path && { path, env: {} };
}

async function ofDebian() {
  if (!existsSync(target)) {
    tell('fetching a browser for the tests (Debian packages, unpacked into .cache), about half a minute');
    const problem =
      process.platform === 'linux' && process.arch === 'x64'
        ? await unpackDebian({
            timeoutMs: 400_000,
            timeoutS: 10,
            fetch,
            use: (unpacked) => renameSync(unpacked, target),
          })
        : 'Debian has none for this computer; install Chromium or Chrome';
    if (problem !== undefined) fail(problem);
  }
  const at = (...parts) => join(target, ...parts);
  const fonts = `<dir>${at('usr', 'share', 'fonts')}</dir><cachedir>${at('fontconfig')}</cachedir>`;
  writeFileSync(at('fonts.conf'), `<?xml version="1.0"?><fontconfig>${fonts}</fontconfig>`);
  return {
    path: at('usr', 'lib', 'chromium', 'chromium-headless-shell'),
    env: {
      LD_LIBRARY_PATH: [at(library), at(library, 'pulseaudio')].join(delimiter),
      FONTCONFIG_FILE: at('fonts.conf'),
    },
  };
}

async function fetch(apt) {
  const update = await apt(['update']);
  if (!update.ok) return `apt-get update failed (${tail(update.output, 1)})`;
  const plan = await apt(['install', '--simulate', '--no-install-recommends', ...packages]);
  if (!plan.ok) return `${packages[0]} is not available (${tail(plan.output, 1)})`;
  const lacking = [...plan.output.matchAll(/^Inst (\S+)/gm)].map(([, name]) => name);
  const download = await apt(['download', ...new Set([...packages, ...lacking])]);
  return download.ok ? undefined : `its packages cannot be fetched (${tail(download.output, 1)})`;
}

function fail(problem) {
  console.error(`no browser to test the page with: ${problem}`);
  process.exit(1);
}

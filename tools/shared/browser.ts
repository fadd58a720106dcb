import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';
import { root } from './paths.js';

const found = join(root, '.cache', 'browser.json');

/** Starts the browser that `tools/browser.mjs` has found. @throws Error in one sentence when there is none */
export function startBrowser(): Promise<Browser> {
  if (!existsSync(found)) throw new Error('There is no browser to test with: type "node tools/browser.mjs".');
  const { path, env } = JSON.parse(readFileSync(found, 'utf8')) as {
    path: string;
    env: Record<string, string>;
  };
  return chromium.launch({
    executablePath: path,
    env: { ...(process.env as Record<string, string>), ...env },
    // Its own sandbox needs rights that a container does not give. The pages are those of the tests.
    args: ['--no-sandbox'],
  });
}

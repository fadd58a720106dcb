import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { Api, eventually } from '../api.js';
import { startFaultyLab, type Lab } from '../lab.js';
import { startBrowser } from '../../tools/shared/browser.js';

/** One service and one browser for all tests in this folder. Each test leaves the queue running and nothing stopped. */

const svc = fileURLToPath(new URL('../../apps/cli/bin/svc.mjs', import.meta.url));
const run = promisify(execFile);

export let lab: Lab;
/** The interface as an administrator sees it. */
export let api: Api;
let browser: Browser;
/** Who looks at the page, by the role of their token. `guest` views one laboratory, and `keeper` operates it. */
const roles = {
  admin: 'admin',
  operator: 'operator',
  viewer: 'viewer',
  guest: 'viewer:multiplication_lab',
  keeper: 'operator:multiplication_lab',
} as const;
export type Person = keyof typeof roles;
/** So far above what the tests store that no quota refuses anything. */
const quotas = `
quotas:
  owners: { ada: { records: 400, files_gb: 1 } }
  labs: { faulty_lab: { records: 5000 } }
`;
let folder = '';
const tokens: Partial<Record<Person, string>> = {};
const contexts: BrowserContext[] = [];
/** What pages complained about in a test: errors of scripts, and violations of the policy. */
export const complaints: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'web-'));
  const config = join(folder, 'config.yml');
  await writeFile(config, quotas);
  [lab, browser] = await Promise.all([
    startFaultyLab({ idle: false, env: { SVC_AUTH: 'tokens', SVC_CONFIG: config } }),
    startBrowser(),
  ]);
  const env = { ...process.env, SVC_DATA_DIR: lab.stack.dataDir };
  for (const [person, role] of Object.entries(roles)) {
    const args = [svc, 'token', 'create', `ann the ${person}`, '--role', role, '--local', '--json'];
    const { stdout } = await run(process.execPath, args, { env });
    tokens[person as Person] = (JSON.parse(stdout) as { token: string }).token;
  }
  api = new Api(lab.stack.url, tokens.admin);
  await eventually(
    () => api.devices(),
    (devices) =>
      devices.filter(({ computer }) => computer === 'svc_computer').every(({ state }) => state === 'idle'),
  );
});
afterEach(async () => {
  await Promise.all(contexts.splice(0).map(closed));
  expect(complaints.splice(0)).toEqual([]);
});
afterAll(async () => {
  await browser?.close();
  await lab?.stack.dispose();
  await rm(folder, { recursive: true, force: true });
});

/** Closes a browser. A page may wait for an answer that a test changes, which then has nowhere to go. */
async function closed(context: BrowserContext): Promise<void> {
  for (const routed of [context, ...context.pages()]) await routed.unrouteAll({ behavior: 'ignoreErrors' });
  await context.close();
}

export const tokenOf = (person: Person): string => tokens[person] ?? '';

export interface Look {
  width?: number;
  theme?: 'light' | 'dark';
  language?: string;
}

/** A browser that nobody has used yet. */
export async function freshBrowser({
  width = 1_280,
  theme = 'light',
  language = 'en',
}: Look = {}): Promise<BrowserContext> {
  const context = await browser.newContext({
    ...{ baseURL: lab.stack.url, viewport: { width, height: 800 }, colorScheme: theme, locale: language },
    timezoneId: 'UTC',
  });
  context.setDefaultTimeout(20_000);
  contexts.push(context);
  context.on('weberror', (error) => complaints.push(String(error.error())));
  context.on('console', (message) => {
    const isOurs = message.page()?.url().startsWith(lab.stack.url) === true;
    if (isOurs && /Content Security Policy|Warning:/.test(message.text())) complaints.push(message.text());
  });
  return context;
}

/** A browser in which somebody has signed in. */
export async function browserOf(person: Person, look: Look = {}): Promise<BrowserContext> {
  const context = await freshBrowser(look);
  const response = await context.request.post('/api/sessions', {
    headers: { authorization: `Bearer ${tokenOf(person)}`, 'x-svc-page': '1', origin: lab.stack.url },
  });
  expect(response.status()).toBe(201);
  return context;
}

/** Opens an address and waits until the page shows the laboratory. */
export async function open(context: BrowserContext, address = '/'): Promise<Page> {
  const page = await context.newPage();
  await page.goto(address);
  await page.getByText(/^\W*(Live|Aktuell)$/).waitFor();
  return page;
}

/**
 * Kills the agent while a task moves a device, so that only a person can tell what became of both.
 *
 * @param type `misbehave`, `report` or `note`
 * @param resources by slot
 * @returns the id of the item of the task
 */
export async function question(
  name: string,
  type = 'misbehave',
  resources: Record<string, string> = {},
): Promise<string> {
  await eventually(
    () => api.device('brittle'),
    ({ state }) => state === 'idle',
  );
  const devices = { brittle: { lab_name: 'faulty_lab', name: 'brittle' } };
  const input_parameters = type === 'misbehave' ? { mode: 'long_step' } : {};
  await api.submit('tasks', { name, type, devices, input_parameters, input_resources: resources });
  await eventually(
    () => api.device('brittle'),
    ({ doing }) => doing?.arguments['seconds'] === 60,
  );
  // A device is busy a moment before its agent has noted the call. A call that was not noted has not begun, and is no question.
  await eventually(
    () => api.all<{ task: string | null }>('/api/effects?lab=faulty_lab&device=brittle'),
    (effects) => effects.some(({ task }) => task === name),
  );
  process.kill(processOf('agent'), 'SIGKILL');
  const items = await eventually(
    () => api.attention(),
    (open) => [name, 'faulty_lab.brittle'].every((each) => open.some(({ subject }) => subject === each)),
    // An agent that was killed several times rests before it starts again.
    80_000,
  );
  return items.find(({ subject }) => subject === name)?.id ?? '';
}

/** Settles every open question, so that the next test begins with a calm laboratory. */
export async function settleAll(): Promise<void> {
  for (const { id, actions } of await api.attention()) {
    const action = (['failed', 'idle'] as const).find((each) => actions.includes(each));
    if (action !== undefined) await api.resolve(id, { action });
  }
}

/** The process of a service. */
export function processOf(name: string): number {
  const text = readFileSync(join(lab.stack.dataDir, 'run', 'processes.json'), 'utf8');
  const found = (JSON.parse(text) as { name: string; pid: number }[]).find((each) => each.name === name);
  if (found === undefined) throw new Error(`there is no ${name}`);
  return found.pid;
}

/** Presses Tab until the element with this name, once it is there, has the focus. @throws Error when it never gets it */
export async function tabTo(page: Page, name: RegExp): Promise<void> {
  await page.getByText(name).or(page.getByLabel(name)).first().waitFor();
  for (let pressed = 0; pressed < 40; pressed += 1) {
    await page.keyboard.press('Tab');
    const text = await page.evaluate(() => {
      const { activeElement: element } = document;
      const isField =
        element instanceof HTMLInputElement ||
        element instanceof HTMLTextAreaElement ||
        element instanceof HTMLSelectElement;
      // What stands in a field is no name of it.
      const text = isField ? (element.labels?.[0]?.textContent ?? '') : (element?.textContent ?? '');
      return `${element?.getAttribute('aria-label') ?? ''}${text}`;
    });
    if (name.test(text)) return;
  }
  throw new Error(`the keyboard does not reach ${name}`);
}

/** The rules that depend on the theme. */
const colorRules = ['color-contrast', 'link-in-text-block'];
/** The rules of WCAG 2.2, levels A and AA. */
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/**
 * What keeps people from using the page as it is now: each broken rule with the elements.
 *
 * @param check the rules about colors alone when nothing but the colors has changed since the last call
 */
export async function violationsOf(
  page: Page,
  check: 'all' | 'colors' = 'all',
): Promise<[rule: string, elements: string[]][]> {
  const axe = new AxeBuilder({ page });
  const { violations } = await (check === 'all' ? axe.withTags(rules) : axe.withRules(colorRules)).analyze();
  return violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
}

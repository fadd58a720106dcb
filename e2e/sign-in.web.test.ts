import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, startServiceStack, type Stack } from '@lab/testkit';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBrowser } from '../tools/shared/browser.js';
import {
  identityClient,
  startIdentityProvider,
  type IdentityProvider,
} from '../tools/shared/identity-provider.js';

/** Signing in at an identity provider, in a real browser that goes to a real provider and back. */

describe('a person with an account at an identity provider', { timeout: 120_000 }, () => {
  let folder: string;
  let provider: IdentityProvider;
  let stack: Stack;
  let browser: Browser;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sign-in-'));
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    provider = await startIdentityProvider(`${url}/sign-in/done`);
    const config = join(folder, 'config.yml');
    await writeFile(
      config,
      JSON.stringify({
        auth: {
          type: 'tokens',
          oidc: {
            ...{ issuer: provider.issuer, audience: 'lab' },
            client: { id: identityClient.id, name: 'the university' },
          },
        },
      }),
    );
    const env = {
      ...{ SVC_CONFIG: config, SVC_HTTP_PORT: String(port), SVC_PUBLIC_URL: url },
      ...{ SVC_LABS: 'multiplication_lab', SVC_OIDC_CLIENT_SECRET: identityClient.secret },
    };
    [stack, browser] = await Promise.all([startServiceStack({ env }), startBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await stack?.dispose();
    await provider?.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function visit(path: string): Promise<Page> {
    const page = await browser.newPage({ locale: 'en' });
    page.setDefaultTimeout(30_000);
    await page.goto(`${stack.url}${path}`);
    return page;
  }

  it('signs in there, comes to where they wanted to go, and signs out', async () => {
    provider.person = { sub: 'sue', roles: ['operator'], refuses: false };
    const page = await visit('/devices?from=a-link');
    await page.getByRole('button', { name: 'Sign in with the university' }).click();
    await page.getByRole('heading', { name: 'Devices' }).waitFor();
    expect(page.url()).toBe(`${stack.url}/devices?from=a-link`);
    await page.getByRole('button', { name: 'Settings and account' }).click();
    await page.getByText(`You act as sue@${provider.issuer}`).waitFor();
    const cookies = await page.context().cookies(stack.url);
    expect(cookies.filter(({ name }) => name.startsWith('svc-'))).toMatchObject([
      { httpOnly: true, sameSite: 'Strict' },
    ]);
    await page.reload();
    await page.getByRole('heading', { name: 'Devices' }).waitFor();
    await page.getByRole('button', { name: 'Settings and account' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  it('reads why they are not signed in', async () => {
    provider.person = { sub: 'guest', roles: [], refuses: false };
    const page = await visit('/');
    await page.getByRole('button', { name: 'Sign in with the university' }).click();
    await page.getByRole('alert').getByText('the university knows you as').waitFor();
    expect(page.url()).toBe(`${stack.url}/`);
    expect(stack.output()).not.toContain(identityClient.secret);
  });

  it('has a secret of the service that only the gateway gets, as a file', async () => {
    const register = await readFile(join(stack.dataDir, 'run', 'processes.json'), 'utf8');
    const processes = JSON.parse(register) as { name: string; pid: number }[];
    expect(processes.map(({ name }) => name)).toEqual(expect.arrayContaining(['gateway', 'agent']));
    for (const { name, pid } of processes) {
      const environment = await readFile(`/proc/${pid}/environ`, 'utf8');
      expect(environment, name).not.toContain(identityClient.secret);
      expect(environment.includes('SVC_OIDC_CLIENT_SECRET_FILE'), name).toBe(name === 'gateway');
    }
  });
});

import { describe, expect, it } from 'vitest';
import type { EmergencyStopRecord } from '@lab/contracts';
import { eventually } from '../api.js';
import { api, browserOf, open, processOf, tabTo } from './lab.js';

const stops = (): Promise<EmergencyStopRecord[]> => api.all('/api/estop');

describe('the emergency stop', () => {
  it('is pressed and released with the keyboard alone, and says "stopped" only once it is', async () => {
    const page = await open(await browserOf('admin'));
    await tabTo(page, /^Emergency stop$/);
    await page.keyboard.press('Enter');
    await page.getByText('does not replace the emergency stop button').waitFor();
    expect(await stops()).toEqual([]);
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.type('spill on the bench');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('Stopped', { exact: true }).waitFor();
    expect(await stops()).toMatchObject([
      { scope: 'all', reason: 'spill on the bench', by: 'ann the admin' },
    ]);
    await page.getByText('faulty_lab.brittle').first().waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('Stopped: Everything').waitFor();

    await tabTo(page, /^Release$/);
    await page.keyboard.press('Enter');
    await page.getByText('Look at the instruments first').waitFor();
    expect(await stops()).toHaveLength(1);
    await page.keyboard.press('Enter');
    await page.getByText('Stopped: Everything').waitFor({ state: 'hidden' });
    expect(await stops()).toEqual([]);
  });

  it('stops one device', async () => {
    const page = await open(await browserOf('admin'));
    await page.getByRole('button', { name: 'Emergency stop' }).click();
    await page.getByLabel('What to stop').selectOption({ label: 'brittle in faulty_lab' });
    await page.getByRole('button', { name: 'Stop now' }).click();
    await page.getByRole('alert').getByText('Stopped', { exact: true }).waitFor();
    expect(await stops()).toMatchObject([{ scope: 'device:faulty_lab.brittle' }]);
    await api.call('POST', '/api/estop/release', {});
  });

  it('stops the device that a person looks at, from its page', async () => {
    const page = await open(await browserOf('admin'), '/devices/faulty_lab/brittle');
    await page.getByRole('button', { name: 'Stop this device' }).click();
    await page.getByRole('button', { name: 'Stop now' }).click();
    await page.getByRole('alert').getByText('Stopped', { exact: true }).waitFor();
    expect(await stops()).toMatchObject([{ scope: 'device:faulty_lab.brittle' }]);
    await api.call('POST', '/api/estop/release', {});
  });

  it('is loud when it fails, and works while everything else is locked because the page sees nothing', async () => {
    const context = await browserOf('admin');
    const page = await context.newPage();
    await page.clock.install();
    await api.call('POST', '/api/queue/pause');
    try {
      await page.goto('/');
      const resume = page.getByRole('button', { name: 'Resume' });
      await resume.waitFor();
      await context.setOffline(true);
      // The stream that is open already would go on.
      process.kill(processOf('gateway'), 'SIGSTOP');
      await page.clock.fastForward(45_000);
      await page.getByText('You cannot act here until it can, except to stop.').waitFor();
      await page.getByText(/Old: last heard \d+ s ago$/).waitFor();
      expect(await resume.isDisabled()).toBe(true);
      await page.getByRole('button', { name: 'Emergency stop' }).click();
      await page.getByRole('button', { name: 'Stop now' }).click();
      await page.clock.fastForward(30_000);
      await page.getByText(/^NOT STOPPED\. .* Use the button on the instrument\.$/).waitFor();
    } finally {
      process.kill(processOf('gateway'), 'SIGCONT');
    }
    await context.setOffline(false);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('alert').getByText('Stopped', { exact: true }).waitFor();
    expect(await stops()).toHaveLength(1);
    await api.call('POST', '/api/estop/release', {});
    await api.call('POST', '/api/queue/resume');
  });
});

describe('the page', () => {
  it('shows what happens without being loaded again, also after the gateway was killed', async () => {
    const page = await open(await browserOf('admin'));
    await page.evaluate(() => Object.assign(window, { isTheSame: true }));
    process.kill(processOf('gateway'), 'SIGKILL');
    const pause = (): Promise<boolean> =>
      api.call('POST', '/api/queue/pause').then(
        ({ status }) => status < 300,
        () => false,
      );
    await expect.poll(pause, { timeout: 30_000 }).toBe(true);
    await page.getByText('The queue is paused by').waitFor();
    await api.call('POST', '/api/queue/resume');
    await page.getByText('The queue is paused by').waitFor({ state: 'hidden' });
    expect(await page.evaluate(() => 'isTheSame' in window)).toBe(true);
  });

  it('reads the events once, in however many tabs it is', async () => {
    const context = await browserOf('admin');
    const streams: string[] = [];
    context.on('request', (request) => {
      if (new URL(request.url()).pathname === '/api/events') streams.push(request.url());
    });
    const first = await open(context);
    const second = await open(context);
    expect(streams).toHaveLength(1);
    await api.call('POST', '/api/queue/pause');
    await second.getByText('The queue is paused by').waitFor();
    // The tab that read the events is gone: the other one goes on.
    await first.close();
    await api.call('POST', '/api/queue/resume');
    await second.getByText('The queue is paused by').waitFor({ state: 'hidden' });
    expect(streams).toHaveLength(2);
  });

  it('goes to a page by its name, in either language', async () => {
    const page = await open(await browserOf('admin', { language: 'de-DE' }));
    expect(await page.locator('html').getAttribute('lang')).toBe('de');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('offene');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Was einen Menschen braucht' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/attention');
    await page.getByRole('button', { name: 'Einstellungen und Konto' }).click();
    await page.getByLabel('Sprache').selectOption('en');
    await page.getByRole('heading', { name: 'What needs a person' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'What needs a person' }).waitFor();
  });

  it('loads the texts of one language, shows nothing before them, and keeps them when others cannot be loaded', async () => {
    const context = await browserOf('viewer', { language: 'de' });
    const page = await context.newPage();
    const asked: string[] = [];
    page.on('request', (request) => {
      const [, language] = /\/(english|german)-[^/]*\.js$/.exec(request.url()) ?? [];
      if (language !== undefined) asked.push(language);
    });
    let give: () => void = () => undefined;
    const given = new Promise<void>((resolve) => (give = resolve));
    await context.route(/\/german-/, async (route) => {
      await given;
      await route.continue();
    });
    await page.goto('/');
    await eventually(
      () => Promise.resolve(asked),
      (all) => all.length > 0,
    );
    expect(await page.locator('body').innerText()).toBe('');
    give();
    await page.getByText(/^\W*Aktuell$/).waitFor();
    expect(asked).toEqual(['german']);

    await context.route(/\/english-/, (route) => route.abort());
    await page.getByRole('button', { name: 'Einstellungen und Konto' }).click();
    await page.getByLabel('Sprache').selectOption('en');
    await page.getByRole('alert').getByText('Die Texte der anderen Sprache wurden nicht geladen').waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('de');
    await context.unroute(/\/english-/);
    await page.getByLabel('Sprache').selectOption('en');
    await page.getByRole('heading', { name: 'Settings and account' }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('en');
  });

  it('says that an address has no page', async () => {
    const page = await open(await browserOf('admin'));
    await page.evaluate(() => history.pushState({}, '', '/attention/none'));
    await page.reload();
    await page.getByText('This item is settled, or does not exist.').waitFor();
  });
});

describe('a page that fails', () => {
  it('leaves the emergency stop and the way to other pages', async () => {
    const context = await browserOf('admin');
    const page = await context.newPage();
    // An answer of a form that no page expects.
    await page.route('**/api/labs/faulty_lab/devices/brittle', (route) => route.fulfill({ json: {} }));
    await page.goto('/devices/faulty_lab/brittle');
    await page.getByRole('heading', { name: 'This page has failed' }).waitFor();
    expect(await page.getByRole('button', { name: 'Emergency stop' }).isEnabled()).toBe(true);
    await page.getByRole('link', { name: 'Devices' }).click();
    await page.getByRole('heading', { name: 'Devices' }).waitFor();
  });
});

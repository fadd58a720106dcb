import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { http } from '../apps/cli/src/pkg/kinds/http.js';
import { mqtt } from '../apps/cli/src/pkg/kinds/mqtt.js';
import { opcua } from '../apps/cli/src/pkg/kinds/opcua.js';
import { deviceEntry } from '../apps/cli/src/pkg/templates.js';
import { blocksOf, textOf } from '../tools/test/guide-blocks.js';
import { eventually } from './api.js';
import { startLab, type Lab } from './lab.js';

/** The guide pages about instruments that answer messages, and the device types that `svc pkg add device --kind` writes. */

const pages = ['http-devices.md', 'mqtt.md', 'opcua.md'].map((page) => `docs/guide/${page}`);
const kinds = [
  { type: 'new_http', kind: http, read: 'read_value', answer: 20 },
  { type: 'new_mqtt', kind: mqtt, read: 'read_temperature', answer: 20 },
  { type: 'new_opcua', kind: opcua, read: 'read_temperature', answer: 20 },
];
const labOf = (type: string): string => `${type}_lab`;

let folder = '';
let lab: Lab;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-messages-'));
  const userDir = join(folder, 'packages');
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(userDir, path)), { recursive: true });
    await writeFile(join(userDir, path), text);
  };
  const blocks = pages.flatMap((page) => blocksOf(page, textOf(page)));
  for (const { path, text } of blocks) if (path !== undefined) await write(path, text);
  for (const { type, kind } of kinds) {
    for (const [path, text] of Object.entries(kind.files(type, 'NewDevice')))
      await write(`new_demo/${path}`, text);
    const devices = deviceEntry('device_1', type, '  ');
    await write(
      `new_demo/laboratories/${labOf(type)}/lab.yml`,
      `name: ${labOf(type)}\ndesc: New\ndevices:\n${devices}`,
    );
  }
  for (const name of ['reader_demo', 'bath_demo', 'reactor_demo', 'new_demo']) {
    await write(`${name}/package.json`, JSON.stringify({ name, type: 'module' }));
  }
  const labs = [
    'reader_demo_lab',
    'bath_demo_lab',
    'reactor_demo_lab',
    ...kinds.map(({ type }) => labOf(type)),
  ];
  lab = await startLab(labs, { userDir, dataDir: join(folder, 'data'), idle: false, readyMs: 200_000 });
});
afterAll(async () => {
  await lab?.stack.dispose();
  await rm(folder, { recursive: true, force: true });
});

async function idle(name: string): Promise<void> {
  const [place = '', device = ''] = name.split('.');
  await eventually(
    async () => (await lab.api.call<{ state?: string }>('GET', `/api/labs/${place}/devices/${device}`)).body,
    ({ state }) => state === 'idle',
    120_000,
  );
}

/** The request of a command on a page. */
function requestOf(command: string): { path: string; body: object } {
  const [, path = ''] = /http:\/\/127\.0\.0\.1:8070(\S+)/.exec(command) ?? [];
  const [, body = '{}'] = / -d '(.*)'/.exec(command) ?? [];
  return { path, body: JSON.parse(body) as object };
}

describe('the guide pages about instruments that answer messages', () => {
  it.each([
    { page: 'http-devices.md', name: 'reader_demo_lab.reader_2', answer: 0.42 },
    { page: 'mqtt.md', name: 'bath_demo_lab.bath_2', answer: 1.5 },
    { page: 'opcua.md', name: 'reactor_demo_lab.reactor_2', answer: null },
  ])('show calls that work: $page', async ({ page, name, answer }) => {
    const commands = blocksOf(page, textOf(`docs/guide/${page}`))
      .filter(({ language }) => language === 'sh')
      .flatMap(({ text }) => text.split('\n'))
      .filter((line) => line.includes(`/api/rpc/${name.replace('.', '/')}/`));
    expect(commands).toHaveLength(1);
    await idle(name);
    const { path, body } = requestOf(commands[0] ?? '');
    expect(await lab.api.call('POST', path, body)).toMatchObject({ status: 200, body: answer });
  });

  it('show instruments that are not there as devices that cannot be used, with the reason', async () => {
    const reader = await eventually(
      async () => (await lab.api.devices()).find(({ name }) => name === 'reader_1'),
      (device) => device?.state === 'faulted',
    );
    expect(JSON.stringify(reader)).toMatch(/reader-ca\.pem|reader-1\.token/);
  });
});

describe('a new device type of each kind', () => {
  it.each(kinds)('$type answers at once, because it is simulated', async ({ type, read, answer }) => {
    await idle(`${labOf(type)}.device_1`);
    expect(await lab.api.call('POST', `/api/rpc/${labOf(type)}/device_1/${read}`, {})).toMatchObject({
      status: 200,
      body: answer,
    });
    const set = await lab.api.call('POST', `/api/rpc/${labOf(type)}/device_1/set_target`, { target: 50 });
    expect(set.status).toBe(200);
    await eventually(
      async () => (await lab.api.call<number>('POST', `/api/rpc/${labOf(type)}/device_1/${read}`, {})).body,
      (value) => value > 20.5,
    );
    const { status, body } = await lab.api.call<{ fault?: string }>(
      'POST',
      `/api/rpc/${labOf(type)}/device_1/set_target`,
      { target: 1000 },
    );
    expect([status, JSON.stringify(body)]).toEqual([422, expect.stringContaining('target') as string]);
  });
});

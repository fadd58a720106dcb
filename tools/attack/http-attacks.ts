import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { processEnvironment } from '@lab/runtime';
import type { Stack } from '@lab/testkit';
import type { Attack } from './attacks.js';
import { Door, type Answer } from './door.js';
import { invented, refused, type Group, type HttpScene } from './http-scene.js';
import { afterTheEnd, betweenNameSpaces } from './person-attacks.js';
import { asAPipeline } from './pipeline-attacks.js';
import { atTheSignIn } from './sign-in-attacks.js';
import { withInventedTokens } from './token-guesses.js';

const cli = fileURLToPath(new URL('../../../apps/cli/bin/svc.mjs', import.meta.url));

/** Every attack over HTTP, in an order in which none hides another. Each comes from an address of its own. */
export function httpAttacksOf(scene: HttpScene): Attack[] {
  let last = 0;
  const door = (): Door => {
    last += 1;
    return new Door(scene.stack.url, `10.0.${last >> 8}.${last & 255}`);
  };
  const groups = [
    withoutToken,
    beyondRole,
    intoAnotherLab,
    asAnotherPerson,
    throughWebhooks,
    fromAnotherSite,
    withForgedTokens,
    withBombs,
    withForgedTickets,
    alongPaths,
    intoTheLog,
    pastAuthentication,
    onStreams,
    withInventedTokens,
    afterTheEnd,
    betweenNameSpaces,
    asAPipeline,
    atTheSignIn,
  ];
  return groups.flatMap((group) => group(scene, door));
}

/** A call of a device that a task has, so that only a lack of rights can be the reason of a refusal. */
const callOf = (lab: string): string => `/api/rpc/${lab}/multiplier_a/multiply?force=true&reason=theft`;

/** A task that the service accepts. */
const taskOf = (lab: string, name: string): object => ({
  name,
  type: 'multiply',
  devices: { multiplier: { lab_name: lab, name: 'multiplier_a' } },
  input_parameters: { number: 6, factor: 7 },
});

const withoutToken: Group = ({ people, lab }, door) => {
  const ways: [string, Record<string, string>, string][] = [
    ['no token', {}, ''],
    ['an invented token', { authorization: `Bearer ${invented()}` }, ''],
    ['a token in a cookie', { cookie: `token=${people.root}; access_token=${people.root}` }, ''],
    ['a token in the query', {}, `?token=${people.root}`],
    ['a token in the query', {}, `?access_token=${people.root}`],
    [
      'another scheme',
      { authorization: `Basic ${Buffer.from(`root:${people.root}`).toString('base64')}` },
      '',
    ],
    ['another header', { 'x-api-key': people.root, 'x-auth-token': people.root }, ''],
  ];
  return ways.flatMap(([way, headers, query]) => [
    refused(`H1 read tasks with ${way}`, () => door().send('GET', `/api/tasks${query}`, headers)),
    refused(`H1 call a device with ${way}`, () =>
      door().send(
        'POST',
        `${callOf(lab)}${query.replace('?', '&')}`,
        headers,
        JSON.stringify({ a: 2, b: 3 }),
      ),
    ),
  ]);
};

const beyondRole: Group = ({ people, issuer, lab, run }, door) => {
  const receiver = `http://93.184.215.14:${new URL(issuer.url).port}/`;
  const acts: [string, string, object?][] = [
    ['POST', '/api/tasks', taskOf(lab, 'by_eve')],
    ['POST', `/api/protocols/${run}/cancel`],
    ['POST', '/api/queue/pause'],
    ['POST', '/api/estop/release', {}],
    ['POST', callOf(lab), { a: 2, b: 3 }],
    ['POST', '/api/tasks/reload', { task_types: ['multiply'] }],
    ['POST', '/api/packages/refresh'],
    ['POST', '/api/tokens', { name: 'eve', grants: [{ role: 'admin' }] }],
    ['DELETE', '/api/tokens?name=root'],
    ['GET', '/api/audit'],
    ['GET', '/api/security/refusals'],
    ['POST', '/api/webhooks', { url: receiver, enabled: false }],
  ];
  return acts.map(([method, path, body]) =>
    refused(`H2 ${method} ${path} as a viewer`, () => door().as(people.eve, method, path, body)),
  );
};

const intoAnotherLab: Group = ({ people, lab, run }, door) => {
  const paths = [
    `/api/labs/${lab}`,
    `/api/labs/color_lab/../${lab}`,
    `/api/labs/color_lab/%2e%2e/${lab}`,
    `/api/labs/color_lab%2f..%2f${lab}`,
    `/api/labs/%63olor_lab/../${lab}/devices/multiplier_a/logs`,
    `/api/protocols/${run}?lab=color_lab`,
    `/api/tasks?lab=color_lab&lab=${lab}`,
    `/api/tasks?lab=${lab}`,
    `/api/tasks?lab[]=color_lab`,
    `/api/devices?lab=color_lab%00${lab}`,
    `/api/events?lab=${lab}`,
    ...['attention', 'agents', 'attempts', 'files', 'estop', 'queue', 'schedule', 'definitions'].map(
      (list) => `/api/${list}?lab=${lab}`,
    ),
    ...['queue', 'schedule', 'definitions'].map((list) => `/api/${list}`),
    `/api/schedule?from=2020-01-01T00:00:00Z&to=2040-01-01T00:00:00Z&lab=${lab}`,
    `/api/schedule?lab=color_lab&lab=${lab}`,
    `/api/queue?lab=color_lab%00${lab}`,
    `/api/definitions/lab/${lab}`,
    `/api/definitions/protocol/slow_multiplication`,
  ];
  const reads = paths.map((path) =>
    refused(`H3 read ${path} with a role for color_lab`, () => door().as(people.stranger, 'GET', path)),
  );
  /** Succeeds when the answer names the laboratory, work in it or somebody who has work there. */
  const silent = (path: string): Attack => ({
    name: `H3 learn of another laboratory by ${path}`,
    attempt: async () => {
      const { status, text } = await door().as(people.stranger, 'GET', path);
      if (status !== 200) throw new Error(`${path} cannot be read at all: ${status}`);
      return [lab, run, 'multiplier'].some((word) => text.includes(word)) ? text.slice(0, 200) : undefined;
    },
  });
  const devices = { multiplier: { lab_name: lab, name: 'multiplier_a' } };
  const task = { name: 'abroad', type: 'multiply', devices, input_parameters: { number: 2, factor: 3 } };
  const protocol = { name: 'abroad', type: 'slow_multiplication' };
  const campaign = { name: 'abroad', protocol: 'slow_multiplication', max_protocol_runs: 1 };
  const submissions: [path: string, body: object][] = [
    ...['', '?dry_run=true'].flatMap((query): [string, object][] => [
      [`/api/tasks${query}`, task],
      [`/api/protocols${query}`, protocol],
      [`/api/protocols${query}`, { ...protocol, name: run, resume: true }],
      [`/api/campaigns${query}`, campaign],
    ]),
    ['/api/protocols/simulate', protocol],
    ['/api/simulations', { protocols: [{ type: 'slow_multiplication' }] }],
    [`/api/protocols/${run}/resume`, {}],
  ];
  return [
    ...reads,
    ...['queue', 'schedule', 'definitions'].map((list) => silent(`/api/${list}?lab=color_lab`)),
    silent('/api/schedule?lab=color_lab&from=2020-01-01T00:00:00Z&to=2040-01-01T00:00:00Z'),
    ...submissions.map(([path, body]) =>
      refused(`H3 submit ${JSON.stringify(body)} to ${path} with a role for color_lab`, () =>
        door().as(people.stranger, 'POST', path, body),
      ),
    ),
    refused(`H3 change ${run} with a role for color_lab`, () =>
      door().as(people.stranger, 'PATCH', `/api/protocols/${run}`, { priority: 9 }),
    ),
    ...['tasks', 'protocols', 'campaigns'].map((kind) =>
      refused(`H3 clone ${run} of ${kind} with a role for color_lab`, () =>
        door().as(people.stranger, 'GET', `/api/${kind}/${run}/clone`),
      ),
    ),
  ];
};

const asAnotherPerson: Group = ({ people, lab, run }, door) => {
  const work = { ...taskOf(lab, 'of_ada'), owner: 'ada' };
  const submission = {
    name: 'repeated',
    type: 'slow_multiplication',
    parameters: { wait: { seconds: 1 } },
  };
  const key = { 'idempotency-key': 'key-of-ada-0001' };
  return [
    refused('H4 submit in the name of another', () => door().as(people.sue, 'POST', '/api/tasks', work)),
    refused('H4 cancel the work of another', () =>
      door().as(people.sue, 'POST', `/api/protocols/${run}/cancel`),
    ),
    {
      name: 'H5 get the answer to the request of another by its idempotency key',
      attempt: async () => {
        const first = await door().as(people.ada, 'POST', '/api/protocols', submission, key);
        if (first.status !== 201) throw new Error(`ada could not submit: ${first.status} ${first.text}`);
        const answer = await door().as(people.sue, 'POST', '/api/protocols', submission, key);
        return answer.status < 400 || 'idempotent-replayed' in answer.headers ? answer.text : undefined;
      },
    },
  ];
};

const throughWebhooks: Group = ({ people, issuer }, door) => {
  const { port } = new URL(issuer.url);
  const hosts = [
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '[::ffff:127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[::1]',
  ];
  const more = ['127.0.0.1', '169.254.169.254', '10.0.0.1', '192.168.0.1', '[fd00::1]', '0.0.0.0'];
  const create = (host: string): Promise<Answer> => {
    const webhook = { url: `http://${host}:${port}/hook`, enabled: false };
    return door().as(people.root, 'POST', '/api/webhooks', webhook);
  };
  return [
    ...[...hosts, ...more].map((host) =>
      refused(`H6 make a webhook that reaches ${host}`, () => create(host)),
    ),
    {
      name: 'H6 reach this computer through the name of a webhook',
      attempt: async () => {
        const { status, text } = await create('localhost');
        if (status !== 201) return undefined;
        const { id } = JSON.parse(text) as { id: string };
        await door().as(people.root, 'POST', `/api/webhooks/${id}/ping`);
        return issuer.hooked ? 'the service sent a request' : undefined;
      },
    },
  ];
};

const fromAnotherSite: Group = ({ people, lab }, door) => {
  const act = (headers: Record<string, string>) =>
    door().as(people.olga, 'POST', callOf(lab), { a: 2, b: 3 }, headers);
  return [
    refused('H7 act from a page of another site', () => act({ origin: 'https://evil.example.org' })),
    refused('H7 act from a page without an origin', () => act({ origin: 'null' })),
    refused('H7 act across sites', () => act({ 'sec-fetch-site': 'cross-site' })),
    refused('H8 act by a foreign name of this computer', () => act({ host: 'evil.example.org' })),
    refused('H8 read by a foreign name of this computer', () =>
      door().as(people.olga, 'GET', '/api/me', undefined, { host: 'evil.example.org:8070' }),
    ),
    ...['/', '/health/live', '/docs', '/docs-json', '/api/health'].map((path) =>
      refused(`H8 read ${path} by a foreign name, without a token`, () =>
        door().send('GET', path, { host: 'evil.example.org' }),
      ),
    ),
    refused('H8 read by a foreign name that begins with an address', () =>
      door().as(people.olga, 'GET', '/api/me', undefined, { host: '127.0.0.1.evil.example.org' }),
    ),
    refused('H8 read by a foreign name, with a forwarded name of the service', () => {
      const headers = {
        host: 'evil.example.org',
        'x-forwarded-host': '127.0.0.1',
        forwarded: 'host=localhost',
      };
      return door().as(people.olga, 'GET', '/api/me', undefined, headers);
    }),
  ];
};

const withForgedTokens: Group = ({ issuer }, door) => {
  const admin = { roles: ['admin'] };
  const past = Math.floor(Date.now() / 1_000) - 3_600;
  const forged: [string, string][] = [
    ['without a signature', issuer.token(admin, { alg: 'none' })],
    [
      'signed with the public key as a password',
      issuer.token(admin, { alg: 'HS256', key: issuer.publicKey }),
    ],
    ['signed by a stranger', issuer.token(admin, { key: issuer.strangersKey })],
    [
      'that names the keys of a stranger',
      issuer.token(admin, { key: issuer.strangersKey, header: { jku: `${issuer.url}/stolen` } }),
    ],
    ['for another service', issuer.token({ ...admin, aud: 'shop' })],
    ['that has expired', issuer.token({ ...admin, exp: past })],
    ['that is not valid yet', issuer.token({ ...admin, nbf: past + 7_200 })],
    ['of another issuer', issuer.token({ ...admin, iss: 'https://evil.example.org' })],
    ['without an end', issuer.token({ ...admin, exp: undefined })],
  ];
  return [
    {
      name: 'H9 control: a token of the issuer is accepted, else the next attacks prove nothing',
      attempt: async () => {
        const { status, text } = await door().as(issuer.token(admin), 'GET', '/api/me');
        return status === 200 ? undefined : `a token of the issuer is refused: ${status} ${text}`;
      },
    },
    ...forged.map(([what, token]) =>
      refused(`H9 show a token ${what}`, () => door().as(token, 'GET', '/api/me')),
    ),
  ];
};

/** Longest time that the answer to a bomb may take, in milliseconds. */
const bombMs = 8_000;

const withBombs: Group = ({ people, stack }, door) => {
  const levels = Array.from({ length: 12 }, (_, n) => {
    const before = n === 0 ? 'lol' : `*l${n - 1}`;
    return `l${n}: &l${n} [${Array(10).fill(before).join(', ')}]`;
  });
  const texts: [string, string][] = [
    ['aliases of YAML', `type: bomb\n${levels.join('\n')}\n`],
    ['a loop of a template', `type: bomb\ntasks:\n{{#each (range 0 1000000000)}}\n - {{this}}\n{{/each}}\n`],
    [
      'code of a template',
      `type: bomb\n{{#with "s" as |s|}}{{s.constructor.constructor "return process"}}{{/with}}\n`,
    ],
    ['levels of YAML', `a: ${'['.repeat(50_000)}${']'.repeat(50_000)}\n`],
  ];
  const nested = `{"name":"x","type":"multiply","input_parameters":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}}`;
  return [
    ...texts.map(([what, text]) => ({
      name: `H10 exhaust the service with ${what}`,
      attempt: async () => {
        const body = { protocol_yaml: text };
        const begun = performance.now();
        const answer = await door().as(people.root, 'POST', '/api/protocols/validate', body);
        const ms = performance.now() - begun;
        if (answer.status >= 500 || ms > bombMs) return `${answer.status} after ${Math.round(ms)} ms`;
        const { status } = await door().send('GET', '/health/ready');
        const isRun = answer.status === 200 && !/"valid": ?false|"errors": ?\[ ?\{/.test(answer.text);
        return status === 200 && !isRun
          ? undefined
          : `${answer.status} ${answer.text.slice(0, 200)}, ready ${status}`;
      },
    })),
    refused('H14 send a body with 50,000 levels', () =>
      door().send('POST', '/api/tasks', { authorization: `Bearer ${people.root}` }, nested),
    ),
    {
      name: 'H10 end a process of the service',
      attempt: async () =>
        /ended unexpectedly/.test(stack.output()) ? stack.output().slice(-200) : undefined,
    },
  ];
};

const withForgedTickets: Group = ({ people }, door) => {
  const claims = { a: 'x', n: 'x.txt', size: 1, sha256: '0'.repeat(64), exp: Date.now() + 60_000 };
  const text = Buffer.from(JSON.stringify(claims)).toString('base64url');
  const tickets = [`${text}.${Buffer.alloc(32).toString('base64url')}`, text, `${text}.`, 'x', people.root];
  return tickets.flatMap((ticket, index) => [
    refused(`H11 upload with forged ticket ${index + 1}`, () =>
      door().send('PUT', `/api/uploads/${ticket}`, { 'content-type': 'application/octet-stream' }, 'x'),
    ),
    refused(`H11 download with forged ticket ${index + 1}`, () =>
      door().send('GET', `/api/downloads/${ticket}`),
    ),
  ]);
};

const alongPaths: Group = ({ people }, door) => {
  const climb = [
    '../'.repeat(8),
    '..%2f'.repeat(8),
    '%2e%2e%2f'.repeat(8),
    '..%5c'.repeat(8),
    '....//'.repeat(8),
  ];
  const places = ['/docs/', '/', '/api/tasks/x/files/', '/api/downloads/'];
  const filters = [`' or '1'='1`, `'; drop table audit; --`, `\\' or 1=1 --`, `%' or '%'='`];
  return [
    ...places.flatMap((place) =>
      climb.map((steps) => ({
        name: `H12 read a file through ${place}${steps.slice(0, 12)}`,
        attempt: async () => {
          const { status, text } = await door().as(people.root, 'GET', `${place}${steps}etc/passwd`);
          return status === 200 || text.includes('root:') ? `${status} ${text.slice(0, 100)}` : undefined;
        },
      })),
    ),
    ...filters.flatMap((filter) =>
      ['owner', 'type', 'text'].map((field) => ({
        name: `H13 change a query through the filter ${field}=${filter}`,
        attempt: async () => {
          const path = `/api/tasks?${field}=${encodeURIComponent(filter)}&archived=all`;
          const { status, text } = await door().as(people.root, 'GET', path);
          const found = status === 200 && (JSON.parse(text) as { items: unknown[] }).items.length > 0;
          return found || status >= 500 ? `${status} ${text.slice(0, 200)}` : undefined;
        },
      })),
    ),
  ];
};

const intoTheLog: Group = ({ people, stack }, door) => [
  {
    name: 'H15 write escapes of a terminal or a line into the log',
    attempt: async () => {
      const marks = ['%1b[31mforged', '%0aforged', '%00forged'];
      for (const mark of marks) {
        await door().as(people.root, 'GET', `/api/tasks/${mark}`);
        await door().as(people.root, 'POST', '/api/tasks', {
          name: decodeURIComponent(mark),
          type: 'multiply',
        });
        const id = { 'x-request-id': mark, 'user-agent': mark };
        await door().as(people.root, 'POST', '/api/tasks', { name: mark }, id);
      }
      const logs = ['gateway', 'orchestrator'].map((name) =>
        readFileSync(join(stack.dataDir, 'logs', `${name}.log`), 'utf8'),
      );
      const text = logs.join('') + stack.output();
      // eslint-disable-next-line no-control-regex -- these are what an attacker wants in the log
      return /[\u0000\u001b]|^forged/m.test(text) ? 'a raw control character stands in the log' : undefined;
    },
  },
];

const pastAuthentication: Group = ({ stack }) => [
  {
    name: 'H16 run a gateway without authentication behind a proxy',
    attempt: async () => {
      const { code, said } = await gatewayAlone(stack, {
        SVC_AUTH: 'off',
        SVC_HTTP_HOST: '127.0.0.1',
        SVC_PUBLIC_URL: 'https://lab.example.org',
      });
      if (code !== 1) return `it serves: ${said}`;
      if (!said.includes('SVC_PUBLIC_URL')) throw new Error(`the gateway ended for another reason: ${said}`);
      return undefined;
    },
  },
];

/** Runs a gateway on the data of a stack until it ends, or for as long as it needs to serve. */
function gatewayAlone(
  { dataDir }: Stack,
  settings: Record<string, string>,
): Promise<{ code: number | null; said: string }> {
  const { PATH } = processEnvironment();
  const env = { PATH, SVC_DATA_DIR: dataDir, SVC_HTTP_PORT: '0', ...settings };
  const gateway = spawn(process.execPath, [cli, 'gateway'], { cwd: dataDir, env });
  let said = '';
  for (const stream of [gateway.stdout, gateway.stderr])
    stream.on('data', (text: Buffer) => (said += text.toString()));
  return new Promise((resolve, reject) => {
    const served = setTimeout(() => gateway.kill(), 10_000);
    gateway.once('error', reject);
    gateway.once('exit', (code) => {
      clearTimeout(served);
      resolve({ code, said });
    });
  });
}

const onStreams: Group = ({ people }, door) => [
  {
    name: 'H17 take all event streams as a viewer',
    attempt: async () => {
      const thief = door();
      const streams = await Promise.all(
        Array.from({ length: 205 }, (_, n) =>
          thief.open(people.eve, n % 2 === 0 ? '/api/events' : '/api/logs/stream'),
        ),
      );
      const got = streams.filter(({ status }) => status === 200).length;
      const operator = await door().open(people.olga, '/api/events');
      const other = await door().open(people.ada, '/api/events');
      for (const { close } of [...streams, operator, other]) close();
      if (operator.status !== 200) return `the operator gets ${operator.status}`;
      if (other.status !== 200) return `another viewer gets ${other.status}`;
      return got < 100 ? undefined : `the viewer has ${got} streams`;
    },
  },
];

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Secret } from '../../src/log/secret.js';
import { ConfigError } from '../../src/config/fault-text.js';
import { defineConfig } from '../../src/config/load-config.js';
import { optional, setting, settings, wholeNumber } from '../../src/config/settings.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-config-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const all = defineConfig(settings);
const complete = {
  SVC_NATS_URL: 'nats://u:broker-pass@127.0.0.1:4222',
  SVC_DATABASE_URL: 'postgresql://u:db-pass@127.0.0.1/lab',
  SVC_UPLOAD_SECRET: 'x'.repeat(32),
  SVC_ACT_KEY: 'a private key',
  SVC_ACT_PUBLIC_KEY: 'its public key',
};

function write(text: string, name = 'config.yml'): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

function faultsOf(load: () => unknown): string[] {
  try {
    load();
  } catch (error) {
    if (error instanceof ConfigError)
      return error.faults.map(({ path, message, hint }) => [path, message, hint].join(' | '));
    throw error;
  }
  throw new Error('nothing was wrong');
}

const rule = '{claims: {repository: org/labs}, roles: ["deployer:a"]}';
const pipeline = `{issuer: "https://a.org", audience: lab, rules: [${rule}]}`;
const nameless =
  'must name the repository: one of sub, repository, repository_id, project_path, project_id, without * before the first /';

describe('a configuration', () => {
  it('has the documented defaults', () => {
    const config = all.load({ env: complete, cwd: folder });
    expect(config).toMatchObject({
      httpPort: 8070,
      httpHost: '127.0.0.1',
      publicUrl: 'http://127.0.0.1:8070',
      dataDir: join(folder, '.svc'),
      userDir: join(folder, 'lab-packages'),
      logLevel: 'info',
      computer: 'svc_computer',
      scheduler: { type: 'greedy' },
      limits: {
        max_queued: 10_000,
        max_queued_per_owner: 2_000,
        max_body_bytes: 1_048_576,
        events_kept_days: 7,
        long_task_factor: 5,
        long_task_after_s: 3_600,
        event_clients: 200,
        failover_wait_s: 8,
        task_pool_size: 2,
        task_pool_max: 16,
      },
      logs: { keep_days: 14, max_lines: 1_000_000 },
      retention: {},
    });
    expect(config.labs).toBeUndefined();
  });

  it('lets the file override defaults, the environment the file, and the override both', () => {
    write('log_level: warn\nuser_dir: labs-here\nlabs: [color_lab]\nlimits:\n  max_queued: 5\n');
    const fromFile = all.load({ env: complete, cwd: folder });
    expect(fromFile).toMatchObject({
      logLevel: 'warn',
      userDir: join(folder, 'labs-here'),
      labs: ['color_lab'],
      limits: { max_queued: 5, task_pool_size: 2 },
    });
    const env = { ...complete, SVC_LOG_LEVEL: 'error', SVC_LABS: 'a, b' };
    expect(all.load({ env, cwd: folder })).toMatchObject({ logLevel: 'error', labs: ['a', 'b'] });
    expect(all.load({ env, cwd: folder, override: { SVC_LOG_LEVEL: 'debug' } }).logLevel).toBe('debug');
  });

  it('reads paths of the file relative to the file', () => {
    const path = write('user_dir: ../packages\n', 'other.yml');
    const config = all.load({ env: { ...complete, SVC_CONFIG: path }, cwd: tmpdir() });
    expect(config.userDir).toBe(join(folder, '..', 'packages'));
  });

  it('reports every wrong key and value of file and environment at once, each with its path', () => {
    write(
      'log_levle: info\nscheduler:\n  type: best\nlimits:\n  max_queued: 0\n  max_cats: 3\nlabs: color_lab\n',
    );
    const env = {
      SVC_HTTP_PORT: '99999',
      SVC_DATABASE_ULR: 'x',
      SVC_NATS_URL: 'https://x:4222',
      SVC_UPLOAD_SECRET: 'short',
    };
    const faults = faultsOf(() => all.load({ env, cwd: folder }));
    expect(faults).toEqual(
      expect.arrayContaining([
        'config.yml:1: log_levle | unknown key | did you mean log_level?',
        'config.yml:3: scheduler.type | must be greedy or cpsat | ',
        'config.yml:5: limits.max_queued | must be at least 1 | ',
        expect.stringMatching(/^config\.yml:6: limits\.max_cats \| unknown key \| known keys: max_queued/),
        'config.yml:7: labs | must be a list of names | ',
        'SVC_HTTP_PORT | must be a port, a whole number from 0 to 65535 (it is "99999") | ',
        'SVC_DATABASE_ULR | unknown variable | did you mean SVC_DATABASE_URL?',
        'SVC_NATS_URL | must look like nats://127.0.0.1:4222, tls://broker.lab.local:4222 or wss://lab-server:8443/agents/broker | ',
        'SVC_UPLOAD_SECRET | must have at least 32 characters | ',
        expect.stringMatching(/^SVC_ACT_KEY \| is not set: the private key/),
        expect.stringMatching(/^SVC_ACT_PUBLIC_KEY \| is not set: the public key/),
        expect.stringMatching(/^SVC_DATABASE_URL \| is not set/),
      ]),
    );
    expect(faults).toHaveLength(12);
  });

  it('reads quotas by name, and reports what is wrong in one', () => {
    write('quotas: { owners: { default: { records: 10 }, ada: { files_gb: 0.5, records: none } } }\n');
    expect(all.load({ env: complete, cwd: folder }).quotas).toEqual({
      owners: { default: { records: 10 }, ada: { files_gb: 0.5, records: 'none' } },
      labs: {},
    });
    write('quotas:\n  owner: {}\n  labs:\n    color_lab:\n      file_gb: 3\n      records: many\n');
    expect(faultsOf(() => all.load({ env: complete, cwd: folder }))).toEqual([
      'config.yml:6: quotas.labs.color_lab.records | must be a whole number from 1 to 1000000000, or none | ',
      'config.yml:5: quotas.labs.color_lab.file_gb | unknown key | did you mean files_gb?',
      'config.yml:2: quotas.owner | unknown key | did you mean owners?',
    ]);
  });

  it('refuses settings of a scheduler that has none', () => {
    write('scheduler: {type: greedy, workers: 3}\n');
    expect(faultsOf(() => all.load({ env: complete, cwd: folder }))).toEqual([
      'config.yml:1: scheduler.workers | unknown key | there is no other than type; the greedy scheduler has no settings',
    ]);
  });

  it('keeps files on disk unless a bucket is named', () => {
    const load = () => all.load({ env: complete, cwd: folder });
    expect(load().files).toEqual({ store: 'disk' });
    write('files: {store: s3, bucket: lab, endpoint: "https://s3.example.org"}\n');
    expect(load().files).toEqual({
      store: 's3',
      bucket: 'lab',
      endpoint: 'https://s3.example.org',
      region: 'us-east-1',
      path_style: false,
    });
    write('files:\n  store: s3\n  endpoint: https://key:secret@s3.example.org\n  buckt: lab\n');
    expect(faultsOf(load)).toEqual(
      expect.arrayContaining([
        'config.yml:3: files.endpoint | must look like https://s3.example.org, without keys | ',
        'config.yml:4: files.buckt | unknown key | did you mean bucket?',
      ]),
    );
  });

  it('has authentication off unless the file or a variable turns it on', () => {
    const load = (env = {}) => all.load({ env: { ...complete, ...env }, cwd: folder }).auth;
    const sessions = { pipelines: [], session_hours: 12, session_idle_minutes: 60 };
    expect(load()).toEqual({ type: 'off', off_anywhere: false, ...sessions });
    expect(load({ SVC_AUTH: 'tokens' })).toEqual({ type: 'tokens', off_anywhere: false, ...sessions });
    expect(load({ SVC_AUTH_OFF_ANYWHERE: 'true' })).toEqual({ type: 'off', off_anywhere: true, ...sessions });
    write(
      'auth:\n  type: tokens\n  oidc:\n    issuer: https://login.example.org/lab\n    audience: lab\n' +
        '    roles: {staff: [viewer, "operator:color_lab"]}\n',
    );
    const oidc = {
      issuer: 'https://login.example.org/lab',
      audience: 'lab',
      roles_claim: 'roles',
      name_claim: 'sub',
      roles: { staff: ['viewer', 'operator:color_lab'] },
      token_days: 30,
      proof_hours: 24,
    };
    expect(load()).toEqual({ type: 'tokens', off_anywhere: false, ...sessions, oidc });
    expect(load({ SVC_AUTH: 'tokens' })).toEqual({ type: 'tokens', off_anywhere: false, ...sessions, oidc });
  });

  it('reads the issuers of pipelines, with one pattern or several for a claim', () => {
    write(
      'auth:\n  type: tokens\n  pipelines:\n    - issuer: https://gitlab.example.org\n      audience: https://lab-server\n' +
        '      rules:\n        - claims: { project_path: labs/wet, ref_protected: true, ref: [main, "release/*"] }\n' +
        '          roles: ["deployer:wet_lab"]\n',
    );
    expect(all.load({ env: complete, cwd: folder }).auth.pipelines).toEqual([
      {
        issuer: 'https://gitlab.example.org',
        audience: 'https://lab-server',
        token_minutes: 15,
        rules: [
          {
            claims: { project_path: ['labs/wet'], ref_protected: ['true'], ref: ['main', 'release/*'] },
            roles: ['deployer:wet_lab'],
          },
        ],
      },
    ]);
  });

  it('trusts no proxy unless the file or a variable names it', () => {
    const load = (env = {}) => all.load({ env: { ...complete, ...env }, cwd: folder }).http.trusted_proxies;
    expect(load()).toEqual([]);
    expect(load({ SVC_TRUSTED_PROXIES: '127.0.0.1, 10.1.0.0/16' })).toEqual(['127.0.0.1', '10.1.0.0/16']);
    write('http:\n  trusted_proxies: ["2001:db8::/32"]\n');
    expect(load()).toEqual(['2001:db8::/32']);
    expect(load({ SVC_TRUSTED_PROXIES: '127.0.0.1' })).toEqual(['127.0.0.1']);
  });

  it.each(['0.0.0.0/0', 'proxy.example.org', '10.1.0.0/99', ''])('trusts no proxy called "%s"', (proxy) => {
    write(`http:\n  trusted_proxies: ["${proxy}"]\n`);
    expect(() => all.load({ env: complete, cwd: folder })).toThrow(/http.trusted_proxies\[0\]/);
  });

  it('reads further names of the service from the file or a variable', () => {
    const load = (env = {}) => all.load({ env: { ...complete, ...env }, cwd: folder }).http.allowed_hosts;
    expect(load()).toEqual([]);
    write('http:\n  allowed_hosts: [gateway]\n');
    expect(load()).toEqual(['gateway']);
    expect(load({ SVC_ALLOWED_HOSTS: 'lab.example.org, gateway' })).toEqual(['lab.example.org', 'gateway']);
  });

  it.each(['*', '*.example.org', 'gateway:8070', 'http://gateway', ''])(
    'knows no service called "%s"',
    (host) => {
      write(`http:\n  allowed_hosts: ["${host}"]\n`);
      expect(() => all.load({ env: complete, cwd: folder })).toThrow(/http.allowed_hosts\[0\]/);
    },
  );

  it.each([
    ['type: on', 'auth.type | must be off or tokens'],
    ['type: tokens\n  off_anywhere: yes', 'auth.off_anywhere | must be true or false'],
    ['oidc: {issuer: "https://a.org", audience: lab}', 'auth.oidc | has no effect without type: tokens'],
    [
      'type: tokens\n  oidc: {issuer: "http://login.example.org", audience: lab}',
      'auth.oidc.issuer | must be an address that begins with https://',
    ],
    [
      'type: tokens\n  oidc: {issuer: "https://a@b.org", audience: lab}',
      'auth.oidc.issuer | must not contain @',
    ],
    [
      'type: tokens\n  oidc: {issuer: "http://localhost.example.org", audience: lab}',
      'auth.oidc.issuer | must be an address that begins with https://',
    ],
    ['type: tokens\n  oidc: {issuer: "https://a.org"}', 'auth.oidc.audience | must be a name'],
    [
      'type: tokens\n  oidc: {issuer: "https://a.org", audience: lab, roles: {staff: [root]}}',
      'auth.oidc.roles.staff[0] | must be viewer, submitter, operator, lab_admin, dry_runner, deployer or admin; of one lab: operator:<lab>',
    ],
    [
      `type: tokens\n  oidc: {issuer: "https://a.org", audience: lab}\n  pipelines: [{issuer: "https://a.org", audience: lab, rules: [${rule}]}]`,
      'auth.pipelines | must have another audience than oidc: a token of a pipeline would be one of a person',
    ],
    [`pipelines: [${pipeline}]`, 'auth.pipelines | has no effect without type: tokens'],
    [`type: tokens\n  pipelines: [${pipeline}, ${pipeline}]`, 'auth.pipelines | must name each issuer once'],
    [
      `type: tokens\n  pipelines: [{issuer: "http://a.org", audience: lab, rules: [${rule}]}]`,
      'auth.pipelines[0].issuer | must be an address that begins with https://',
    ],
    [
      'type: tokens\n  pipelines: [{issuer: "https://a.org", audience: lab, rules: []}]',
      'auth.pipelines[0].rules | must have a rule',
    ],
    ...[
      ['ref: refs/heads/main', 'claims', nameless],
      ['repository: "*"', 'claims', nameless],
      ['repository: "*/labs"', 'claims', nameless],
      ['repository: [org/labs, "o*/labs"]', 'claims', nameless],
      ['repository: ""', 'claims.repository[0]', 'must have 1 to 500 characters'],
      ['repository: "org/a*b*"', 'claims.repository[0]', 'must have at most one * between two of / and :'],
      ['repository: []', 'claims.repository', 'must have a pattern'],
    ].map(([claims, path, message]) => [
      `type: tokens\n  pipelines: [{issuer: "https://a.org", audience: lab, rules: [{claims: {${claims}}, roles: ["deployer:a"]}]}]`,
      `auth.pipelines[0].rules[0].${path} | ${message}`,
    ]),
    ...['admin', 'deployer', 'operator:a', 'dry_runner', 'deployer:'].map((role) => [
      `type: tokens\n  pipelines: [{issuer: "https://a.org", audience: lab, rules: [{claims: {sub: a/b}, roles: ["${role}"]}]}]`,
      'auth.pipelines[0].rules[0].roles[0] | must be dry_runner:<lab> or deployer:<lab>',
    ]),
  ])('refuses authentication by "%s"', (text, fault) => {
    write(`auth:\n  ${text}\n`);
    const [first, ...others] = faultsOf(() => all.load({ env: complete, cwd: folder }));
    expect(first?.replace(/^config\.yml(:\d+)?: /, '').replace(/ \| $/, '')).toBe(fault);
    expect(others).toEqual([]);
  });

  it('accepts only exact origins of pages that may use the interface', () => {
    write('cors:\n  origins: [https://dashboard.example.org, http://localhost:3000]\n');
    const load = () => all.load({ env: complete, cwd: folder });
    expect(load().cors.origins).toEqual(['https://dashboard.example.org', 'http://localhost:3000']);
    for (const origin of [
      "'*'",
      'https://*.example.org/',
      'dashboard.example.org',
      'https://a.org/x',
      "'null'",
    ]) {
      write(`cors:\n  origins: [${origin}]\n`);
      expect(faultsOf(load)).toEqual([
        expect.stringMatching(/^config\.yml:2: cors\.origins\[0\] \| must be an exact origin/),
      ]);
    }
  });

  describe('of the scheduler cpsat', () => {
    const scheduler = (text: string, env = {}) => {
      write(text);
      return all.load({ env: { ...complete, ...env }, cwd: folder }).scheduler;
    };
    const usual = { type: 'cpsat', time_limit: 5, workers: 1, seed: 1, resolution: 0.1, frozen_window: 30 };

    it('has defaults, which the file overrides, and variables override both key by key', () => {
      expect(scheduler('scheduler: {type: cpsat}\n')).toEqual(usual);
      const text = 'scheduler:\n  type: cpsat\n  time_limit: 0.5\n  seed: 7\n';
      expect(scheduler(text)).toEqual({ ...usual, time_limit: 0.5, seed: 7 });
      expect(scheduler(text, { SVC_SCHEDULER_SEED: '8', SVC_SCHEDULER_FROZEN_WINDOW: '2.5' })).toEqual({
        ...usual,
        time_limit: 0.5,
        seed: 8,
        frozen_window: 2.5,
      });
    });

    it('follows a single variable, and ignores settings of the other scheduler in the file', () => {
      expect(scheduler('log_level: info\n', { SVC_SCHEDULER_TYPE: 'cpsat' })).toEqual(usual);
      expect(scheduler('scheduler: {type: greedy}\n', { SVC_SCHEDULER_TYPE: 'cpsat' })).toEqual(usual);
      const text = 'scheduler: {type: cpsat, workers: 2}\n';
      expect(scheduler(text, { SVC_SCHEDULER_TYPE: 'greedy' })).toEqual({ type: 'greedy' });
    });

    it.each([
      ['type: cpsat\n  time_limit: 0', ':3: scheduler.time_limit | must be at least 0.1 seconds | '],
      [
        'type: cpsat\n  time_limit: 10 s',
        ':3: scheduler.time_limit | must be a number of seconds from 0.1 to 600 | ',
      ],
      ['type: cpsat\n  workers: 1.5', ':3: scheduler.workers | must be a whole number from 0 to 8 | '],
      ['type: cpsat\n  workers: 9', ':3: scheduler.workers | must be at most 8 | '],
      ['type: cpsat\n  seed: -1', ':3: scheduler.seed | must be at least 0 | '],
      [
        'seed: 1\n  type: cpsat\n  resolution: 0',
        ':4: scheduler.resolution | must be at least 0.001 seconds | ',
      ],
      ['type: cpsat\n  frozen_window: 4000', ':3: scheduler.frozen_window | must be at most 3600 seconds | '],
      ['type: cpsat\n  time_limits: 5', ':3: scheduler.time_limits | unknown key | did you mean time_limit?'],
      [
        'type: cpsat\n  colour: 5',
        ':3: scheduler.colour | unknown key | known keys: type, time_limit, workers, seed, resolution, frozen_window',
      ],
      ['workers: 1', ':1: scheduler.type | must be greedy or cpsat | '],
      ['- cpsat', ':1: scheduler | must be a mapping with the key type, which is greedy or cpsat | '],
    ])('%j is refused at its place', (text, fault) => {
      expect(faultsOf(() => scheduler(`scheduler:\n  ${text}\n`))).toEqual([`config.yml${fault}`]);
    });

    it('names the wrong variable in its error', () => {
      const wrong = (env: object) => faultsOf(() => scheduler('scheduler: {type: cpsat}\n', env));
      expect(wrong({ SVC_SCHEDULER_WORKERS: 'many', SVC_SCHEDULER_SEED: '-3' })).toEqual([
        'SVC_SCHEDULER_WORKERS | must be a whole number from 0 to 8 | ',
        'SVC_SCHEDULER_SEED | must be at least 0 | ',
      ]);
      expect(wrong({ SVC_SCHEDULER_TYPE: 'best' })).toEqual([
        'SVC_SCHEDULER_TYPE | must be greedy or cpsat | ',
      ]);
      expect(wrong({ SVC_SCHEDULER_TYPE: 'greedy', SVC_SCHEDULER_SEED: '2' })).toEqual([
        'SVC_SCHEDULER_SEED | the scheduler that is chosen has no such setting | ',
      ]);
      expect(wrong({ SVC_SCHEDULER_TYP: 'greedy' })).toEqual([
        'SVC_SCHEDULER_TYP | unknown variable | did you mean SVC_SCHEDULER_TYPE?',
      ]);
    });
  });

  it('reports the place where a file is not YAML, and a missing named file', () => {
    write('labs: [a\nuser_dir: b\n');
    expect(faultsOf(() => all.load({ env: complete, cwd: folder }))[0]).toMatch(/^config\.yml \| .*\(.*2:/s);
    const env = { ...complete, SVC_CONFIG: 'nowhere.yml' };
    expect(faultsOf(() => all.load({ env, cwd: folder }))[0]).toMatch(/^SVC_CONFIG \| cannot read .*ENOENT/);
  });

  it('reads a secret from a file, and refuses a second value for it', () => {
    const path = write('nats://u:from-file@127.0.0.1:4222\n', 'nats-url');
    const { SVC_NATS_URL: _, ...others } = complete;
    const config = all.load({ env: { ...others, SVC_NATS_URL_FILE: path }, cwd: folder });
    expect(config.natsUrl.reveal()).toBe('nats://u:from-file@127.0.0.1:4222');
    const faults = faultsOf(() => all.load({ env: { ...complete, SVC_NATS_URL_FILE: path }, cwd: folder }));
    expect(faults[0]).toMatch(/^SVC_NATS_URL \| is set, and SVC_NATS_URL_FILE too/);
  });

  it('sets the ages for archiving and deletion in whole days, and refuses other values', () => {
    const loaded = (text: string) => {
      writeFileSync(join(folder, 'config.yml'), text);
      return all.load({ env: complete, cwd: folder }).retention;
    };
    expect(loaded('retention: {archive_after_days: 30}\n')).toEqual({
      archive_after_days: 30,
      undo_hours: 24,
      keep_package_versions: 50,
    });
    const ages = '{delete_after_days: 60, delete_files_after_days: 40, undo_hours: 0}';
    expect(loaded(`retention: ${ages}\n`)).toMatchObject({
      ...{ delete_after_days: 60, delete_files_after_days: 40, undo_hours: 0 },
    });
    for (const text of [
      'archive_after_days: 0',
      'archive_after: 3',
      'undo_hours: -1',
      'keep_package_versions: 0',
      'delete_after_days: 0.5',
    ])
      expect(faultsOf(() => loaded(`retention: {${text}}\n`))[0]).toContain(
        `retention.${text.split(':')[0]}`,
      );
  });

  it('never shows a secret when it is printed, serialised or wrong', () => {
    const config = all.load({ env: complete, cwd: folder });
    const seen = [JSON.stringify(config), inspect(config, { depth: 9 }), `${config.natsUrl}`].join('\n');
    expect(seen).toContain('[secret]');
    expect(seen).not.toMatch(/broker-pass|db-pass|xxxx/);
    const wrong = faultsOf(() =>
      all.load({ env: { ...complete, SVC_NATS_URL: 'ftp://u:tell-tale@h' }, cwd: folder }),
    );
    expect(wrong.join()).not.toContain('tell-tale');
  });

  it('is deeply frozen', () => {
    const config = all.load({ env: complete, cwd: folder });
    expect(Object.isFrozen(config) && Object.isFrozen(config.limits)).toBe(true);
    expect(config.natsUrl).toBeInstanceOf(Secret);
  });

  it.each([
    ['192.168.0.2', 'http://192.168.0.2:9000'],
    ['fd00::2', 'http://[fd00::2]:9000'],
    ['0.0.0.0', 'http://127.0.0.1:9000'],
    ['::', 'http://127.0.0.1:9000'],
  ])('that listens on %s is reached at %s by default', (host, address) => {
    const env = { ...complete, SVC_HTTP_HOST: host, SVC_HTTP_PORT: '9000' };
    expect(all.load({ env, cwd: folder }).publicUrl).toBe(address);
  });

  it('leaves an optional setting undefined, also one with a computed value', () => {
    const few = defineConfig({ url: optional(settings.publicUrl), nats: optional(settings.natsUrl) });
    expect(few.load({ env: {}, cwd: folder })).toEqual({ url: undefined, nats: undefined });
  });

  it('checks settings of one app like the shared ones', () => {
    const own = defineConfig({
      size: setting({ env: 'SVC_BATCH_SIZE', schema: wholeNumber(1, 9, 'a size') }),
    });
    expect(own.load({ env: { SVC_BATCH_SIZE: '7' }, cwd: folder }).size).toBe(7);
    expect(faultsOf(() => own.load({ env: { SVC_BATCH_SIZE: '7.5' }, cwd: folder }))[0]).toMatch(
      /^SVC_BATCH_SIZE/,
    );
  });
});

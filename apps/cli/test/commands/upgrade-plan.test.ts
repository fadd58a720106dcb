import { describe, expect, it } from 'vitest';
import { planUpgrade, type RunningService } from '../../src/commands/operating/upgrade-plan.js';

const next = {
  version: '0.3.0',
  before: '0.2.0',
  migrations: ['0001_initial', '0002_reader', '0003_later'],
  oldestReader: '0002_reader',
};

const service: RunningService = {
  processes: [
    { name: 'gateway', version: '0.2.0' },
    { name: 'orchestrator', version: '0.2.1' },
    { name: 'agent bench_a', version: '0.3.0' },
  ],
  schema: { latest: '0002_reader', oldest_reader: '0002_reader', known: '0002_reader' },
  work: { waiting: 1, running: 2, open_questions: 0 },
};

const of = (more: Partial<RunningService> = {}, release = next) =>
  planUpgrade({ ...service, ...more }, release);
const agent = (version: string | null) => of({ processes: [{ name: 'agent bench_a', version }] });

describe('the plan of an upgrade', () => {
  it('names each process, the migrations, the work and the order', () => {
    const plan = of();
    expect(plan.forbidden).toBe(0);
    expect(plan.processes.map(({ upgrade }) => upgrade)).toEqual([
      'to 0.3.0',
      'to 0.3.0',
      'has this release',
    ]);
    expect(plan.tables).toEqual({
      run: ['0003_later'],
      says: '0003_later will run; the present processes go on with the new tables',
      forbidden: false,
    });
    expect(plan.work).toBe('1 wait, 2 run, 0 need attention; tasks that run go on');
    const place = (words: string): number => plan.order.findIndex((step) => step.includes(words));
    const places = ['backup', 'migrate', 'standby', 'gateway', 'rollout'].map(place);
    expect(places).toEqual([0, 1, 2, 3, 4]);
  });

  it('has no migration in its order when the tables are up to date', () => {
    const plan = of({ schema: { latest: '0003_later', oldest_reader: '0002_reader', known: '0003_later' } });
    expect(plan.tables).toEqual({ run: [], says: 'they are up to date', forbidden: false });
    expect(plan.order.join()).not.toContain('migrate');
  });

  it('has no steps for a service that has this release', () => {
    const schema = { latest: '0003_later', oldest_reader: '0002_reader', known: '0003_later' };
    expect(of({ schema, processes: [{ name: 'gateway', version: '0.3.0' }] })).toMatchObject({
      ...{ order: [], forbidden: 0 },
    });
  });

  it.each([
    ['0.1.9', 'it is more than one release before 0.3.0; update it to 0.2.0 first'],
    ['0.4.0', 'it is newer than 0.3.0; use the svc of its release'],
    ['0.3.1', 'it is newer than 0.3.0; use the svc of its release'],
    ['1.0.0', 'it is newer than 0.3.0; use the svc of its release'],
    ['seven', 'seven is no version of a release'],
  ])('forbids it for a process of %s', (version, upgrade) => {
    expect(agent(version)).toMatchObject({ forbidden: 1, processes: [{ upgrade, forbidden: true }] });
  });

  it.each([
    ['0.9.3', '1.0.0', '0.9.3'],
    ['0.9.0', '1.0.0', '0.9.3'],
    ['1.4.0', '2.0.0', '1.4.1'],
    ['0.3.2', '0.5.0', '0.3.0'],
    ['1.0.0', '1.0.1', '1.0.0'],
  ])('allows it from %s to %s, whose release before is %s', (from, version, before) => {
    const processes = [{ name: 'gateway', version: from }];
    expect(of({ processes }, { ...next, version, before }).forbidden).toBe(0);
  });

  it.each([
    ['0.8.9', '1.0.0', '0.9.3'],
    ['0.3.0', '2.0.0', '1.4.1'],
    ['0.9.3', '1.1.0', '1.0.2'],
  ])('forbids it from %s to %s, and names %s as the next step', (from, version, before) => {
    const processes = [{ name: 'gateway', version: from }];
    expect(of({ processes }, { ...next, version, before })).toMatchObject({
      forbidden: 1,
      processes: [{ upgrade: `it is more than one release before ${version}; update it to ${before} first` }],
    });
  });

  it.each(['0.2.0', '0.2.9', '0.3.0', '0.3.0-rc.1'])('allows it for a process of %s', (version) => {
    expect(agent(version).forbidden).toBe(0);
  });

  it('does not judge an agent that was never heard', () => {
    expect(agent(null)).toMatchObject({
      forbidden: 0,
      processes: [{ upgrade: 'not known: it has not been heard' }],
    });
  });

  it('forbids migrations with which the present processes do not work', () => {
    const plan = of({}, { ...next, oldestReader: '0003_later' });
    expect(plan).toMatchObject({ forbidden: 1, tables: { run: ['0003_later'], forbidden: true } });
    expect(plan.tables.says).toContain('stop all orchestrators and gateways before');
  });

  it('forbids it for tables of a newer release, unless that release works with this one', () => {
    const later = { latest: '0004_latest', known: '0004_latest' };
    expect(of({ schema: { ...later, oldest_reader: '0004_latest' } })).toMatchObject({
      tables: { says: 'the database is of a newer release: it has 0004_latest', forbidden: true },
    });
    expect(of({ schema: { ...later, oldest_reader: '0003_later' } }).tables.forbidden).toBe(false);
  });

  it('forbids what it cannot judge: unknown tables', () => {
    expect(of({ schema: null, work: null })).toMatchObject({ forbidden: 1, work: 'not known' });
  });
});

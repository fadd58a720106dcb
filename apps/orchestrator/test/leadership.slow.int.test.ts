import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { allLabs, definitionRequests, orchestratorRequests, serviceRequests } from '@lab/contracts';
import pg from 'pg';
import { BlackHole } from './black-hole.js';
import { Site, StandInAgent, type Orchestrator } from './orchestrators.js';

/** Two real orchestrators on one real database and broker, and an agent that records everything it receives. */

let site: Site;
let agent: StandInAgent;
let leader: Orchestrator;
let standby: Orchestrator;

beforeEach(async () => {
  site = await Site.open();
  agent = new StandInAgent(site.bus);
  leader = await site.orchestrator();
  await agent.join();
  standby = await site.orchestrator();
});

afterEach(async () => {
  await agent.leave();
  await site.dispose();
});

const submit = (name: string): Promise<unknown> =>
  site.bus.request(orchestratorRequests.submitTask, {}, { name, type: 'noop', rights: allLabs });

const hasStarted = (label: string): Promise<void> =>
  expect
    .poll(() => agent.starts.filter((start) => start.label === label).length, {
      timeout: 20_000,
      interval: 20,
    })
    .toBe(1);

async function query<Row>(text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: site.databaseUrl });
  await client.connect();
  try {
    return (await client.query(text)).rows as Row[];
  } finally {
    await client.end();
  }
}

const completed = async (): Promise<string[]> =>
  (await query<{ name: string }>(`select name from task_run where state = 'completed' order by name`)).map(
    ({ name }) => name,
  );

async function standing(): Promise<string[]> {
  const seen: string[] = [];
  for (let ask = 0; ask < 20 && new Set(seen).size < 2; ask += 1) {
    const { status, detail } = await site.bus.request(
      serviceRequests.health,
      { service: 'orchestrator' },
      {},
    );
    seen.push(detail === undefined ? status : `${status}: ${detail}`);
  }
  return [...new Set(seen)];
}

describe('with two orchestrators', () => {
  it('the second is a standby and says so', async () => {
    expect(leader.told).toMatchObject({ type: 'ready', details: { epoch: 1 } });
    expect(standby.told).toMatchObject({ type: 'ready', details: { standby: true } });
    const name = standby.told.details?.leader;
    await submit('one');
    await hasStarted('one');
    expect((await standing()).every((each) => each === 'ok' || each === `ok: standby; ${name} leads`)).toBe(
      true,
    );
  });

  it('the standby takes over within 5 s after the leader was killed, adopts running tasks and starts queued ones', async () => {
    agent.onStart = () => undefined;
    await submit('running');
    await hasStarted('running');
    const killedAt = performance.now();
    leader.signal('SIGKILL');
    const next = await site.nextLeader(1);
    expect(performance.now() - killedAt).toBeLessThan(5_000);
    await submit('after');
    await hasStarted('after');
    expect(performance.now() - killedAt).toBeLessThan(6_000);
    for (const { attempt } of [...agent.starts]) await agent.complete(attempt);
    expect(await completed()).toEqual(['after', 'running']);
    expect(agent.starts.map(({ label, epoch }) => `${label} ${epoch}`)).toEqual([
      'running 1',
      `after ${next.epoch}`,
    ]);
  });

  it('a leader that was stopped finds its successor when it wakes, and does nothing', async () => {
    leader.signal('SIGSTOP');
    // The stopped orchestrator holds this message. No agent may ever act on it.
    const lost = submit('lost').catch((error: unknown) => error);
    const next = await site.nextLeader(1);
    await submit('after');
    await hasStarted('after');
    leader.signal('SIGCONT');
    await expect.poll(() => leader.output(), { timeout: 20_000 }).toContain('"msg":"standby"');
    expect(await lost).toMatchObject({ code: 'deadline_exceeded', effect: 'maybe' });
    expect(agent.starts.map(({ epoch }) => epoch)).toEqual([next.epoch]);
    expect(await completed()).toEqual(['after']);
    expect(await query(`select name from task_run where name = 'lost'`)).toEqual([]);
    // The first one can lead again, so its successor may end.
    expect(await standby.stop()).toBe(0);
    await site.nextLeader(next.epoch, 1_000);
    await submit('last');
    await hasStarted('last');
  });

  it('the standby takes over within half a second when the leader leaves in order', async () => {
    const next = site.nextLeader(1);
    const code = leader.stop();
    // The limit fits a computer that runs many tests at once. bench:failover measures the real time.
    expect((await next).ms).toBeLessThan(1_500);
    expect(await code).toBe(0);
    await submit('after');
    await hasStarted('after');
  });
});

it('a leader that alone loses the database without notice stops all work before another one leads', async () => {
  // The present leader ends, and the next one has a connection to the database that can be cut.
  const hole = await BlackHole.before(site.databaseUrl);
  try {
    await standby.stop();
    const cut = await site.orchestrator(hole.url);
    const first = site.nextLeader(1);
    await leader.stop();
    const { epoch } = await first;
    const other = await site.orchestrator();
    await submit('before');
    await hasStarted('before');
    hole.cut();
    const since = performance.now();
    const next = await site.nextLeader(epoch);
    expect(performance.now() - since).toBeLessThan(5_500);
    await expect.poll(() => cut.output(), { timeout: 10_000 }).toContain('"msg":"leads no more"');
    const at = (text: string, line: string): number =>
      Date.parse(
        /"time":"([^"]+)"/.exec(text.split('\n').find((each) => each.includes(line)) ?? '')?.[1] ?? '',
      );
    expect(at(cut.output(), '"leads no more"')).toBeLessThan(at(other.output(), '"msg":"leading"'));
    await submit('after');
    await hasStarted('after');
    expect(agent.starts.map((start) => start.epoch)).toEqual([epoch, next.epoch]);
    hole.mend();
    await expect.poll(() => cut.output(), { timeout: 20_000 }).toContain('"msg":"standby"');
    expect(await other.stop()).toBe(0);
    expect(await cut.stop()).toBe(0);
  } finally {
    await hole.close();
  }
}, 120_000);

it('the next leader loads the definitions that were loaded at run time', async () => {
  const { labs } = await site.bus.request(definitionRequests.unloadLabs, {}, { lab_types: ['bench_lab'] });
  expect(labs).toMatchObject([{ name: 'bench_lab', state: 'unloaded' }]);
  leader.signal('SIGKILL');
  await site.nextLeader(1);
  const answer = await site.bus.request(definitionRequests.listLabs, {}, {});
  expect(answer.labs).toMatchObject([{ name: 'bench_lab', state: 'unloaded' }]);
});

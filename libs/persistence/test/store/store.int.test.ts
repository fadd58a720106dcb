import { MemoryStore } from '@lab/engine/testing';
import { asRole, testPostgres, type TestPostgres } from '@lab/testkit/testing';
import pg from 'pg';
import { afterAll, beforeAll } from 'vitest';
import { openStore, type PostgresStore } from '../../src/index.js';
import { durationsContract } from './durations.contract.js';
import { plansContract } from './plans.contract.js';
import { endedContract } from './ended.contract.js';
import { leaseContract } from './lease.contract.js';
import { storeContract } from './store.contract.js';
import { trialsContract } from './trials.contract.js';

let postgres: TestPostgres;

beforeAll(async () => {
  postgres = await testPostgres();
});

afterAll(() => postgres.stop());

const memory = () => {
  const store = new MemoryStore({ now: () => performance.now() });
  return Promise.resolve({
    store,
    sibling: () => Promise.resolve(store),
    events: () =>
      Promise.resolve(
        store.events.map(({ aggregate, seq, type, body, at }) => ({ aggregate, seq, type, body, at })),
      ),
    dispose: () => store.close(),
  });
};

const postgresql = async () => {
  const database = await postgres.freshDatabase();
  const open: PostgresStore[] = [];
  const another = async (): Promise<PostgresStore> => {
    const store = await openStore({ url: asRole(database.url, 'orchestrator') });
    open.push(store);
    return store;
  };
  return {
    store: await another(),
    sibling: another,
    events: async () => {
      const client = new pg.Client({ connectionString: database.url });
      await client.connect();
      try {
        const { rows } = await client.query<{
          aggregate: string;
          seq: string;
          type: string;
          body: unknown;
          at: Date;
        }>('select aggregate, seq, type, body, at from outbox order by id');
        return rows.map((row) => ({ ...row, seq: Number(row.seq), at: row.at.getTime() }));
      } finally {
        await client.end();
      }
    },
    dispose: async () => {
      for (const store of open) await store.close();
      await database.drop();
    },
  };
};

storeContract('memory', memory);
storeContract('PostgreSQL', postgresql);
endedContract('memory', memory);
endedContract('PostgreSQL', postgresql);
durationsContract('memory', memory);
durationsContract('PostgreSQL', postgresql);
plansContract('memory', memory);
plansContract('PostgreSQL', postgresql);
leaseContract('memory', memory);
leaseContract('PostgreSQL', postgresql);
trialsContract('memory', memory);
trialsContract('PostgreSQL', postgresql);

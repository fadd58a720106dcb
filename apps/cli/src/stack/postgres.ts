import { dirname } from 'node:path';
import { bringUpToDate } from '@lab/persistence/administration';
import { startPostgres, type RunningPostgres } from '@lab/persistence/embedded';
import { lackOfRoom, Secret, type RunningChild } from '@lab/runtime';
import type { DataFolder } from './data-folder.js';

/** Addresses of the database with passwords, each for a role with other rights. */
export interface DatabaseAddresses {
  owner: Secret;
  orchestrator: Secret;
  gateway: Secret;
}

/** The PostgreSQL server of this stack. Its addresses stay the same when it restarts. */
export interface Database {
  /** Defined after {@link launch} has resolved. */
  readonly addresses: (DatabaseAddresses & { superuser: Secret }) | undefined;
  launch(): Promise<RunningChild>;
}

/** @param backup whether it is copied while it runs */
export function prepareDatabase(data: DataFolder, backup: boolean, log: (line: string) => void): Database {
  let addresses: Database['addresses'];
  let port: number | undefined;
  return {
    get addresses() {
      return addresses;
    },
    async launch() {
      const server = await startPostgres({
        dataDir: data.postgres,
        backup,
        secrets: dirname(data.secretPath('postgres-password')),
        log,
        ...(port === undefined ? {} : { port }),
      }).catch(async (error: unknown) => {
        const lack = await lackOfRoom(data.postgres);
        throw lack === undefined ? error : new Error(`PostgreSQL cannot start: ${lack}`, { cause: error });
      });
      if (addresses === undefined) {
        await prepareTables(server);
        addresses = {
          superuser: new Secret(server.url),
          owner: new Secret(server.urls.owner),
          orchestrator: new Secret(server.urls.orchestrator),
          gateway: new Secret(server.urls.gateway),
        };
      }
      port = server.port;
      return {
        pid: server.pid,
        details: {},
        exited: server.exited,
        async stop() {
          await server.stop();
          return server.exited;
        },
        // A fast shutdown takes less than a second, and the next start then needs no recovery.
        kill: () => undefined,
      };
    },
  };
}

/** No service may change the tables. */
async function prepareTables(server: RunningPostgres): Promise<void> {
  try {
    await bringUpToDate(server.urls.owner);
  } catch (error) {
    await server.stop();
    throw error;
  }
}

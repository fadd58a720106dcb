import { startPostgres } from '@lab/persistence/embedded';
import { lackOfRoom, Secret, type RunningChild } from '@lab/runtime';
import type { DataFolder } from './data-folder.js';

/** The PostgreSQL server of this stack. Its address stays the same when it restarts. */
export interface Database {
  /** Contains the password. Defined after {@link launch} has resolved. */
  readonly url: Secret | undefined;
  launch(): Promise<RunningChild>;
}

export function prepareDatabase(data: DataFolder, log: (line: string) => void): Database {
  let url: Secret | undefined;
  let port: number | undefined;
  return {
    get url() {
      return url;
    },
    async launch() {
      const server = await startPostgres({
        dataDir: data.postgres,
        passwordFile: data.secretPath('postgres-password'),
        log,
        ...(port === undefined ? {} : { port }),
      }).catch(async (error: unknown) => {
        const lack = await lackOfRoom(data.postgres);
        throw lack === undefined ? error : new Error(`PostgreSQL cannot start: ${lack}`, { cause: error });
      });
      url = new Secret(server.url);
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

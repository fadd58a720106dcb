import { startPostgres } from '@lab/persistence/embedded';
import { Secret, type RunningChild } from '@lab/runtime';
import type { DataFolder } from './data-folder.js';

/** The PostgreSQL of this stack: one address for as long as the stack lives, also over restarts. */
export interface Database {
  /** Carries the password; known once {@link launch} has resolved. */
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
        // A fast shutdown takes well under a second and spares the next start the recovery.
        kill: () => undefined,
      };
    },
  };
}

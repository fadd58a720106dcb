import { defineConfig, settings } from '@lab/runtime';
import type { Command } from 'commander';
import { userError } from '../user-error.js';

/** Commands for a PostgreSQL server outside of `svc start`. */
export function addDatabaseCommands(program: Command): void {
  const database = program
    .command('database')
    .description('roles and tables in a PostgreSQL database of your own');
  database
    .command('roles')
    .description(
      'print the SQL that makes the roles of the service; an administrator of the database runs it',
    )
    .action(() =>
      reported(async () => {
        const { rolesScript } = await import('@lab/persistence/administration');
        process.stdout.write(rolesScript);
      }),
    );
  database
    .command('migrate')
    .description('bring the tables up to date, with SVC_DATABASE_OWNER_URL or else SVC_DATABASE_URL')
    .action(() =>
      reported(async () => {
        const { databaseOwnerUrl } = defineConfig({ databaseOwnerUrl: settings.databaseOwnerUrl }).load();
        const url =
          databaseOwnerUrl ?? defineConfig({ databaseUrl: settings.databaseUrl }).load().databaseUrl;
        const { bringUpToDate } = await import('@lab/persistence/administration');
        const changed = await bringUpToDate(url.reveal());
        process.stdout.write(changed ? 'the tables are up to date now\n' : 'the tables were up to date\n');
      }),
    );
}

async function reported(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    process.stderr.write(`${userError(error)}\n`);
    process.exitCode = 1;
  }
}

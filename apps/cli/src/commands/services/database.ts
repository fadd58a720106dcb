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
        const url = ownerUrl();
        const { bringUpToDate } = await import('@lab/persistence/administration');
        const changed = await bringUpToDate(url);
        process.stdout.write(changed ? 'the tables are up to date now\n' : 'the tables were up to date\n');
      }),
    );
  database
    .command('restored')
    .description(
      'prepare a database that you restored to a moment, before the service starts, with SVC_DATABASE_OWNER_URL',
    )
    .action(() =>
      reported(async () => {
        const url = ownerUrl();
        const { beginAnew } = await import('@lab/persistence/administration');
        await beginAnew(url, undefined);
        process.stdout.write(
          'agents accept the service again; the queue is paused: look at the instruments and samples, then "svc queue resume"\n',
        );
      }),
    );
}

/** Address for the role that owns the tables. */
function ownerUrl(): string {
  const { databaseOwnerUrl } = defineConfig({ databaseOwnerUrl: settings.databaseOwnerUrl }).load();
  return (
    databaseOwnerUrl ?? defineConfig({ databaseUrl: settings.databaseUrl }).load().databaseUrl
  ).reveal();
}

async function reported(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    process.stderr.write(`${userError(error)}\n`);
    process.exitCode = 1;
  }
}

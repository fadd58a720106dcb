import { databaseError, openDatabase } from '../connection/index.js';
import { migrate } from '../schema/index.js';

/** Longest time that one statement of a migration may take, in milliseconds. */
const statementTimeoutMs = 600_000;

/** @throws ServiceError as of `migrate` */
export async function migrateAt(url: string): Promise<void> {
  const { db } = openDatabase({ url, poolSize: 2, statementTimeoutMs }, 'lab-migration');
  try {
    await migrate(db);
  } catch (error) {
    throw databaseError(error);
  } finally {
    await db.destroy();
  }
}

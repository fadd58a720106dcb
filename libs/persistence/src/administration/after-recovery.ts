import { restorer } from '@lab/contracts';
import { withClient } from './with-client.js';

/**
 * Numbers by which agents tell newer messages from older ones. Agents may have seen higher ones than the database has, so each
 * becomes at least the time: the number of seconds, or of milliseconds, since 1970. None of them rises faster than that.
 */
const raise = `
update leadership set epoch = greatest(epoch + 1, extract(epoch from clock_timestamp())::bigint), expires_at = '-infinity';
update agent set inc = greatest(inc + 1, extract(epoch from clock_timestamp())::bigint);
update allocation set fence = greatest(fence + 1, (1000 * extract(epoch from clock_timestamp()))::bigint);
`;

/**
 * An agent forgets an attempt after its end was recorded. So an agent that does not know an attempt no longer proves that the
 * attempt never began: nobody can know.
 */
const doubt = `update attempt set state = 'running' where state in ('dispatching', 'uncertain');`;

const hold = `
insert into queue_pause (id, by, at) select gen_random_uuid()::text, $1, now()
where not exists (select from queue_pause where resumed_at is null);
`;

/** People often restore because of a deletion. None goes on by itself. */
const keep = `
update deletion set state = 'cancelled', ended_at = now(), ended_by = $1 where state in ('planned', 'running');
`;

/** The same for loose files of instruments, if the database knows their deletions. */
const keepFiles = `
do $keep$
begin
  if exists (select from information_schema.columns
    where table_schema = current_schema() and table_name = 'device_file' and column_name = 'delete_at') then
    update device_file set delete_at = null, delete_by = null, delete_reason = null, kept = true, removing = false
    where delete_at is not null;
  end if;
end
$keep$;
`;

const note = `
insert into audit (id, at, by, kind, action, subject, detail, request_id, ip)
select gen_random_uuid()::text, now(), $1, null, 'restore', 'service', jsonb_build_object('moment', $2::text), null, null;
`;

/**
 * Prepares a database that was recovered to a moment, before the service starts: agents accept the messages of the service, no task
 * starts before a person resumes the queue, what nobody can know becomes a question, and all sessions of browsers end.
 *
 * @param url address for the owner of the tables, or the superuser
 * @param moment in ISO 8601; undefined: nobody knows it
 * @throws the error of the database; nothing is changed then
 */
export async function beginAnew(url: string, moment: string | undefined): Promise<void> {
  const pausedBy = moment === undefined ? restorer : `${restorer} --to ${moment}`;
  await withClient(url, async (client) => {
    await client.query('begin');
    await client.query(raise);
    await client.query(doubt);
    await client.query(hold, [pausedBy]);
    await client.query(keep, [restorer]);
    await client.query(keepFiles);
    await client.query(`delete from access_token where kind = 'session'`);
    await client.query(note, [restorer, moment ?? null]);
    await client.query('commit');
  });
}

export interface RecordCounts {
  campaigns: number;
  protocolRuns: number;
  taskRuns: number;
}

export async function countRecords(url: string): Promise<RecordCounts> {
  const [row] = await rowsOf<Record<keyof RecordCounts, string>>(
    url,
    `select (select count(*) from campaign) as "campaigns", (select count(*) from protocol_run) as "protocolRuns",
      (select count(*) from task_run) as "taskRuns"`,
  );
  return {
    campaigns: Number(row?.campaigns),
    protocolRuns: Number(row?.protocolRuns),
    taskRuns: Number(row?.taskRuns),
  };
}

export interface RecordedFile {
  taskRunId: string;
  attempt: number;
  name: string;
}

/** The files of tasks that records name. */
export function recordedFiles(url: string): Promise<RecordedFile[]> {
  return rowsOf(
    url,
    `select id as "taskRunId", attempt, file->>'name' as name
    from task_run cross join lateral jsonb_array_elements(output_files) as file
    where output_files <> '[]'`,
  );
}

/** The ids of the files of instruments that the database names. That of a release before 0.3 names none. */
export async function recordedDeviceFiles(url: string): Promise<string[]> {
  const [table] = await rowsOf<{ there: boolean }>(
    url,
    "select to_regclass('device_file') is not null as there",
  );
  if (table?.there !== true) return [];
  return (await rowsOf<{ id: string }>(url, 'select id from device_file')).map(({ id }) => id);
}

function rowsOf<Row extends object>(url: string, text: string): Promise<Row[]> {
  return withClient(url, async (client) => (await client.query<Row>(text)).rows);
}

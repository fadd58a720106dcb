import { sql, type Kysely, type Migration } from 'kysely';

/**
 * Lines that the code of tasks and devices wrote. `log_append` stores a batch: one at a time, so that a line that can be
 * seen was preceded by all with a smaller id; of each stream and number once; with what its attempt belongs to.
 */
const changes = `
create table log_line (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  stored_at timestamptz not null default clock_timestamp(),
  level text not null,
  source text not null,
  computer text collate "C" not null,
  lab text collate "C",
  device text collate "C",
  task_run_id text collate "C",
  task text collate "C",
  protocol_run text collate "C",
  campaign text collate "C",
  attempt_id text collate "C",
  attempt integer,
  message text not null,
  stream text collate "C" not null,
  seq bigint not null,
  constraint log_line_once unique (stream, seq)
);
create index log_line_at on log_line (at);
create index log_line_of_task_run on log_line (task_run_id, id) where task_run_id is not null;
create index log_line_of_task on log_line (task, id) where task is not null;
create index log_line_of_run on log_line (protocol_run, id) where protocol_run is not null;
create index log_line_of_campaign on log_line (campaign, id) where campaign is not null;
create index log_line_of_device on log_line (lab, device, id) where device is not null;

create function log_append(from_computer text, from_stream text, lines jsonb) returns void
language plpgsql as $function$
begin
  perform pg_advisory_xact_lock(7410231);
  insert into log_line (at, level, source, computer, lab, device, task_run_id, task, protocol_run, campaign,
    attempt_id, attempt, message, stream, seq)
  select to_timestamp(line.at / 1000.0), line.level, line.source, from_computer, line.lab, line.device, task_run.id,
    task_run.name, protocol_run.name, campaign.name, line.attempt_id, attempt.number, line.message, from_stream, line.seq
  from jsonb_to_recordset(lines) as line (
    seq bigint, at bigint, level text, source text, lab text, device text, attempt_id text, message text)
  left join attempt on attempt.id = line.attempt_id
  left join task_run on task_run.id = attempt.task_run_id
  left join protocol_run on protocol_run.id = task_run.run_id
  left join campaign on campaign.id = protocol_run.campaign_id
  where not exists (select from log_line known where known.stream = from_stream and known.seq = line.seq)
  order by line.seq;
end
$function$;
`;

export const logs: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql.raw(changes).execute(db);
  },
};

import { sql, type Kysely, type Migration } from 'kysely';

/**
 * Finds the tasks of a device, newest first, and tasks in the order of their names. No index of PostgreSQL gives the tasks that have
 * one of several devices in an order, so a table is that index. Triggers keep it, whoever writes a task: also a process of the
 * release before, and the removal of tasks.
 */
const taskOrderSchema = `
create table task_device (
  device text collate "C" not null,
  created_at timestamptz not null,
  task_run_id text collate "C" not null
);

-- A device as people name it, by the value of a slot; null: the value names none.
create function device_of(slot jsonb) returns text language sql immutable as $function$
  select (slot->>'lab_name') || '.' || (slot->>'name')
$function$;

-- A task may have a device in two slots.
insert into task_device (device, created_at, task_run_id)
select distinct device_of(slot.value), task_run.created_at, task_run.id
from task_run, jsonb_each(task_run.devices) slot where device_of(slot.value) is not null;
alter table task_device add primary key (device, created_at, task_run_id);

create function task_device_keep() returns trigger language plpgsql as $function$
begin
  if tg_op <> 'INSERT' then
    delete from task_device
    where device in (select device_of(slot.value) from jsonb_each(old.devices) slot)
      and created_at = old.created_at and task_run_id = old.id;
  end if;
  if tg_op <> 'DELETE' then
    insert into task_device (device, created_at, task_run_id)
    select device_of(slot.value), new.created_at, new.id from jsonb_each(new.devices) slot
    where device_of(slot.value) is not null
    on conflict do nothing;
  end if;
  return null;
end
$function$;

create trigger task_device_insert after insert on task_run
  for each row when (new.devices <> '{}'::jsonb) execute function task_device_keep();
create trigger task_device_update after update on task_run
  for each row when (old.devices is distinct from new.devices) execute function task_device_keep();
create trigger task_device_delete after delete on task_run
  for each row when (old.devices <> '{}'::jsonb) execute function task_device_keep();

drop index task_run_devices;
create index task_run_by_name on task_run (name, id);
`;

export const taskOrder: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql.raw(taskOrderSchema).execute(db);
  },
};

import {
  agents,
  attempts,
  attention,
  audit,
  campaigns,
  emergencyStops,
  drains,
  outages,
  queuePauses,
  protocolRuns,
  reservations,
  deletions,
  legalHolds,
  rollouts,
  resources,
  taskRuns,
  trials,
  endedStates,
} from './tables.js';

/**
 * The database's side of a commit. {@link migrate} installs the function anew at every start, so that it always fits the
 * columns that are declared.
 */

/** Tables whose rows are inserted once and then updated column by column. */
const updated = [campaigns, protocolRuns, taskRuns, attempts, trials];

/** Tables whose rows are written whole, each with its key: inserted, or written over the row with the same key. */
const overwritten = [
  { table: resources, key: 'name' },
  { table: agents, key: 'computer' },
  { table: attention, key: 'id' },
  { table: emergencyStops, key: 'id' },
  { table: queuePauses, key: 'id' },
  { table: drains, key: 'id' },
  { table: outages, key: 'device' },
  { table: reservations, key: 'id' },
  { table: rollouts, key: 'id' },
  { table: deletions, key: 'id' },
  { table: legalHolds, key: 'id' },
];

type AnyTable = Pick<typeof campaigns, 'name' | 'columns'>;
type Column = AnyTable['columns'][number];

const namesOf = ({ columns }: AnyTable): string => columns.map(({ name }) => name).join(', ');

function assignment({ name, kind }: Column): string {
  const value =
    kind === 'jsonb'
      ? `nullif(e.item->'set'->'${name}', 'null'::jsonb)`
      : kind === 'text' || kind === 'id'
        ? `e.item->'set'->>'${name}'`
        : `(e.item->'set'->>'${name}')::${kind}`;
  return `${name} = case when e.item->'set' ? '${name}' then ${value} else t.${name} end`;
}

/** A column that is not in `set` keeps its stored value, which leaves a large value where it is on disk. */
function updateTable(table: AnyTable): string {
  const { name, columns } = table;
  const what = name.replace('_', ' ');
  return `
  if changes ? '${name}_update' then
    items := changes->'${name}_update';
    update ${name} t set
      ${columns
        .filter((column) => column.name !== 'id')
        .map(assignment)
        .join(',\n      ')}
    from jsonb_array_elements(items) e(item)
    where t.id = e.item->>'id' and (not e.item ? 'from' or e.item->'from' ? t.state);
    get diagnostics touched = row_count;
    if touched <> jsonb_array_length(items) then
      select e.item->>'id', t.state, e.item->'set'->>'state' into wrong_id, is_state, to_state
      from jsonb_array_elements(items) e(item) left join ${name} t on t.id = e.item->>'id'
      where t.id is null or (e.item ? 'from' and not e.item->'from' ? t.state) limit 1;
      if is_state is null then
        raise exception using errcode = 'LB002', message = format('there is no ${what} %s', wrong_id);
      end if;
      raise exception using errcode = 'LB002',
        message = format('${what} %s is %s and cannot become %s', wrong_id, is_state, to_state);
    end if;
  end if;${insertRows(table, `${name}_insert`)}`;
}

/** @param item field of the changes that holds the rows */
function insertRows(table: AnyTable, item: string, onConflict = ''): string {
  return `
  if changes ? '${item}' then
    insert into ${table.name} (${namesOf(table)})
    select ${namesOf(table)} from jsonb_populate_recordset(null::${table.name}, changes->'${item}')${onConflict};
  end if;`;
}

function overwriteRows(table: AnyTable, key: string): string {
  const others = table.columns.filter(({ name }) => name !== key);
  const assignments = others.map(({ name }) => `${name} = excluded.${name}`).join(', ');
  return insertRows(table, table.name, `\n    on conflict (${key}) do update set ${assignments}`);
}

/** Channel on which the database says, with the commit, that there are new events. */
export const eventChannel = 'svc_events';

/**
 * One commit of the engine as one statement, so that a caller who stalls holds no lock and the outcome is one fact.
 * Every commit locks the row of the leadership first, hence no two are ever under way together. SQLSTATE of its own:
 * LB001 the epoch is not the latest, LB002 a row is not as presumed, LB003 this commit was given up before.
 *
 * Nothing else writes events. Their ids are drawn behind the lock, so that an event with a smaller id is never committed
 * after one with a greater id: who has read up to an id has missed nothing before it.
 */
export const commitFunction = `
create or replace function commit_changes(the_epoch bigint, the_commit uuid, changes jsonb) returns void
language plpgsql as $function$
declare
  items jsonb;
  item jsonb;
  touched integer;
  wrong_id text;
  is_state text;
  to_state text;
  leader leadership;
  found_row allocation;
begin
  update leadership set last_commit = the_commit
  where epoch = the_epoch and refused_commit is distinct from the_commit;
  if not found then
    select * into leader from leadership;
    if leader.epoch = the_epoch then
      raise exception using errcode = 'LB003', message = 'the commit was given up before it arrived';
    end if;
    raise exception using errcode = 'LB001',
      message = format('epoch %s was succeeded by %s', the_epoch, leader.epoch);
  end if;

  if changes ? 'definitions' then
    insert into definition (hash, kind, body)
    select e.item->>'hash', e.item->>'kind', (e.item->>'body')::json
    from jsonb_array_elements(changes->'definitions') e(item)
    on conflict (hash) do nothing;
  end if;
  ${updated.map(updateTable).join('\n')}

  if changes ? 'first_plans' then
    update task_run t set first_plan = e.item->'plan'
    from jsonb_array_elements(changes->'first_plans') e(item)
    where t.id = e.item->>'id' and t.first_plan is null;
  end if;

  for item in select value from jsonb_array_elements(coalesce(changes->'allocations', '[]'::jsonb)) loop
    touched := 0;
    if item->>'op' = 'release' then
      insert into allocation (kind, key, fence, since)
      values (item->>'kind', item->>'key', 0, (item->>'at')::timestamptz)
      on conflict (kind, key) do update set task_run_id = null, held_by_run_id = null, since = excluded.since;
      touched := 1;
    elsif item->>'op' = 'claim' then
      if (item->>'fence')::bigint = 1 then
        insert into allocation (kind, key, fence) values (item->>'kind', item->>'key', 0)
        on conflict (kind, key) do nothing;
      end if;
      update allocation a
      set task_run_id = item->>'task_run_id', fence = (item->>'fence')::bigint,
          since = (item->>'at')::timestamptz
      where a.kind = item->>'kind' and a.key = item->>'key' and a.task_run_id is null
        and a.held_by_run_id is null and a.fence = (item->>'fence')::bigint - 1;
      get diagnostics touched = row_count;
    elsif item->>'op' = 'pass' then
      update allocation a
      set task_run_id = item->>'task_run_id', fence = (item->>'fence')::bigint,
          since = (item->>'at')::timestamptz
      where a.kind = item->>'kind' and a.key = item->>'key' and a.held_by_run_id = item->>'run_id'
        and a.fence = (item->>'fence')::bigint - 1;
      get diagnostics touched = row_count;
    elsif item->>'op' = 'hold' then
      update allocation a set held_by_run_id = item->>'run_id'
      where a.kind = item->>'kind' and a.key = item->>'key' and a.task_run_id = item->>'task_run_id';
      get diagnostics touched = row_count;
    end if;
    if touched = 0 then
      select * into found_row from allocation a where a.kind = item->>'kind' and a.key = item->>'key';
      raise exception using errcode = 'LB002', message = format('%s %s %s', item->>'kind', item->>'key',
        case
          when item->>'op' = 'hold' then format('is not allocated to task run %s', item->>'task_run_id')
          when item->>'op' = 'pass' and found_row.held_by_run_id is distinct from item->>'run_id'
            then format('is not held by protocol run %s', item->>'run_id')
          when item->>'op' = 'claim'
            and (found_row.task_run_id is not null or found_row.held_by_run_id is not null)
            then 'is not free'
          else format('has fence %s, so the next is not %s', coalesce(found_row.fence, 0), item->>'fence')
        end);
    end if;
  end loop;

${overwritten.map(({ table, key }) => overwriteRows(table, key)).join('\n')}

  for item in select value from jsonb_array_elements(coalesce(changes->'archive', '[]'::jsonb)) loop
    if item->>'op' = 'restore' then
      update archive a set restored_at = (item->>'at')::timestamptz
      where a.id = item->>'id' and a.restored_at is null;
      get diagnostics touched = row_count;
      if touched = 0 then
        raise exception using errcode = 'LB002', message = format('%s is not archived', item->>'id');
      end if;
    else
      select work.state into is_state from (
        select c.state from campaign c where item->>'kind' = 'campaign' and c.id = item->>'id'
        union all
        select r.state from protocol_run r
        where item->>'kind' = 'protocol_run' and r.id = item->>'id' and r.campaign_id is null
        union all
        select t.state from task_run t
        where item->>'kind' = 'task_run' and t.id = item->>'id' and t.run_id is null) work;
      if is_state is null then
        raise exception using errcode = 'LB002',
          message = format('there is no %s "%s" by itself', item->>'kind', item->>'name');
      end if;
      if is_state not in ${endedStates} then
        raise exception using errcode = 'LB002',
          message = format('the %s "%s" is %s', item->>'kind', item->>'name', is_state);
      end if;
      insert into archive select * from jsonb_populate_record(null::archive, item)
      on conflict (id) do update
      set archived_at = excluded.archived_at, archived_by = excluded.archived_by, restored_at = null
      where archive.restored_at is not null;
      get diagnostics touched = row_count;
      if touched = 0 then
        raise exception using errcode = 'LB002',
          message = format('the %s "%s" is archived already', item->>'kind', item->>'name');
      end if;
    end if;
  end loop;
${insertRows(audit, 'audit')}
  if changes ? 'events' then
    insert into outbox (aggregate, seq, type, body, at)
    select
      e.item->>'aggregate',
      coalesce((select max(o.seq) from outbox o where o.aggregate = e.item->>'aggregate'), 0)
        + row_number() over (partition by e.item->>'aggregate' order by e.place),
      e.item->>'type', e.item->'body', (e.item->>'at')::timestamptz
    from jsonb_array_elements(changes->'events') with ordinality e(item, place)
    order by e.place;
    notify ${eventChannel};
  end if;
end
$function$;
`;

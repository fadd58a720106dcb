import type { UsageKind } from '@lab/contracts';
import { jsonEqual } from '@lab/ports';
import type { RowSet } from './row-set.js';
import type { TaskRunRow } from './rows.js';
import { type Usage, usageKey, usageOf } from './usage.js';

/** Counts a new task run, with the files that it has. */
export function countTaskRun(rows: RowSet, task: TaskRunRow): void {
  count(rows, task, { records: 1, ...filesOf(task) });
}

/** Counts files that a task run has left. Those that it left before stay in the store. */
export function countFiles(rows: RowSet, before: TaskRunRow, after: TaskRunRow): void {
  if (after.outputFiles.length === 0 || jsonEqual(after.outputFiles, before.outputFiles)) return;
  count(rows, after, { records: 0, ...filesOf(after) });
}

function filesOf({ outputFiles }: TaskRunRow): Omit<Usage, 'records'> {
  return { files: outputFiles.length, bytes: outputFiles.reduce((sum, { size }) => sum + size, 0) };
}

function count(rows: RowSet, task: TaskRunRow, more: Usage): void {
  add(rows, 'owner', task.owner, more);
  for (const lab of labsOf(rows, task)) add(rows, 'lab', lab, more);
}

function add({ usage }: RowSet, kind: UsageKind, name: string, more: Usage): void {
  const { records, files, bytes } = usageOf(usage, kind, name);
  usage.set(usageKey(kind, name), {
    kind,
    name,
    records: records + more.records,
    files: files + more.files,
    bytes: bytes + more.bytes,
  });
}

/** The laboratories of the protocol of a task; of an on-demand task, those of its devices and known resources. */
function labsOf(rows: RowSet, task: TaskRunRow): Set<string> {
  if (task.runId !== null) {
    const definition = rows.definitions.get(task.definitionHash);
    return new Set(definition?.kind === 'protocol' ? definition.body.protocol.labs : []);
  }
  return new Set([
    ...Object.values(task.devices).map(({ lab_name: lab }) => lab),
    ...Object.values(task.resources).flatMap(({ name }) => rows.resources.get(name)?.lab ?? []),
  ]);
}

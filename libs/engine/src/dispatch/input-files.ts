import type { Fault, InputFile } from '@lab/contracts';
import type { TaskRunRow } from '../rows/index.js';
import type { WorkingState } from '../turn/index.js';

/**
 * The files that earlier tasks of the run left under the names in the protocol, by handle, and a fault for each
 * missing one. An on-demand task gets none.
 */
export function resolveFiles(
  state: WorkingState,
  task: TaskRunRow,
): { files: Record<string, InputFile>; faults: Fault[] } {
  const run = task.runId === null ? undefined : state.rows.protocolRuns.get(task.runId);
  if (run === undefined) return { files: {}, faults: [] };
  const entry = state.protocolOf(run)?.protocol.tasks.find(({ name }) => name === task.name);
  const files: [string, InputFile][] = [];
  const faults: Fault[] = [];
  for (const [handle, wanted] of Object.entries(entry?.files ?? {})) {
    const source = state.taskOf(run.id, wanted.task);
    const file = source && fileOf(source, wanted.name);
    if (file !== undefined) files.push([handle, file]);
    else
      faults.push({
        path: `tasks.${task.name}.files.${handle}`,
        code: 'missing_file',
        message: `task "${wanted.task}" left no file "${wanted.name}"`,
      });
  }
  return { files: Object.fromEntries(files), faults };
}

/** A file of the latest attempt of a task; undefined: there is none of that name. */
function fileOf(source: TaskRunRow, name: string): InputFile | undefined {
  const file = source.outputFiles.find((each) => each.name === name);
  return file && { ...file, task_run_id: source.id, attempt: source.attempt };
}

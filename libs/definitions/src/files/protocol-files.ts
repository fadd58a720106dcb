import { mediaTypeOf, type JsonValue } from '@lab/contracts';
import { type FileReference, hintFor, splitReference } from '../model/index.js';
import type { Path, SourceDocument } from '../documents/index.js';
import { checkAncestor, type Dependency, type ProtocolScope, type TaskEntry } from './protocol-scope.js';
import { kindOf } from './shape.js';
import { isTask } from './slot-forms.js';

/** Longest name of a file, in characters. The same limit applies to files that a task returns. */
const maxNameLength = 200;

/**
 * Reads `task.file_name`, where the name of the file may contain dots; undefined when it is invalid, with the reason
 * in the document.
 */
export function readFileReference(
  source: SourceDocument,
  path: Path,
  entry: JsonValue,
  taskNames: ReadonlySet<string>,
): FileReference | undefined {
  const form = { hint: 'write <task name>.<file name>' };
  if (typeof entry !== 'string') {
    source.fault(path, 'wrong_type', `a file is task.file_name, not ${kindOf(entry)}`, form);
    return undefined;
  }
  const reference = splitReference(entry);
  if (reference === undefined) {
    source.fault(path, 'bad_reference', `"${entry}" is not a reference to a file`, form);
    return undefined;
  }
  if (!isTask(source, path, reference.task, taskNames)) return undefined;
  if (/[/\\]/.test(reference.name) || reference.name.length > maxNameLength) {
    const rule = `a file name has no slashes and at most ${maxNameLength} characters`;
    source.fault(path, 'bad_file_name', `no task can leave a file "${reference.name}": ${rule}`);
    return undefined;
  }
  return reference;
}

/** The tasks whose files a task gets and that are not among its declared dependencies. */
export function impliedDependencies(
  task: string,
  files: Readonly<Record<string, FileReference>>,
  listed: readonly Dependency[],
): Dependency[] {
  const known = new Set([task, ...listed.map(({ name }) => name)]);
  const more = new Set(Object.values(files).map((file) => file.task));
  return [...more].filter((name) => !known.has(name)).map((name) => ({ name, index: null, lag: undefined }));
}

/**
 * Checks the files of a task against its type. Whether a task leaves a file of that name is known only after it has
 * run.
 */
export function checkFiles(scope: ProtocolScope, entry: TaskEntry): void {
  const { source } = scope;
  for (const [handle, file] of Object.entries(entry.files)) {
    if (file.task === entry.name) checkAncestor(scope, entry, [...entry.path, 'files', handle], file.task);
  }
  if (entry.definition === undefined) return;
  const wanted = entry.definition.input_files ?? {};
  for (const handle of entry.named.files) {
    const path: Path = [...entry.path, 'files', handle];
    const spec = Object.hasOwn(wanted, handle) ? wanted[handle] : undefined;
    const file = Object.hasOwn(entry.files, handle) ? entry.files[handle] : undefined;
    if (spec === undefined) {
      source.fault(
        path,
        'unknown_file_handle',
        `the task type "${entry.type}" has no file handle "${handle}"`,
        { what: 'key', hint: hintFor(handle, Object.keys(wanted)) },
      );
    } else if (spec.media_type !== undefined && file !== undefined) {
      const found = mediaTypeOf(file.name);
      if (found !== spec.media_type)
        source.fault(
          path,
          'media_type',
          `the task needs ${spec.media_type}, but the name "${file.name}" stands for ${found}`,
        );
    }
  }
  for (const [handle, { required }] of Object.entries(wanted)) {
    if (!required || entry.named.files.includes(handle)) continue;
    source.fault(
      [...entry.path, 'files'],
      'missing_file',
      `the task type "${entry.type}" needs the file "${handle}"`,
      { what: 'key', hint: `add "${handle}" under files` },
    );
  }
}

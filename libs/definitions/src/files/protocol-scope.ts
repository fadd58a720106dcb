import type { TaskFailurePolicy } from '@lab/contracts';
import type {
  DependencyLag,
  DeviceSlot,
  FileReference,
  LabDefinition,
  ParameterBinding,
  ResourceSlot,
  TaskDefinition,
} from '../model/types.js';
import type { Path } from '../documents/diagnostic.js';
import type { SourceDocument } from '../documents/source-document.js';
import type { TaskGraph } from './task-graph.js';

/** A task of a protocol as far as it can be read; what cross-checks need of it. */
export interface TaskEntry {
  path: Path;
  name: string;
  type: string;
  desc: string;
  duration: number;
  group: string | null;
  /** The task type; undefined when it is unknown or broken. */
  definition: TaskDefinition | undefined;
  devices: Record<string, DeviceSlot>;
  resources: Record<string, ResourceSlot>;
  parameters: Record<string, ParameterBinding>;
  files: Record<string, FileReference>;
  /** Names under the slots, also of those that could not be read. */
  named: { devices: string[]; resources: string[]; parameters: string[]; files: string[] };
  dependencies: Dependency[];
  failurePolicy: TaskFailurePolicy | undefined;
}

/** The name of a task, its place in the list of dependencies, and the lag after it. */
export interface Dependency {
  name: string;
  /** Null: it is not in the list, for a file of that task says so. */
  index: number | null;
  /** Undefined: none is declared. */
  lag: DependencyLag | undefined;
}

/** What the checks of one protocol share. */
export interface ProtocolScope {
  source: SourceDocument;
  tasks: ReadonlyMap<string, TaskEntry>;
  graph: TaskGraph;
  labs: ReadonlyMap<string, LabDefinition>;
  /** Names listed under `labs`, also of those that are unknown or broken. */
  labNames: readonly string[];
  /** False when a lab is unknown or broken: what it may hold is then not known. */
  labsComplete: boolean;
}

/** A reference may only go to a task that has certainly completed. Says so in the document otherwise. */
export function checkAncestor(scope: ProtocolScope, entry: TaskEntry, path: Path, target: string): boolean {
  if (target !== entry.name && scope.graph.ancestors(entry.name).has(target)) return true;
  const isSelf = target === entry.name;
  scope.source.fault(
    path,
    'not_an_ancestor',
    isSelf
      ? `the task "${entry.name}" refers to itself`
      : `"${entry.name}" refers to "${target}", but does not depend on it`,
    isSelf ? {} : { hint: `add "${target}" to the dependencies of "${entry.name}"` },
  );
  return false;
}

import type { TaskFailurePolicy } from '@lab/contracts';
import type {
  DependencyLag,
  DeviceDefinition,
  DeviceSlot,
  FileReference,
  LabDefinition,
  ParameterBinding,
  ResourceSlot,
  TaskDefinition,
} from '../model/index.js';
import type { Path, SourceDocument } from '../documents/index.js';
import type { DefinitionIndex } from './index-of.js';
import type { TaskGraph } from './task-graph.js';

/** The readable part of a protocol task, for cross-checks. */
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
  /** Names under the slots, including those of unreadable entries. */
  named: { devices: string[]; resources: string[]; parameters: string[]; files: string[] };
  dependencies: Dependency[];
  failurePolicy: TaskFailurePolicy | undefined;
}

/** The name of a task, its index in the list of dependencies, and its lag. */
export interface Dependency {
  name: string;
  /** Null: it is not in the list, because a file of that task implies it. */
  index: number | null;
  /** Undefined: no lag is declared. */
  lag: DependencyLag | undefined;
}

/** The data that all checks of one protocol share. */
export interface ProtocolScope {
  source: SourceDocument;
  tasks: ReadonlyMap<string, TaskEntry>;
  graph: TaskGraph;
  labs: ReadonlyMap<string, LabDefinition>;
  /** Names listed under `labs`, including unknown or broken ones. */
  labNames: readonly string[];
  /** False when a lab is unknown or broken, so that its content is not known. */
  labsComplete: boolean;
  deviceTypes: DefinitionIndex<DeviceDefinition>;
}

/** A reference may lead only to a task that has certainly completed. Otherwise records a fault in the document. */
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

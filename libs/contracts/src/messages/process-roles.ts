/** The kinds of processes on the broker. `tool`: a program of a person, for example a measurement. */
export const processRoles = ['gateway', 'orchestrator', 'agent', 'optimizer', 'tool'] as const;
export type ProcessRole = (typeof processRoles)[number];

/** Stands for the name of the process itself, as the broker knows it. */
export const itself = '{itself}';

/** What a process may do on the broker. Everything else is refused. Both are patterns of subjects. */
export interface Permissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

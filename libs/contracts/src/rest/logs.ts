/** How much a line matters, least first. */
export const logLevels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];

/** Whose words a line has: of the code of a task or of a device, or of the service about what happened to such lines. */
export const logSources = ['task', 'device', 'service'] as const;
export type LogSource = (typeof logSources)[number];

/** Most bytes of the message of a line, as UTF-8. */
export const longestLogMessage = 8_192;

/** One line that the code of a task or of a device wrote. */
export interface LogLine {
  /** Rises with every line, in the order in which they were stored; not without gaps. */
  id: number;
  /** When it was written, by the clock of its computer; ISO 8601 in UTC. */
  at: string;
  level: LogLevel;
  source: LogSource;
  computer: string;
  /** Of the device that wrote it. */
  lab: string | null;
  device: string | null;
  /** Of the task that wrote it. */
  task_run_id: string | null;
  task: string | null;
  protocol_run: string | null;
  campaign: string | null;
  attempt_id: string | null;
  /** Number of the attempt, from 1. */
  attempt: number | null;
  message: string;
}

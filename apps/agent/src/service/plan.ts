/** How an operating system runs an agent as a service: a text for it, and the commands that make it known. */
export interface ServicePlan {
  /** Absolute path of the file with the text. */
  path: string;
  text: string;
  /** UTF-16 with a byte order mark, which the Task Scheduler of Windows demands. */
  encoding: 'utf8' | 'utf16le';
  /** Programs with their arguments, run in this order after the file is written. */
  install: readonly (readonly string[])[];
  /** Run in this order before the file is removed. */
  uninstall: readonly (readonly string[])[];
  status: readonly string[];
  /** Sentences about what remains to be done, for a person. */
  notes: readonly string[];
}

/** What is installed. */
export interface Installation {
  /** Absolute path of the launcher `svc-agent`. */
  launcher: string;
  /** Absolute path of the data folder. */
  data: string;
  /** Home folder of the user. */
  home: string;
}

/** Longest time that the agent needs to stop, with a margin, in seconds. */
export const stopSeconds = 70;

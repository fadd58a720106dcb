/** What the commands of `svc-agent` get from the program. */
export interface AgentProgram {
  /** Version of this agent. */
  version: string;
  /** Absolute path of the launcher; undefined: the program was started without one. */
  launcher: string | undefined;
  /** The operating system. */
  platform: NodeJS.Platform;
  /** Serves as an agent, with the configuration of the environment, until the process ends. */
  serve(): Promise<{ readonly serving: Promise<void> } | void>;
  /** Lets the agent that {@link serve} has started end in order. */
  end(): void;
}

/** The help of `--data`, which every command that reads or writes the data folder has. */
export const dataOption = [
  '--data <folder>',
  'the data folder (default: SVC_DATA_DIR, or the folder of the system)',
] as const;

/** What every system that is measured can do. */
export interface Peer {
  /** For the table. */
  readonly title: string;
  /** Starts everything that the system needs, and the system itself. */
  start(): Promise<RunningPeer>;
}

export interface RunningPeer {
  /** Seconds from the start of the first process of the system until it accepts work on its devices. */
  readonly readyS: number;
  /** Processes of which all others descend. */
  readonly pids: readonly number[];
  /**
   * Runs the campaign: two multiplications and a score, `runs` times, `atOnce` runs at the same time.
   *
   * @param name unique in the life of the system
   * @returns seconds from the submission until the system notes the end of the campaign
   */
  campaign(name: string, runs: number, atOnce: number): Promise<number>;
  /** Stops everything. No process is left. */
  stop(): Promise<void>;
}

export const tasksPerRun = 3;

/** Parameters of a run. Every run has others. */
export interface Inputs {
  number: number;
  factor: number;
  secondFactor: number;
}

export const inputsOf = (run: number): Inputs => ({
  number: 2 + (run % 32),
  factor: 2 + (run % 16),
  secondFactor: 2 + (run % 15),
});

/** The same as parameters of a protocol; EOS and the service give them in the same form. */
export const protocolParameters = (runs: number) =>
  Array.from({ length: runs }, (_, run) => {
    const { number, factor, secondFactor } = inputsOf(run);
    return { mult_1: { number, factor }, mult_2: { factor: secondFactor } };
  });

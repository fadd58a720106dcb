import { ServiceError } from '@lab/contracts';
import {
  applyChange,
  emptyRowSet,
  rowSetOf,
  workingRowsOf,
  type Change,
  type DurationSamples,
  type EndedWork,
  type NamedWork,
  type NameKind,
  type RowSet,
  type Store,
  type UsageRow,
  type WorkingRows,
} from '@lab/engine';

/**
 * The store of a simulated laboratory. It applies every commit in place and never fails. A change that cannot be
 * applied is a defect and ends the simulation.
 */
export class SimulatedStore implements Store {
  readonly rows: RowSet;
  /** Called after every commit. */
  onCommit: (changes: readonly Change[]) => void = () => undefined;
  readonly #onDemandNames = new Set<string>();
  #epoch = 0;

  /**
   * @param begin unfinished rows at the start; they become part of the simulation
   * @param samples observed durations of tasks before the start
   */
  constructor(
    begin?: WorkingRows,
    private readonly samples: DurationSamples[] = [],
  ) {
    this.rows = begin === undefined ? emptyRowSet() : rowSetOf(begin);
    for (const name of this.rows.onDemandNames.keys()) this.#onDemandNames.add(name);
  }

  lead(): Promise<number> {
    this.#epoch += 1;
    return Promise.resolve(this.#epoch);
  }

  renew(): Promise<boolean> {
    return Promise.resolve(true);
  }

  resign(): Promise<void> {
    return Promise.resolve();
  }

  load(): Promise<WorkingRows> {
    return Promise.resolve(workingRowsOf(this.rows));
  }

  commit(_epoch: number, changes: readonly Change[]): Promise<void> {
    for (const change of changes) {
      applyChange(this.rows, change);
      if (change.op === 'insertTaskRun' && change.row.runId === null)
        this.#onDemandNames.add(change.row.name);
    }
    this.onCommit(changes);
    return Promise.resolve();
  }

  usage(): Promise<UsageRow[]> {
    return Promise.resolve([...this.rows.usage.values()]);
  }

  takenNames(kind: NameKind, names: readonly string[]): Promise<Set<string>> {
    const taken = {
      protocolRun: this.rows.protocolRunNames,
      campaign: this.rows.campaignNames,
      onDemandTask: this.#onDemandNames,
    }[kind];
    return Promise.resolve(new Set(names.filter((name) => taken.has(name))));
  }

  durations(): Promise<DurationSamples[]> {
    return Promise.resolve(this.samples);
  }

  ended(): Promise<EndedWork | undefined> {
    return Promise.reject(new ServiceError('internal', 'nothing is resumed in a simulation'));
  }

  named(): Promise<NamedWork | undefined> {
    return Promise.reject(new ServiceError('internal', 'nothing is archived in a simulation'));
  }

  endedBefore(): Promise<NamedWork[]> {
    return Promise.resolve([]);
  }

  deletableBefore(): Promise<NamedWork[]> {
    return Promise.resolve([]);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

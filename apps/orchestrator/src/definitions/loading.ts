import { ServiceError, type Fault } from '@lab/contracts';
import type { Catalog } from '@lab/definitions';
import type { Engine, UnfinishedWork } from '@lab/engine';
import type { Log, Timers } from '@lab/ports';
import { labVersion, withNewTasks } from './from-catalog.js';
import type { LabVersion, LoadedDefinitions, LoadedRecord, LoadedSet } from '../loaded/index.js';
import type { CodeSource, PackageIndex } from './package-index.js';

export interface LoadingParts {
  engine: Engine;
  definitions: LoadedDefinitions;
  index: PackageIndex;
  /** Stores where the code of the packages came from. @throws ServiceError `store_unavailable` */
  noteCode: (origins: readonly CodeSource[]) => Promise<void>;
  /** Stores what is loaded, for the next leader. */
  remember: (record: LoadedRecord) => Promise<void>;
  configured: LoadedRecord['configured'];
  timers: Timers;
  log: Log;
}

/** Milliseconds for which a change waits for earlier changes; less than its caller waits. */
const patienceMs = 15_000;

/** Changes of the loaded definitions: one at a time, each whole or not at all, and remembered over a restart. */
export class Loading {
  #last: Promise<void> = Promise.resolve();

  constructor(readonly parts: LoadingParts) {}

  get current(): LoadedSet {
    return this.parts.definitions.current;
  }

  /** Runs `act` after every earlier change. @throws ServiceError `wrong_state` after too long, without running `act` */
  async alone<T>(act: () => Promise<T>): Promise<T> {
    const before = this.#last;
    let release: () => void = () => undefined;
    const over = new Promise<void>((resolve) => {
      release = resolve;
    });
    this.#last = before.then(() => over);
    try {
      await this.#soon(before);
      return await act();
    } finally {
      release();
    }
  }

  #soon(before: Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      const message = 'another change of what is loaded is going on; try again when it is over';
      const late = (): void => reject(new ServiceError('wrong_state', message));
      const cancel = this.parts.timers.after(patienceMs, late);
      void before.then(() => {
        cancel();
        resolve();
      });
    });
  }

  /**
   * @param guard refuses the change because of unfinished work
   * @throws what `guard` throws; `store_unavailable`
   */
  async apply(next: LoadedSet, guard: (work: UnfinishedWork[]) => void = () => undefined): Promise<void> {
    const { engine, definitions, index, noteCode } = this.parts;
    // Before a device runs the code: its first call is stored with the origin.
    await noteCode(index.codeOrigins());
    const before = definitions.current;
    await engine.definitionsChanged(
      (work) => {
        guard(work());
        definitions.current = next;
      },
      () => {
        definitions.current = before;
      },
    );
  }

  /** What is loaded, for the next leader. */
  record(): LoadedRecord {
    const { labs, protocols, draining } = this.current;
    return {
      configured: this.parts.configured,
      labs: [...labs.keys()].sort(),
      protocols: [...protocols.keys()].sort(),
      // The version that waits is stored with its package. The release before this one knows no such purpose.
      draining: Object.fromEntries(
        [...draining].map(([name, purpose]) => [name, purpose === 'unload' ? purpose : 'reload']),
      ),
    };
  }

  /** Stores what is loaded for the next leader. If this fails, the change itself stands. */
  async remember(): Promise<void> {
    const { remember, log } = this.parts;
    try {
      await remember(this.record());
    } catch (error) {
      log.error('what is loaded could not be noted; the next leader will load what was loaded before', {
        error,
      });
    }
  }

  /** @throws ServiceError `invalid` when one of their resources belongs to another loaded laboratory */
  withLabs(catalog: Catalog, names: readonly string[], field: string): LoadedSet {
    const labs = new Map(this.current.labs);
    for (const name of names) {
      const version = labVersion(catalog, name);
      if (version !== undefined) labs.set(name, version);
    }
    const faults = names.flatMap((name, index) => clashes(labs, name, `${field}[${index}]`));
    if (faults.length > 0)
      throw new ServiceError('invalid', faults.map((fault) => fault.message).join('; '), { faults });
    return { ...this.current, labs, tasks: withNewTasks(catalog, this.current.tasks) };
  }
}

/** A loaded laboratory may be older than its files, which alone were checked against each other. */
function clashes(labs: ReadonlyMap<string, LabVersion>, name: string, path: string): Fault[] {
  const mine = labs.get(name)?.lab;
  if (mine === undefined) return [];
  const faults: Fault[] = [];
  for (const { lab } of labs.values()) {
    if (lab.name === name) continue;
    const hint = `reload the laboratory ${lab.name} as well`;
    for (const resource of Object.keys(lab.resources)) {
      if (!Object.hasOwn(mine.resources, resource)) continue;
      const message = `the resource ${resource} of ${name} belongs to the loaded laboratory ${lab.name} as well`;
      faults.push({ path, code: 'duplicate_resource', message, hint });
    }
    for (const [computer, { ip }] of Object.entries(lab.computers)) {
      const other = mine.computers[computer];
      if (other === undefined || other.ip === ip) continue;
      const message = `the computer ${computer} has the address ${other.ip} in ${name}, but ${ip} in the loaded laboratory ${lab.name}`;
      faults.push({ path, code: 'computer_conflict', message, hint });
    }
  }
  return faults;
}

/** Refuses a change because of unfinished work. @throws ServiceError `wrong_state` that names the work */
export function refuseInUse(what: string, work: readonly UnfinishedWork[], hint: string): void {
  if (work.length === 0) return;
  const labels = work.map(({ label }) => label);
  const shown = labels.slice(0, 10).join(', ');
  throw new ServiceError(
    'wrong_state',
    `${what} is in use by ${shown}${labels.length > 10 ? ` and ${labels.length - 10} more` : ''}; ${hint}`,
    {
      faults: work.slice(0, 100).map(({ kind, name, label }) => ({
        path: `${kind}/${name}`,
        code: 'in_use',
        message: `${label} is not over`,
      })),
    },
  );
}

export function labelsOf(work: readonly UnfinishedWork[]): string[] {
  return work.map(({ label }) => label);
}

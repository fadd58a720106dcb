import type { LoadedDevice } from '@lab/contracts';
import type { UnfinishedWork } from '@lab/engine';
import type { Clock, Timers } from '@lab/ports';
import type { LoadedSet } from '../loaded/index.js';
import { awaitStarts } from './device-starts.js';
import type { Difference } from './lab-difference.js';
import { refuseInUse, type Loading } from './loading.js';

/** Makes changes of laboratories whose devices must start. */
export class LabStarts {
  stopped = false;

  constructor(
    private readonly loading: Loading,
    private readonly ports: { clock: Clock; timers: Timers },
  ) {}

  /**
   * Makes the set the loaded one. If one of its devices does not start, or `commit` fails, the whole change is taken back.
   *
   * @param started the devices that are to start, by laboratory
   * @param guard refuses the change because of unfinished work
   * @param commit called when the devices are usable; default: notes what is loaded
   * @returns the devices, by laboratory
   * @throws ServiceError as of `awaitStarts`; what `guard` and `commit` throw
   */
  async start(
    next: LoadedSet,
    started: ReadonlyMap<string, ReadonlySet<string>>,
    guard?: (work: UnfinishedWork[]) => void,
    commit: () => Promise<void> = () => this.loading.remember(),
  ): Promise<Map<string, LoadedDevice[]>> {
    const before = this.loading.current;
    const { engine, definitions, log } = this.loading.parts;
    definitions.starting = new Set([...started.keys()].filter((name) => !before.labs.has(name)));
    try {
      const since = this.ports.clock.now();
      await this.loading.apply(next, guard);
      const ports = { engine, ...this.ports, stopped: () => this.stopped };
      const starts = await Promise.allSettled(
        [...started].map(async ([name, devices]): Promise<[string, LoadedDevice[]]> => [
          name,
          await awaitStarts(ports, name, devices, since),
        ]),
      );
      const failed = starts.find((start) => start.status === 'rejected');
      const error: unknown =
        failed === undefined
          ? await commit().then(
              () => undefined,
              (thrown: unknown) => thrown,
            )
          : failed.reason;
      if (error !== undefined) {
        log.error('laboratories could not be started; what was loaded before stays', {
          labs: [...started.keys()],
          error,
        });
        if (!this.stopped) await this.loading.apply(before);
        throw error;
      }
      return new Map(starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : [])));
    } finally {
      definitions.starting = new Set();
    }
  }
}

/** Refuses a change while work uses a changed device, or needs what only the earlier version has. @throws ServiceError `wrong_state` */
export function guardOf(
  differences: ReadonlyMap<string, Difference>,
  hint: string,
): (work: UnfinishedWork[]) => void {
  return (work) => {
    for (const [name, found] of differences) {
      const { gone } = found;
      refuseInUse(
        gone.length > 0 ? `${gone.join(', ')} of the laboratory ${name}` : `a changed device of ${name}`,
        inTheWay(work, name, found),
        hint,
      );
    }
  };
}

/** The unfinished work that uses a changed device of a laboratory, or needs what only the earlier version has. */
export function inTheWay(
  work: readonly UnfinishedWork[],
  lab: string,
  { restarted, replaced, gone }: Difference,
): UnfinishedWork[] {
  return work.filter((each) =>
    gone.length > 0
      ? each.labs.has(lab)
      : [...replaced].some((device) => restarted.has(device) && each.devices.has(`${lab}.${device}`)),
  );
}

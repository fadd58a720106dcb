import { BaseDevice, effect, query } from '@lab/sdk';
import { PhysicalState } from '../../work/physical-state.js';
import { SimulatedWork, Stopped } from '../../work/simulated-work.js';

interface InitParameters {
  /** Simulated seconds become this many real ones. */
  time_scale: number;
}

interface State {
  container: string | null;
  /** Millilitres in the beaker. */
  volume: number;
  /** Millilitres drained since the waste was emptied. */
  waste: number;
}

const drainSeconds = 6;
const rinseSeconds = 12;

const unused: State = { container: null, volume: 0, waste: 0 };

/** Millilitres that the waste canister holds. */
const wasteCapacity = 20_000;

export default class CleaningStation extends BaseDevice<InitParameters> {
  private work = new SimulatedWork(1);
  private state = new PhysicalState(null, unused);

  async _initialize({ time_scale }: InitParameters): Promise<void> {
    this.work = new SimulatedWork(time_scale);
    this.state = new PhysicalState(this.stateFolder, unused);
  }

  async _cleanup(): Promise<void> {
    this.log.info('valves closed');
  }

  /** Closes the valves, so that nothing flows any more. */
  override _stop(reason: string): void {
    this.work.stop(reason);
  }

  async _report(): Promise<State> {
    return this.state.get();
  }

  /**
   * Tells the station that a beaker was set down in it.
   *
   * @param volume millilitres in the beaker
   * @throws Error when there is a beaker in it already
   */
  @effect({
    description: 'Notes that a beaker was set down in the station',
    parameters: {
      container: { type: 'str', desc: 'Name of the beaker' },
      volume: { type: 'float', unit: 'ml', min: 0, desc: 'What is in it' },
    },
  })
  place({ container, volume }: { container: string; volume: number }): void {
    const { container: inside } = this.state.get();
    if (inside !== null) {
      throw new Error(`${inside} is in the station: take it out before ${container} comes`);
    }
    if (!(volume >= 0)) throw new RangeError(`${container} cannot hold ${volume} ml`);
    this.state.set({ ...this.state.get(), container, volume });
  }

  /** Lets the beaker be taken out. */
  @effect({ description: 'Lets the beaker be taken out', parameters: {} })
  release(): { container: string } {
    const container = this.inStation();
    this.state.set({ ...this.state.get(), container: null, volume: 0 });
    return { container };
  }

  /**
   * Drains the beaker into the waste.
   *
   * @returns millilitres drained
   * @throws Error when there is no beaker, or no room in the waste canister
   */
  @effect({ description: 'Drains the beaker into the waste', parameters: {} })
  async drain(): Promise<{ drained: number }> {
    this.inStation();
    const { volume, waste } = this.state.get();
    if (waste + volume > wasteCapacity) {
      throw new Error(`The waste holds ${waste} of ${wasteCapacity} ml: empty it before ${volume} ml more`);
    }
    try {
      await this.work.spend(drainSeconds);
    } catch (error) {
      if (error instanceof Stopped) this.drained(volume * error.share);
      throw error;
    }
    this.drained(volume);
    return { drained: volume };
  }

  /**
   * Rinses and dries the beaker.
   *
   * @throws Error when there is no beaker, or it is not empty
   */
  @effect({ description: 'Rinses and dries the empty beaker', parameters: {} })
  async rinse(): Promise<void> {
    const container = this.inStation();
    const { volume } = this.state.get();
    if (volume > 0) {
      throw new Error(`${container} still holds ${volume} ml: drain it first`);
    }
    await this.work.spend(rinseSeconds);
  }

  /** Empties the waste canister; a person does that. */
  @effect({ description: 'Notes that a person emptied the waste', parameters: {} })
  emptyWaste(): void {
    this.state.set({ ...this.state.get(), waste: 0 });
  }

  @query({ description: 'Tells what is in the station and in the waste', parameters: {} })
  status(): State {
    return this.state.get();
  }

  private drained(drained: number): void {
    const { container, volume, waste } = this.state.get();
    this.state.set({ container, volume: volume - drained, waste: waste + drained });
  }

  private inStation(): string {
    const { container } = this.state.get();
    if (container === null) throw new Error('There is no beaker in the cleaning station');
    return container;
  }
}

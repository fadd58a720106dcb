import { BaseDevice, effect, query } from '@lab/sdk';
import { SimulatedWork } from '../../work/simulated-work.js';

interface InitParameters {
  /** Simulated seconds become this many real ones. */
  time_scale: number;
}

/** Seconds to go somewhere, take hold of a beaker, carry it and set it down. */
const moveSeconds = 8;

export default class RobotArm extends BaseDevice<InitParameters> {
  private work = new SimulatedWork(1);
  private carrying: string | null = null;
  private moves = 0;

  async _initialize({ time_scale }: InitParameters): Promise<void> {
    this.work = new SimulatedWork(time_scale);
    // A real arm would drive to its home position here, so that it is in a known place after a crash as well.
    this.carrying = null;
  }

  async _cleanup(): Promise<void> {
    this.log.info(`parked after ${this.moves} moves`);
  }

  /** Stops the arm where it is; a person takes the beaker from it. */
  override _stop(reason: string): void {
    this.work.stop(reason);
  }

  async _report(): Promise<{ carrying: string | null; moves: number }> {
    return { carrying: this.carrying, moves: this.moves };
  }

  /**
   * Carries a beaker. It is an effect: the service never calls it a second time by itself.
   *
   * @throws Error when the arm has something in its hand, or is asked to carry from a place to the same place
   */
  @effect({
    description: 'Carries a beaker from one place to another',
    parameters: {
      container: { type: 'str', desc: 'Name of the beaker' },
      from: { type: 'str', desc: 'Name of a device, or shelf' },
      to: { type: 'str', desc: 'Name of a device, or shelf' },
    },
  })
  async move({ container, from, to }: { container: string; from: string; to: string }): Promise<void> {
    if (this.carrying !== null) {
      throw new Error(`The arm holds ${this.carrying}: put that down before it takes ${container}`);
    }
    for (const [name, value] of Object.entries({ container, from, to })) {
      if (typeof value !== 'string' || value === '') throw new TypeError(`${name} must be a name`);
    }
    if (from === to) throw new RangeError(`${container} is to go from ${from} to ${to}: that is where it is`);
    this.carrying = container;
    try {
      await this.work.spend(moveSeconds);
    } finally {
      this.carrying = null;
    }
    this.moves += 1;
    this.log.debug(`${container}: ${from} to ${to}`);
  }

  /** What the arm is doing. A query: it answers while a move is in progress. */
  @query({ description: 'Tells what the arm is doing', parameters: {} })
  status(): { carrying: string | null; moves: number } {
    return { carrying: this.carrying, moves: this.moves };
  }
}

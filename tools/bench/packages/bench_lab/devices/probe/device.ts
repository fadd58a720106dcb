import { BaseDevice, effect, query } from '@lab/sdk';

/** Wall-clock milliseconds with sub-millisecond resolution. */
const now = (): number => performance.timeOrigin + performance.now();

export default class Probe extends BaseDevice {
  private calls = 0;

  async _initialize(): Promise<void> {
    this.calls = 0;
  }

  async _cleanup(): Promise<void> {
    this.calls = 0;
  }

  async _report(): Promise<{ calls: number }> {
    return { calls: this.calls };
  }

  @query()
  ping(): { at: number } {
    return { at: now() };
  }

  @effect()
  touch(): { at: number } {
    this.calls += 1;
    return { at: now() };
  }
}

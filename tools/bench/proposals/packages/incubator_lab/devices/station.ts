import { setTimeout as delay } from 'node:timers/promises';
import { BaseDevice, effect } from '@lab/sdk';

/** An instrument that works for a while. The types of the laboratory differ in nothing but their names. */
export class Station extends BaseDevice {
  _initialize(): void {}

  _cleanup(): void {}

  _report(): Record<string, never> {
    return {};
  }

  @effect()
  async work({ seconds }: { seconds: number }): Promise<void> {
    await delay(seconds * 1000);
  }
}

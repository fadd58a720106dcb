import { setTimeout as delay } from 'node:timers/promises';
import { BaseDevice, effect } from '@lab/sdk';

export default class Instrument extends BaseDevice {
  _initialize(): void {}

  _cleanup(): void {}

  _report(): Record<string, never> {
    return {};
  }

  /** @returns milliseconds that it took */
  @effect()
  async work({ seconds }: { seconds: number }): Promise<{ took: number }> {
    const begin = performance.now();
    await delay(seconds * 1000);
    return { took: performance.now() - begin };
  }
}

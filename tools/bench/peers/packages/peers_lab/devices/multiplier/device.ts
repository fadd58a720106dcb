import { BaseDevice, effect } from '@lab/sdk';

export default class Multiplier extends BaseDevice {
  _initialize(): void {}

  _cleanup(): void {}

  _report(): Record<string, never> {
    return {};
  }

  @effect()
  async multiply({ a, b }: { a: number; b: number }): Promise<number> {
    return a * b;
  }
}

import { BaseDevice, effect } from '@lab/sdk';

export default class Analyzer extends BaseDevice {
  _initialize(): void {}

  _cleanup(): void {}

  _report(): Record<string, never> {
    return {};
  }

  @effect()
  async analyze({ product }: { product: number }): Promise<number> {
    return Math.abs(product - 1024);
  }
}

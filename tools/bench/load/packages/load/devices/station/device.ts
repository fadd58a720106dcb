import { BaseDevice, effect } from '@lab/sdk';

export default class Station extends BaseDevice {
  _initialize(): void {}
  _cleanup(): void {}
  _report(): Record<string, never> {
    return {};
  }
  @effect()
  touch(_arguments: { key: string }): void {}
}

import { BaseDevice, effect, query } from '@lab/sdk';

/** Goes wrong on request. */
export default class Brittle extends BaseDevice {
  private steps = 0;

  _initialize(): void {
    this.steps = 0;
  }

  _cleanup(): void {
    this.steps = 0;
  }

  _report(): { steps: number } {
    return { steps: this.steps };
  }

  /** Works. */
  @effect()
  step({ seconds = 0 }: { seconds?: number } = {}): Promise<{ steps: number }> {
    this.steps += 1;
    return new Promise((resolve) => setTimeout(() => resolve({ steps: this.steps }), seconds * 1000));
  }

  @effect()
  fail({ message }: { message: string }): void {
    throw new Error(message);
  }

  /** Never returns. */
  @effect()
  hang(): Promise<void> {
    return new Promise(() => undefined);
  }

  /** Ends its own process, as a native driver that crashes does. */
  @effect()
  exit({ code }: { code: number }): void {
    process.exit(code);
  }

  @query()
  count(): { steps: number } {
    return { steps: this.steps };
  }

  /** Not declared, so nobody can call it. */
  hidden(): string {
    return 'unreachable';
  }
}

import { BaseDevice, effect, query, type CallInDoubt, type Reconciliation } from '@lab/sdk';

abstract class Ancestor extends BaseDevice {
  /** Declared, but not by the class of the device itself, so nobody can call it. */
  @query()
  inherited(): string {
    return 'unreachable';
  }
}

/** Goes wrong on request. */
export default class Brittle extends Ancestor {
  private steps = 0;
  private stops = 0;
  private endStep: ((reason: string) => void) | undefined;

  _initialize(): void {
    this.steps = 0;
  }

  _cleanup(): void {
    this.steps = 0;
  }

  /** Whatever else it was doing ended with its process; a step may be half made. */
  override _reconcile(_parameters: object, inDoubt: readonly CallInDoubt[]): Reconciliation {
    const step = inDoubt.some((call) => call.function === 'step');
    return { idle: !step, detail: step ? 'a step may be half made' : 'it is only a process' };
  }

  _report(): { steps: number; stops: number } {
    return { steps: this.steps, stops: this.stops };
  }

  /** Ends the step that is being made, half way. */
  override _stop(reason: string): void {
    this.stops += 1;
    this.endStep?.(reason);
  }

  /** Works. */
  @effect({
    description: 'Counts a step',
    parameters: { seconds: { type: 'float', unit: 's', min: 0, value: 0, desc: 'How long it takes' } },
  })
  step({ seconds = 0 }: { seconds?: number } = {}): Promise<{ steps: number }> {
    this.steps += 1;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => resolve({ steps: this.steps }), seconds * 1000);
      this.endStep = (reason) => {
        clearTimeout(timer);
        reject(new Error(`the step was stopped half way: ${reason}`));
      };
    });
  }

  @effect({ description: 'Throws', parameters: { message: { type: 'str' } } })
  fail({ message }: { message: string }): void {
    throw new Error(message);
  }

  /** Never returns. */
  @effect({ description: 'Never returns', parameters: {} })
  hang(): Promise<void> {
    return new Promise(() => undefined);
  }

  /** Ends its own process, as a native driver that crashes does. */
  @effect({
    description: 'Ends its own process, as a native driver that crashes does',
    parameters: { code: { type: 'int', unit: 'n/a', min: 0, max: 255 } },
  })
  exit({ code }: { code: number }): void {
    process.exit(code);
  }

  @query({ description: 'Tells how many steps were counted', parameters: {} })
  count(): { steps: number } {
    return { steps: this.steps };
  }

  /** Not declared, so nobody can call it. */
  hidden(): string {
    return 'unreachable';
  }
}

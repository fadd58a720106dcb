import { BaseDevice, effect, query } from '@lab/sdk';

/** Multiplies, and counts how often. */
export default class Multiplier extends BaseDevice<{ offset: number }> {
  private offset = 0;
  private products = 0;

  _initialize({ offset }: { offset: number }): void {
    this.offset = offset;
    this.products = 0;
    console.log(`ready, offset ${offset}`);
  }

  _cleanup(): void {
    console.log('switched off');
  }

  _report(): { products: number } {
    return { products: this.products };
  }

  /** Multiplies two numbers. One at a time, like every effect. */
  @effect({
    description: 'Multiplies two numbers',
    parameters: { a: { type: 'float', unit: 'n/a' }, b: { type: 'float', unit: 'n/a' } },
  })
  async multiply({ a, b }: { a: number; b: number }): Promise<{ product: number }> {
    this.products += 1;
    return { product: a * b + this.offset };
  }

  /** Keeps the device busy for some seconds. */
  @effect({
    description: 'Keeps the device busy',
    parameters: { seconds: { type: 'float', unit: 's', min: 0 } },
  })
  async hold({ seconds }: { seconds: number }): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  }

  /** How many products were made; answered also while an effect is going on. */
  @query({ description: 'Tells how many products were made', parameters: {} })
  count(): { products: number } {
    return { products: this.products };
  }
}

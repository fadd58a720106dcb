import type { EffectStore } from '@lab/actors';
import { effectRequests, type RecordedEffect } from '@lab/contracts';
import type { Bus } from '@lab/messaging';
import type { Clock } from '@lab/ports';

/** Sends the records of calls over the broker, with the time of this computer, so that its offset is known. */
export class EffectsOverBus implements EffectStore {
  constructor(
    private readonly bus: Bus,
    private readonly computer: string,
    private readonly wall: Clock,
  ) {}

  async store(effects: readonly RecordedEffect[]): Promise<void> {
    const { computer, wall } = this;
    const body = { wall_ms: wall.now(), effects: [...effects] };
    await this.bus.request(effectRequests.append, { computer }, body);
  }
}

import { randomUUID } from 'node:crypto';
import type { KeptAnswer, KeyName, KeyState } from '@lab/persistence';
import type { Keys } from '../src/ports/stores.js';

interface Kept {
  fingerprint: string;
  submissionId: string;
  holder: string;
  answer?: KeptAnswer;
}

/** Keys in memory. A key is held until its holder is declared dead. */
export class MemoryKeys implements Keys {
  readonly kept = new Map<string, Kept>();
  /** Declares all present holders dead. */
  dead = false;

  async take(name: KeyName, fingerprint: string, holder: string): Promise<KeyState> {
    const id = JSON.stringify([name.principal, name.route, name.key]);
    const known = this.kept.get(id);
    if (known === undefined) {
      const submissionId = randomUUID();
      this.kept.set(id, { fingerprint, submissionId, holder });
      return { state: 'new', submissionId };
    }
    if (known.fingerprint !== fingerprint) return { state: 'other_request' };
    if (known.answer !== undefined) return { state: 'answered', answer: known.answer };
    if (known.holder !== '' && !this.dead) return { state: 'in_progress' };
    known.holder = holder;
    return { state: 'broken_off', submissionId: known.submissionId };
  }

  async holdOn(): Promise<void> {
    // Nothing runs out here.
  }

  async answer(name: KeyName, _holder: string, answer: KeptAnswer): Promise<void> {
    const known = this.kept.get(JSON.stringify([name.principal, name.route, name.key]));
    if (known !== undefined) known.answer = answer;
  }

  async giveBack(name: KeyName): Promise<void> {
    this.kept.delete(JSON.stringify([name.principal, name.route, name.key]));
  }

  async letGo(name: KeyName): Promise<void> {
    const known = this.kept.get(JSON.stringify([name.principal, name.route, name.key]));
    if (known !== undefined) known.holder = '';
  }

  /** Nothing grows old here. */
  async forget(): Promise<number> {
    return 0;
  }
}

import { createHash } from 'node:crypto';
import { ServiceError } from '@lab/contracts';
import { diceOf } from '../plan/chance.js';
import type { Points } from './fault-points.js';
import type { History } from './history.js';
import type { Life } from './life.js';
import type { SimulatedTime } from './simulated-time.js';

/** The object store behind the gateway. It stores a file completely or not at all. */
export class SimulatedObjectStore {
  /** The object store is unreachable. */
  away = false;
  #puts = 0;

  constructor(
    private readonly parts: { time: SimulatedTime; points: Points; history: History; seed: number },
  ) {}

  /** Stores a file. It calls `stored` when the file is durable. */
  put(life: Life, key: string, content: string, stored: () => void, failed: (error: Error) => void): void {
    const { points, history, time, seed } = this.parts;
    points.reach('upload', 'before', life);
    life.act(() => {
      const ms = 1 + 20 * diceOf(seed, 'object store', (this.#puts += 1));
      time.after(ms, () => {
        if (this.away) {
          life.act(() => failed(new ServiceError('service_unavailable', 'the object store is away')));
          return;
        }
        history.stored.set(key, descriptionOf(content));
        history.note(`stored ${key}`);
        points.reach('upload', 'after', life);
        life.act(stored);
      });
    });
  }
}

/** Size and hash of a file. */
export function descriptionOf(content: string): { size: number; sha256: string } {
  return { size: Buffer.byteLength(content), sha256: createHash('sha256').update(content).digest('hex') };
}

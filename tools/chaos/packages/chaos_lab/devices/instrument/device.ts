import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { BaseDevice, effect, idempotent, query } from '@lab/sdk';

interface Setup {
  /** Folder of the logs; outlives every process. */
  folder: string;
  /** Nothing can be read back from it after its process died. */
  blind: boolean;
}

interface Entry {
  phase: 'begin' | 'end';
  call_id: string;
  at: number;
  /** Of a begin: when the motion is over, whoever watches. */
  until?: number;
  by?: string;
}

/** The log is the truth about what happened physically: a motion that began goes on to its end though nobody watches. */
export default class Instrument extends BaseDevice<Setup> {
  private log_file = '';
  private folder = '';
  private blind = false;
  private halting = new AbortController();

  _initialize(setup: Setup): void {
    this.attach(setup);
    const open = this.openMotions();
    if (open.length > 0) throw new Error(`initialised in the middle of ${open[0]?.call_id}`);
  }

  _cleanup(): void {
    this.log.debug('detached');
  }

  _report(): { moving: number } {
    return { moving: this.openMotions().length };
  }

  /** Reads the instrument: waits until what moved stands still. */
  override async _reconcile(setup: Setup): Promise<{ idle: boolean; detail?: string }> {
    this.attach(setup);
    if (this.blind) return { idle: false, detail: 'this instrument cannot be read' };
    for (const { call_id, until = 0 } of this.openMotions()) {
      await delay(Math.max(0, until - Date.now()));
      this.write({ phase: 'end', call_id, at: Date.now(), by: 'reconcile' });
    }
    return { idle: true };
  }

  override async _stop(): Promise<void> {
    this.halting.abort();
  }

  @effect()
  async move({ ms }: { ms: number }): Promise<{ call_id: string; folder: string }> {
    const call_id = this.callId ?? 'none';
    const at = Date.now();
    this.halting = new AbortController();
    this.write({ phase: 'begin', call_id, at, until: at + ms });
    try {
      await delay(ms, undefined, { signal: this.halting.signal });
    } catch {
      this.write({ phase: 'end', call_id, at: Date.now(), by: 'stop' });
      throw new Error('stopped in motion');
    }
    this.write({ phase: 'end', call_id, at: Date.now() });
    return { call_id, folder: this.folder };
  }

  @idempotent()
  configure({ level }: { level: number }): { level: number } {
    return { level };
  }

  @query()
  sense(): { folder: string; call_id: string } {
    return { folder: this.folder, call_id: this.callId ?? 'none' };
  }

  private attach({ folder, blind }: Setup): void {
    this.folder = folder;
    this.blind = blind;
    this.log_file = join(folder, `${this.name}.log`);
  }

  private write(entry: Entry): void {
    appendFileSync(this.log_file, `${JSON.stringify(entry)}\n`);
  }

  private openMotions(): Entry[] {
    if (!existsSync(this.log_file)) return [];
    const open = new Map<string, Entry>();
    for (const line of readFileSync(this.log_file, 'utf8').split('\n')) {
      if (line === '') continue;
      const entry = JSON.parse(line) as Entry;
      if (entry.phase === 'begin') open.set(entry.call_id, entry);
      else open.delete(entry.call_id);
    }
    return [...open.values()];
  }
}

import type { ListRequest, LogLine } from '@lab/contracts';
import { logFields } from '../src/logs/log-feed.js';
import type { LogReader } from '../src/ports/stores.js';
import { passes } from '../src/lists/portion.js';

/** The lines that a test has stored. */
export class MemoryLines implements LogReader {
  lines: LogLine[] = [];
  pruned = 0;
  /** The number of reads. */
  reads = 0;

  /** Stores lines. */
  store(...lines: Partial<LogLine>[]): void {
    for (const line of lines) this.lines.push(logLine({ id: this.lines.length + 1, ...line }));
  }

  extent(): Promise<{ latest: number; pruned: number }> {
    this.reads += 1;
    return Promise.resolve({ latest: this.lines.at(-1)?.id ?? this.pruned, pruned: this.pruned });
  }

  after(
    id: number,
    limit: number,
    filters: ListRequest['filters'] = {},
  ): Promise<{ pruned: number; lines: LogLine[] }> {
    this.reads += 1;
    const lines = this.lines.filter(
      (line) => line.id > Math.max(id, this.pruned) && passes(line, 'logs', filters, logFields),
    );
    return Promise.resolve({ pruned: this.pruned, lines: lines.slice(0, limit) });
  }
}

export function logLine(given: Partial<LogLine> = {}): LogLine {
  return {
    id: 1,
    at: '2026-11-20T09:30:00.000Z',
    level: 'info',
    source: 'task',
    computer: 'svc_computer',
    lab: null,
    device: null,
    task_run_id: null,
    task: null,
    protocol_run: null,
    campaign: null,
    attempt_id: null,
    attempt: null,
    message: 'a line',
    ...given,
  };
}

import type { Log } from '@lab/ports';

/** A log that keeps every line. */
export class RecordedLog implements Log {
  readonly lines: { level: string; message: string; fields: Record<string, unknown> }[] = [];
  readonly debug = this.#at('debug');
  readonly info = this.#at('info');
  readonly warn = this.#at('warn');
  readonly error = this.#at('error');

  #at(level: string) {
    return (message: string, fields: Record<string, unknown> = {}): void => {
      this.lines.push({ level, message, fields });
    };
  }
}

import { setTimeout as delay } from 'node:timers/promises';
import type { LogLevel } from './messages.js';

/** Longest log message, in characters. A longer one is cut, with a note. */
const maxLogLength = 16_384;

/** How long the end of the process waits for messages that are being sent, in milliseconds. */
const flushLimitMs = 1_000;

/** The host's side of the IPC channel to the agent. It sends in order, and knows when everything has left the process. */
export class Channel<Outgoing extends { type: string }> {
  private inFlight = 0;
  private drained: (() => void) | undefined;
  private readonly transmit: NonNullable<typeof process.send>;

  /** @throws Error when the process was not forked with an IPC channel */
  constructor() {
    if (process.send === undefined) {
      throw new Error('A host talks to its agent over IPC: start it with child_process.fork');
    }
    this.transmit = process.send.bind(process);
  }

  send(message: Outgoing): void {
    if (!process.connected) return;
    this.inFlight += 1;
    // An error here means that the agent is gone. The event `disconnect` handles that.
    this.transmit(message, undefined, undefined, () => {
      this.inFlight -= 1;
      if (this.inFlight === 0) this.drained?.();
    });
  }

  log(level: LogLevel, text: string): void {
    const cut =
      text.length > maxLogLength
        ? `${text.slice(0, maxLogLength)}… (${text.length - maxLogLength} characters more)`
        : text;
    this.send({ type: 'log', level, text: cut } as unknown as Outgoing);
  }

  /** Ends the process when all messages have left it, at most one second later. */
  async exit(code: number): Promise<never> {
    if (this.inFlight > 0 && process.connected) {
      const all = new Promise<void>((resolve) => (this.drained = resolve));
      await Promise.race([all, delay(flushLimitMs)]);
    }
    process.exit(code);
  }
}

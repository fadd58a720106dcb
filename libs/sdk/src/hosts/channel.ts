import { setTimeout as delay } from 'node:timers/promises';
import type { LogLevel } from './messages.js';

/** Longest log message, in characters; the rest is cut and said to be cut. */
const maxLogLength = 16_384;

/** Time that messages on their way get before the process ends, in milliseconds. */
const flushLimitMs = 1_000;

/** The IPC channel to the agent, seen from a host: sends in order, and knows when everything has left the process. */
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
    // An error here means that the agent is gone, which `disconnect` tells as well, and better.
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

  /** Ends the process once everything sent has left it, at most a second later. */
  async exit(code: number): Promise<never> {
    if (this.inFlight > 0 && process.connected) {
      const all = new Promise<void>((resolve) => (this.drained = resolve));
      await Promise.race([all, delay(flushLimitMs)]);
    }
    process.exit(code);
  }
}

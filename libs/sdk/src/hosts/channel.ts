import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, type MessagePort } from 'node:worker_threads';
import type { LogLevel } from './messages.js';

/** Longest log message, in characters. A longer one is cut, with a note. */
const maxLogLength = 16_384;

/** How long the end of the process waits for messages that are being sent, in milliseconds. */
const flushLimitMs = 1_000;

/** Where the messages of a host go: to the agent, or to the main thread of its process. */
interface Parent {
  isThere(): boolean;
  /** @param sent called when the message has left, or cannot leave any more */
  send(message: object, sent: () => void): void;
  onMessage(listener: (message: unknown) => void): void;
}

/** The host's side of the channel to its parent. It sends in order, and knows when everything has left. */
export class Channel<Outgoing extends { type: string }> {
  private inFlight = 0;
  private drained: (() => void) | undefined;
  private readonly parent: Parent;

  /** @throws Error when this is the main thread of a process that was not forked with an IPC channel */
  constructor() {
    this.parent = parentPort === null ? processThatForked() : threadThatStarted(parentPort);
  }

  /** Sets the only listener of the messages of the parent. */
  onMessage(listener: (message: unknown) => void): void {
    this.parent.onMessage(listener);
  }

  send(message: Outgoing): void {
    if (!this.parent.isThere()) return;
    this.inFlight += 1;
    this.parent.send(message, () => {
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

  /** Ends the process, or the thread, when all messages have left it, at most one second later. */
  async exit(code: number): Promise<never> {
    if (this.inFlight > 0 && this.parent.isThere()) {
      const all = new Promise<void>((resolve) => (this.drained = resolve));
      await Promise.race([all, delay(flushLimitMs)]);
    }
    process.exit(code);
  }
}

function processThatForked(): Parent {
  if (process.send === undefined) {
    throw new Error('A host talks to its agent over IPC: start it with child_process.fork');
  }
  const send = process.send.bind(process);
  return {
    isThere: () => process.connected,
    // An error here means that the agent is gone. The event `disconnect` handles that.
    send: (message, sent) => send(message, undefined, undefined, () => sent()),
    onMessage: (listener) => process.on('message', listener),
  };
}

function threadThatStarted(port: MessagePort): Parent {
  return {
    isThere: () => true,
    // The main thread reads what is in the port also after this thread has ended.
    send: (message, sent) => {
      port.postMessage(message);
      sent();
    },
    onMessage: (listener) => port.on('message', listener),
  };
}

import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, type MessagePort } from 'node:worker_threads';
import { channelDescriptors, LineJoiner } from '@lab/contracts/channel';
import type { LogLevel } from './messages.js';

/** Longest log message, in characters. A longer one is cut, with a note. */
const maxLogLength = 16_384;

/** How long the end of the process waits for messages that are being sent, in milliseconds. */
const flushLimitMs = 1_000;

/** Where the messages of a host go: to the agent, or to the main thread of its process. */
interface Parent {
  isThere(): boolean;
  send(message: object): void;
  /** Resolves when all messages have left, or cannot leave any more. */
  sent(): Promise<void>;
  onMessage(listener: (message: unknown) => void): void;
  /** @param listener called once, when the agent is gone; never in a thread, which ends with its process */
  onGone(listener: () => void): void;
}

/** The host's side of the channel to its parent. It sends in order, and knows when everything has left. */
export class Channel<Outgoing extends { type: string }> {
  private readonly parent: Parent;

  /** @throws Error when this is the main thread of a process that has no channel to an agent */
  constructor() {
    this.parent = parentPort === null ? processThatStarted() : threadThatStarted(parentPort);
  }

  /** Sets the only listener of the messages of the parent. */
  onMessage(listener: (message: unknown) => void): void {
    this.parent.onMessage(listener);
  }

  /** Sets the only listener of the end of the parent. */
  onGone(listener: () => void): void {
    this.parent.onGone(listener);
  }

  send(message: Outgoing): void {
    if (this.parent.isThere()) this.parent.send(message);
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
    if (this.parent.isThere()) await Promise.race([this.parent.sent(), delay(flushLimitMs)]);
    process.exit(code);
  }
}

function processThatStarted(): Parent {
  const { toHost, fromHost } = channelDescriptors;
  const input = open(toHost);
  const output = open(fromHost);
  // An error of either pipe means that the agent is gone, which the end of the input reports.
  for (const pipe of [input, output]) pipe.on('error', () => undefined);
  let isThere = true;
  input.once('end', () => (isThere = false)).once('close', () => (isThere = false));
  return {
    isThere: () => isThere,
    send: (message) => void output.write(`${JSON.stringify(message)}\n`),
    sent: () => new Promise((resolve) => void output.write('', () => resolve())),
    onMessage: (listener) => {
      const lines = new LineJoiner();
      input.setEncoding('utf8').on('data', (piece: string) => {
        for (const line of lines.take(piece)) listener(JSON.parse(line));
      });
    },
    onGone: (listener) => input.once('close', listener),
  };
}

function open(descriptor: number): Socket {
  try {
    const isInput = descriptor === channelDescriptors.toHost;
    return new Socket({ fd: descriptor, readable: isInput, writable: !isInput });
  } catch (error) {
    throw new Error(
      `A host talks to its agent over pipes at the descriptors ${Object.values(channelDescriptors).join(' and ')}, and ${descriptor} is none: an agent must start this program`,
      { cause: error },
    );
  }
}

function threadThatStarted(port: MessagePort): Parent {
  return {
    isThere: () => true,
    // The main thread reads what is in the port also after this thread has ended.
    send: (message) => port.postMessage(message),
    sent: () => Promise.resolve(),
    onMessage: (listener) => port.on('message', listener),
    onGone: () => undefined,
  };
}

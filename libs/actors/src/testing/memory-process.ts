import type { ProcessExit, ProcessHandle } from '../ports/index.js';

/** A process simulated by functions: it receives messages, sends with `say`, and ends with `exit`. */
export class MemoryProcess<To, From> implements ProcessHandle<To, From> {
  /** Address at which a debugger may attach. */
  debugger: string | undefined;
  readonly received: To[] = [];
  readonly signals: string[] = [];
  #hear: (message: To) => void = () => undefined;
  #onSignal: (signal: 'SIGTERM' | 'SIGKILL') => void;
  #message: (message: From) => void = () => undefined;
  #exit: (exit: ProcessExit) => void = () => undefined;
  #ended = false;
  /** Delivers all messages from and to the process in order, each in its own turn. */
  #line: Promise<void> = Promise.resolve();

  constructor() {
    this.#onSignal = (signal) => this.exit({ code: null, signal, lastStderr: null });
  }

  get alive(): boolean {
    return !this.#ended;
  }

  /** Sets the reaction of the process to a message. */
  behave(hear: (message: To) => void): void {
    this.#hear = hear;
  }

  /** Sets what the process does with SIGTERM; SIGKILL always ends it. */
  onTerm(handle: () => void): void {
    this.#onSignal = (signal) => {
      if (signal === 'SIGTERM') handle();
      else this.exit({ code: null, signal, lastStderr: null });
    };
  }

  /** The process sends a message. */
  say(message: From): void {
    const copy = structuredClone(message);
    if (this.#ended) return;
    this.#then(() => this.#message(copy));
  }

  /** Ends the process. Messages that it sent before still arrive. */
  exit(exit: ProcessExit): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#then(() => this.#exit(exit));
  }

  send(message: To): void {
    const copy = structuredClone(message);
    this.#then(() => {
      if (this.#ended) return;
      this.received.push(copy);
      this.#hear(copy);
    });
  }

  onMessage(listener: (message: From) => void): void {
    this.#message = listener;
  }

  onExit(listener: (exit: ProcessExit) => void): void {
    this.#exit = listener;
  }

  kill(signal: 'SIGTERM' | 'SIGKILL'): void {
    if (this.#ended) return;
    this.signals.push(signal);
    this.#onSignal(signal);
  }

  #then(step: () => void): void {
    this.#line = this.#line.then(step);
  }
}

import { writeSync } from 'node:fs';
import { argv } from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Channel } from './channel.js';
import type { FromTask, ToTask } from './messages.js';

const standardError = 2;
/**
 * The next thread starts this many milliseconds after the end of a task. Its start takes some 30 ms of processor time, and
 * the service needs the processor at that moment to start the next task of the run.
 */
const restMs = 20;
const [, program = ''] = argv;

/**
 * Runs the tasks of this process one after another, each in a new thread, and passes the messages between the agent and the
 * thread on.
 *
 * Guarantees: a thread runs one task. When a task has completed, its thread ends before the next one starts, and the process
 * sends `waiting` when that one can take a task. A thread that ends before its task, or whose task failed, ends the process.
 */
export class TaskThreads {
  #thread: Worker;
  /** A task was given to the thread, and its outcome has not come. */
  #busy = false;

  constructor(private readonly channel: Channel<FromTask>) {
    // The start of a thread reads the title, and Node for Windows ends when its console has none.
    if (process.platform === 'win32') process.title = 'task';
    this.#thread = this.#start();
  }

  /** Passes a message of the agent on. The thread reads it when it is ready. */
  receive(message: ToTask): void {
    if (message.type === 'run') {
      if (this.#busy) throw new Error('run came while a task is running');
      this.#busy = true;
    }
    // A late message for an earlier task must not reach the next one.
    if (this.#busy) this.#thread.postMessage(message);
  }

  #start(): Worker {
    // Each thread executes the program of this process.
    const thread = new Worker(program);
    thread.on('message', (message: FromTask) => this.#heard(thread, message));
    thread.on('error', (error: Error & { code?: string }) => {
      const reason =
        error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'FATAL ERROR: the task ran out of memory' : error.message;
      // The agent gives the last line of the standard error as the cause of the end.
      writeSync(standardError, `${reason}\n`);
      void this.channel.exit(1);
    });
    thread.on('exit', (code) => void this.channel.exit(code));
    return thread;
  }

  #heard(thread: Worker, message: FromTask): void {
    // The process has said that it waits before its first thread was started.
    if (message.type !== 'waiting' || !this.#busy) this.channel.send(message);
    if (message.type === 'completed') void this.#replace(thread);
  }

  async #replace(thread: Worker): Promise<void> {
    this.#busy = false;
    thread.removeAllListeners();
    await thread.terminate();
    await wait(restMs);
    this.#thread = this.#start();
  }
}

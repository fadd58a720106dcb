import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

interface Message {
  seq: number;
  type: 'request' | 'response' | 'event';
  command?: string;
  event?: string;
  request_seq?: number;
  success?: boolean;
  message?: string;
  body?: Record<string, unknown>;
}

/** Longest wait for a message, in milliseconds. */
const limitMs = 30_000;

/** A client of the Debug Adapter Protocol, as an editor is one. */
export class DebugAdapter {
  readonly #socket: Socket;
  readonly #messages: Message[] = [];
  #seq = 0;
  #rest = Buffer.alloc(0);

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (data: Buffer) => this.#take(data));
    socket.on('error', () => undefined);
  }

  /** The log names the address a moment before the process listens. */
  static async connect(address: string): Promise<DebugAdapter> {
    const [host = '', port] = address.split(':');
    for (const end = Date.now() + limitMs; ;) {
      const socket = connect(Number(port), host);
      try {
        await once(socket, 'connect');
        return new DebugAdapter(socket);
      } catch (error) {
        if (Date.now() > end) throw error;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  }

  /** Attaches with the settings of an editor, and sets breakpoints at lines of a file. */
  async attach(file: string, lines: readonly number[]): Promise<boolean[]> {
    await this.ask('initialize', { adapterID: 'debugpy', pathFormat: 'path', linesStartAt1: true });
    const attached = this.ask('attach', { justMyCode: true, subProcess: false });
    await this.event('initialized');
    const { breakpoints } = await this.ask('setBreakpoints', {
      source: { path: file },
      breakpoints: lines.map((line) => ({ line })),
    });
    await this.ask('configurationDone');
    await attached;
    return (breakpoints as { verified: boolean }[]).map(({ verified }) => verified);
  }

  /** @returns the body of the answer @throws Error when the request has failed */
  async ask(command: string, args: object = {}): Promise<Record<string, unknown>> {
    const seq = (this.#seq += 1);
    const content = Buffer.from(JSON.stringify({ seq, type: 'request', command, arguments: args }));
    this.#socket.write(`Content-Length: ${content.length}\r\n\r\n`);
    this.#socket.write(content);
    const answer = await this.#find(command, (each) => each.type === 'response' && each.request_seq === seq);
    if (answer.success !== true) throw new Error(`${command}: ${answer.message ?? 'failed'}`);
    return answer.body ?? {};
  }

  /** Waits for the next event of that name, and takes it. */
  async event(name: string): Promise<Record<string, unknown>> {
    return (await this.#find(name, (each) => each.type === 'event' && each.event === name)).body ?? {};
  }

  close(): void {
    this.#socket.destroy();
  }

  async #find(what: string, fits: (message: Message) => boolean): Promise<Message> {
    for (const end = Date.now() + limitMs; Date.now() < end;) {
      const index = this.#messages.findIndex(fits);
      const [found] = index < 0 ? [] : this.#messages.splice(index, 1);
      if (found !== undefined) return found;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error(`the debugger did not say ${what}`);
  }

  #take(data: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, data]);
    for (;;) {
      const head = this.#rest.indexOf('\r\n\r\n');
      if (head < 0) return;
      const length = Number(/Content-Length: (\d+)/i.exec(this.#rest.toString('latin1', 0, head))?.[1]);
      const begin = head + 4;
      if (this.#rest.length < begin + length) return;
      this.#messages.push(JSON.parse(this.#rest.toString('utf8', begin, begin + length)) as Message);
      this.#rest = this.#rest.subarray(begin + length);
    }
  }
}

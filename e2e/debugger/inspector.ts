import type { SourceMapPayload } from 'node:module';
import { WebSocket } from 'ws';

interface Said {
  id?: number;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: { message: string };
}

/** Longest wait for a message, in milliseconds. */
const limitMs = 30_000;

/** A client of the inspector of Node, as an editor is one. */
export class Inspector {
  readonly #said: Said[] = [];
  #ids = 0;

  private constructor(private readonly socket: WebSocket) {
    socket.on('message', (data: Buffer) => this.#said.push(JSON.parse(data.toString()) as Said));
  }

  /** Attaches, and lets the process report its scripts. @param address `127.0.0.1:9229` */
  static async attach(address: string): Promise<Inspector> {
    const targets = (await (await fetch(`http://${address}/json/list`)).json()) as {
      webSocketDebuggerUrl: string;
    }[];
    const socket = new WebSocket(targets[0]?.webSocketDebuggerUrl ?? '');
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    const inspector = new Inspector(socket);
    await inspector.ask('Debugger.enable');
    await inspector.ask('Runtime.runIfWaitingForDebugger');
    return inspector;
  }

  async ask(method: string, params: object = {}): Promise<Record<string, unknown>> {
    const id = (this.#ids += 1);
    this.socket.send(JSON.stringify({ id, method, params }));
    const answer = await this.#find(method, (said) => said.id === id);
    if (answer.error !== undefined) throw new Error(`${method}: ${answer.error.message}`);
    return answer.result ?? {};
  }

  /** Waits for the next event of that name, and takes it. */
  async event(method: string): Promise<Record<string, unknown>> {
    return (await this.#find(method, (said) => said.method === method)).params ?? {};
  }

  /** The script that has a text and a source map. */
  async scriptWith(text: string): Promise<{ id: string; lines: string[]; map: SourceMapPayload }> {
    for (;;) {
      const { scriptId, sourceMapURL } = await this.event('Debugger.scriptParsed');
      const [, encoded] = /^data:application\/json[^,]*;base64,(.+)$/.exec(String(sourceMapURL)) ?? [];
      if (encoded === undefined) continue;
      const { scriptSource } = await this.ask('Debugger.getScriptSource', { scriptId });
      const lines = String(scriptSource).split('\n');
      if (!lines.some((line) => line.includes(text))) continue;
      const map = JSON.parse(Buffer.from(encoded, 'base64').toString()) as SourceMapPayload;
      return { id: String(scriptId), lines, map };
    }
  }

  close(): void {
    this.socket.terminate();
  }

  async #find(what: string, fits: (said: Said) => boolean): Promise<Said> {
    for (const end = Date.now() + limitMs; Date.now() < end;) {
      const index = this.#said.findIndex(fits);
      const [found] = index < 0 ? [] : this.#said.splice(index, 1);
      if (found !== undefined) return found;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error(`the inspector did not say ${what}`);
  }
}

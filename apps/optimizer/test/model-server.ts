import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Completion {
  messages: { role: string; content: string }[];
}

/** A local server that speaks the protocol of OpenAI and answers as the test scripts. */
export class ModelServer {
  /** All messages of each question, in one text. */
  readonly asked: string[] = [];
  readonly keys: (string | undefined)[] = [];
  /** Rows of the answer; null: no answer until the server is closed. */
  answer: () => object[] | null = () => [];
  /** Questions whose caller went away before the answer. */
  abandoned = 0;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        const { messages } = JSON.parse(Buffer.concat(pieces).toString()) as Completion;
        this.asked.push(messages.map(({ content }) => content).join('\n'));
        this.keys.push(request.headers.authorization);
        const suggestions = this.answer();
        if (suggestions === null) {
          response.on('close', () => (this.abandoned += 1));
          return;
        }
        const content = JSON.stringify({ journal: 'a try', suggestions });
        response.writeHead(200, { 'content-type': 'application/json' }).end(
          JSON.stringify({
            ...{ id: 'answer', object: 'chat.completion', created: 0, model: 'test' },
            choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
            usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
          }),
        );
      });
    });
  }

  static async start(): Promise<ModelServer> {
    const server = new ModelServer();
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

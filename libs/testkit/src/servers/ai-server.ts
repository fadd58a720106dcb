import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Asked {
  headers: IncomingHttpHeaders;
  /** All messages of the request, in one text. */
  prompt: string;
  /** The system message, which is the same for every question of a campaign. */
  system: string;
  temperature: number | undefined;
  /** Number of rows that the optimizer asks for. */
  count: number;
}

/** The fields of a request that this server reads. */
interface Completion {
  messages: { content: string }[];
  temperature?: number;
  response_format: { json_schema: { schema: { properties: { suggestions: { minItems: number } } } } };
}

/** A local server that speaks the OpenAI protocol and gives the answers that the test scripts. */
export class AiServer {
  readonly asked: Asked[] = [];
  /** The text of the answer. A number makes the server answer with this error status, and null makes it never answer. */
  answer: (asked: Asked) => string | number | null = () => 503;
  /** Questions without an answer whose caller went away. */
  abandoned = 0;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        const { messages, response_format, temperature } = JSON.parse(
          Buffer.concat(pieces).toString(),
        ) as Completion;
        const asked = {
          headers: request.headers,
          prompt: messages.map(({ content }) => content).join('\n'),
          system: messages[0]?.content ?? '',
          temperature,
          count: response_format.json_schema.schema.properties.suggestions.minItems,
        };
        this.asked.push(asked);
        const text = this.answer(asked);
        if (text === null) {
          response.on('close', () => (this.abandoned += 1));
          return;
        }
        if (typeof text === 'number') {
          response.writeHead(text).end('{"error":{"message":"not now"}}');
          return;
        }
        response.writeHead(200, { 'content-type': 'application/json' }).end(
          JSON.stringify({
            id: 'answer',
            object: 'chat.completion',
            created: 0,
            model: 'test',
            choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
            usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
          }),
        );
      });
    });
  }

  static async start(): Promise<AiServer> {
    const made = new AiServer();
    made.#server.listen(0, '127.0.0.1');
    await once(made.#server, 'listening');
    return made;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';

/** A plate reader with an interface of HTTP and JSON, which remembers what it was asked. */
export class ReaderServer {
  serial = 'PR-0042';
  temperature = 22;
  state = 'idle';
  token: string | null = null;
  /** Milliseconds that a measurement takes. */
  measuringMs = 120;
  fails = false;
  readonly requests: { route: string; body: unknown; headers: IncomingMessage['headers'] }[] = [];
  #server: ReturnType<typeof createServer> | null = null;
  readonly #sockets = new Set<Socket>();
  #port = 0;

  constructor(private readonly tls?: { cert: string; key: string }) {}

  get url(): string {
    return `${this.tls ? 'https' : 'http'}://127.0.0.1:${this.#port}`;
  }

  async start(): Promise<this> {
    const answer = (request: IncomingMessage, response: ServerResponse): void =>
      void this.#answer(request, response);
    const server = this.tls ? createTlsServer(this.tls, answer) : createServer(answer);
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
    return this;
  }

  /** Ends as when the power fails. */
  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (server === null) return;
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }

  count(route: string): number {
    return this.requests.filter((each) => each.route === route).length;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
    const text = Buffer.concat(parts).toString();
    const body: unknown = text === '' ? undefined : JSON.parse(text);
    const route = `${request.method} ${request.url}`;
    this.requests.push({ route, body, headers: request.headers });
    const send = (status: number, content?: object, headers: Record<string, string> = {}): void => {
      response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
      response.end(content === undefined ? '' : JSON.stringify(content));
    };
    if (this.token !== null && request.headers.authorization !== `Bearer ${this.token}`) {
      send(401, { detail: `${request.headers.authorization ?? 'nothing'} is not admitted` });
      return;
    }
    switch (route) {
      case 'GET /openapi.json':
        send(200, document);
        return;
      case 'GET /info':
        send(200, { serial: this.serial });
        return;
      case 'GET /temperature':
        send(200, { celsius: this.temperature });
        return;
      case 'PUT /temperature':
        this.temperature = (body as { celsius: number }).celsius;
        send(204);
        return;
      case 'GET /status':
        send(200, { state: this.state });
        return;
      case 'POST /stop':
        this.state = 'idle';
        send(200, { stopped: true });
        return;
      case 'POST /shake':
        request.socket.destroy();
        return;
      case 'POST /hang':
        return;
      case 'POST /refuse':
        send(409, { error: 'the lid is open', echo: request.headers.authorization ?? null });
        return;
      case 'POST /tare':
        setTimeout(() => (this.state = 'tared'), this.measuringMs);
        this.state = 'taring';
        send(202, undefined, { Location: '/operations/1' });
        return;
      case 'GET /operations/1':
        if (this.state === 'tared') send(200, { offset: 0.5 });
        else send(202);
        return;
      case 'POST /elsewhere':
        send(202, undefined, { Location: 'http://127.0.0.2:1/steal' });
        return;
      case 'POST /wells/A%2F1/measurements':
      case 'POST /wells/A1/measurements':
        this.state = 'measuring';
        setTimeout(() => (this.state = this.fails ? 'failed' : 'done'), this.measuringMs);
        send(201, { id: 'm 7' });
        return;
      case 'GET /measurements/m%207':
        send(200, { state: this.state, message: 'lamp broken', result: { absorbance: 420 } });
        return;
      default:
        send(404, { detail: `no ${route}` });
    }
  }
}

/** The OpenAPI document of the reader. */
export const document = {
  openapi: '3.1.0',
  info: { title: 'Plate reader', version: '1' },
  paths: {
    '/temperature': {
      get: {
        operationId: 'get-temperature',
        summary: 'Reads the temperature',
        responses: { 200: { $ref: '#/components/responses/T' } },
      },
      put: {
        operationId: 'set_temperature',
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Temperature' } } },
        },
        responses: { 204: {} },
      },
    },
    '/wells/{well-id}/measurements': {
      parameters: [{ name: 'well-id', in: 'path', required: true, schema: { type: 'string' } }],
      post: {
        operationId: 'measure',
        parameters: [
          {
            name: 'flashes',
            in: 'query',
            schema: { type: 'integer', minimum: 1, maximum: 200, default: 10 },
          },
          { name: 'mode', in: 'query', schema: { enum: ['fast', 'exact'] } },
        ],
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: {
                type: 'object',
                required: ['nm'],
                properties: {
                  nm: { type: 'integer', 'x-unit': 'nm', minimum: 230 },
                  gain: { anyOf: [{ type: 'number' }, { type: 'null' }] },
                  spots: { type: 'array', items: { type: 'number' } },
                },
              },
            },
          },
        },
        responses: { 201: {} },
      },
    },
    '/picture': {
      post: { operationId: 'upload', requestBody: { content: { 'image/png': {} } }, responses: {} },
    },
    '/stop': { post: { responses: {} } },
  },
  components: {
    schemas: {
      Temperature: {
        type: 'object',
        required: ['celsius'],
        properties: { celsius: { type: 'number', 'x-unit': 'C', minimum: 4, maximum: 65 } },
      },
    },
    responses: {
      T: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Temperature' } } } },
    },
  },
};

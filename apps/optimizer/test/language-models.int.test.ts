import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Question } from '@lab/optimization';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RemoteLanguageModels } from '../src/ai/language-models.js';

interface Asked {
  path: string;
  headers: IncomingHttpHeaders;
  body: Record<string, unknown>;
}

/** The reaction of a server to a question. */
type Act = (response: ServerResponse) => void;

const canary = 'sk-canary-0123456789abcdef';
const suggestion = '{"journal":"go up","suggestions":[{"mix.a":1}]}';
const schema = { type: 'object', properties: { journal: { type: 'string' } }, required: ['journal'] };

const json =
  (body: object, status = 200, headers: Record<string, string> = {}): Act =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
const completion = json({
  id: 'c1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: suggestion } }],
  usage: { prompt_tokens: 120, completion_tokens: 30, total_tokens: 150 },
});
const trouble = (status: number, message = 'come back later'): Act =>
  json({ type: 'error', error: { type: 'trouble', status: 'TROUBLE', code: status, message } }, status);

/** A model server with a list of scripted reactions. It repeats the last one. */
let server: Server;
let url: string;
let script: Act[];
let asked: Asked[];

beforeEach(async () => {
  script = [completion];
  asked = [];
  server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(pieces).toString()) as Record<string, unknown>;
      asked.push({ path: request.url ?? '', headers: request.headers, body });
      const act = script.length > 1 ? script.shift() : script[0];
      act?.(response);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

const models = (environment: Record<string, string> = {}): RemoteLanguageModels =>
  new RemoteLanguageModels({ environment, firstPauseMs: 5 });
const question = (changes: Partial<Question> = {}): Question => ({
  provider: 'ollama',
  model: 'qwen3.5:9b',
  settings: { base_url: `${url}/v1`, temperature: 0.2, max_tokens: 400 },
  key: null,
  system: 'You choose experiments.',
  messages: [{ role: 'user', content: 'What next?' }],
  schema,
  signal: AbortSignal.timeout(20_000),
  ...changes,
});

describe('a local model', () => {
  it('is asked by the protocol of OpenAI, with a schema and without a key', async () => {
    const answer = await models().ask(question());
    expect(answer).toEqual({ text: suggestion, tokens: { input: 120, output: 30 } });
    expect(asked).toHaveLength(1);
    const [{ path, headers, body }] = asked as [Asked];
    expect(path).toBe('/v1/chat/completions');
    expect(headers).not.toHaveProperty('authorization');
    expect(body).toMatchObject({
      model: 'qwen3.5:9b',
      temperature: 0.2,
      max_tokens: 400,
      messages: [
        { role: 'system', content: 'You choose experiments.' },
        { role: 'user', content: 'What next?' },
      ],
      response_format: { type: 'json_schema', json_schema: { name: 'suggestion', schema } },
    });
    expect(body).not.toHaveProperty('base_url');
  });

  it('gets the whole conversation and its own settings', async () => {
    const messages: Question['messages'] = [
      { role: 'user', content: 'What next?' },
      { role: 'assistant', content: '{}' },
      { role: 'user', content: 'Mend it.' },
    ];
    const settings = { base_url: `${url}/v1`, reasoning_effort: 'low' };
    await models().ask(question({ provider: 'openai-compatible', messages, settings }));
    expect(asked[0]?.body).toMatchObject({
      messages: [{ role: 'system' }, ...messages],
      reasoning_effort: 'low',
    });
  });

  it('that refuses schemas is asked without them, at once from then on', async () => {
    const local = models();
    script = [trouble(400, 'response_format json_schema is not supported'), completion];
    expect((await local.ask(question())).text).toBe(suggestion);
    await local.ask(question());
    expect(asked.map(({ body }) => (body['response_format'] as { type: string }).type)).toEqual([
      'json_schema',
      'json_object',
      'json_object',
    ]);
    const [, second] = asked as [Asked, Asked];
    expect(JSON.stringify(second.body['messages'])).toContain('Answer with JSON that fits this JSON schema');
  });

  it('needs an address when its provider has none', async () => {
    await expect(models().ask(question({ provider: 'local', settings: {} }))).rejects.toThrow(
      'local:qwen3.5:9b gave no answer: "local" needs the address of a server: base_url in ai_model_settings',
    );
    await expect(models().ask(question({ settings: { base_url: 'file:///etc' } }))).rejects.toThrow(
      'must be an address that begins with http',
    );
  });
});

describe('a faulty server', () => {
  it.each([429, 500, 503])('that answers %i is asked again until it succeeds', async (status) => {
    script = [trouble(status), trouble(status), completion];
    expect((await models().ask(question())).text).toBe(suggestion);
    expect(asked).toHaveLength(3);
  });

  it('is abandoned after several tries', async () => {
    script = [trouble(429)];
    await expect(models().ask(question())).rejects.toThrow(
      'ollama:qwen3.5:9b gave no answer (HTTP 429): come back later',
    );
    expect(asked).toHaveLength(6);
  });

  it('is asked again after the delay that it names', async () => {
    script = [json({ error: { message: 'later' } }, 429, { 'retry-after': '0.2' }), completion];
    const began = performance.now();
    await models().ask(question());
    expect(performance.now() - began).toBeGreaterThan(190);
  });

  it('is not asked again after the end of the time limit', async () => {
    script = [() => undefined];
    const late = new AbortController();
    const answer = models().ask(question({ signal: late.signal }));
    await expect.poll(() => asked.length).toBe(1);
    late.abort();
    await expect(answer).rejects.toThrow(/aborted/);
    script = [json({ error: { message: 'later' } }, 429, { 'retry-after': '25' })];
    const again = new AbortController();
    const waiting = models().ask(question({ signal: again.signal }));
    await expect.poll(() => asked.length).toBe(2);
    again.abort();
    await expect(waiting).rejects.toThrow(/gave no answer/);
    expect(asked).toHaveLength(2);
  });

  it('whose answer is cut off is asked again', async () => {
    const cut: Act = (response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' });
      response.write('{"choices":[');
      response.destroy();
    };
    script = [cut, completion];
    expect((await models().ask(question())).text).toBe(suggestion);
  });

  it('that answers without JSON or with other JSON fails the question', async () => {
    script = [(response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>hello')];
    await expect(models().ask(question())).rejects.toThrow(/Invalid JSON response/);
    script = [json({ result: 'yes' })];
    await expect(models().ask(question())).rejects.toThrow(/gave no answer/);
  });
});

describe.each([
  ['openai-compatible', null],
  ['anthropic', 'key'],
  ['openai', 'key'],
  ['google', 'key'],
])('a hostile server in place of %s', (provider, key) => {
  const asking = (): Promise<unknown> =>
    models().ask(question({ provider, model: 'm-1', key, settings: { base_url: `${url}/v1` } }));

  it.each([200, 500])(
    'with the status %i and an endless answer is left after a few megabytes and not asked again',
    async (status) => {
      let sent = 0;
      const left = new Promise<void>((resolve) => {
        script = [
          (response) => {
            const piece = Buffer.alloc(65_536, ' ');
            const more = (): void => {
              while (!response.destroyed && response.write(piece)) sent += piece.length;
            };
            response.on('drain', more).on('close', resolve);
            response.writeHead(status, { 'content-type': 'application/json' });
            more();
          },
        ];
      });
      await expect(asking()).rejects.toThrow(/the answer has more than 4194304 bytes/);
      await left;
      // The buffers of a connection hold the bytes that were already sent.
      expect(sent).toBeLessThan(40_000_000);
      expect(asked).toHaveLength(1);
    },
  );

  it('that redirects is not followed and does not receive the key', async () => {
    script = [
      (response) => response.writeHead(307, { location: `${url}/elsewhere` }).end(),
      json({ error: { message: 'here' } }),
    ];
    await expect(asking()).rejects.toThrow('the server sends elsewhere (HTTP 307), which is not followed');
    expect(asked.map(({ path }) => path)).not.toContain('/elsewhere');
    expect(asked).toHaveLength(1);
  });

  it.each([
    null,
    [],
    7,
    { choices: 'no', content: 'no', output: 'no', candidates: 'no' },
    { choices: [null], content: [null], output: [null], candidates: [null] },
    { choices: [], content: [], output: [], candidates: [], usage: { __proto__: null } },
  ])('that answers %j gives no suggestion and causes no harm', async (body) => {
    script = [json(body as object)];
    const answer = await asking().catch((error: unknown) => error);
    if (answer instanceof Error) expect(answer.message).toContain('gave no answer');
    else expect(answer).toMatchObject({ text: '' });
  });
});

describe('a key', () => {
  const env = { ANTHROPIC_API_KEY: canary, OPENAI_API_KEY: canary, GOOGLE_GENERATIVE_AI_API_KEY: canary };

  it.each([
    ['anthropic', 'x-api-key', canary],
    ['openai', 'authorization', `Bearer ${canary}`],
    ['google', 'x-goog-api-key', canary],
    ['mistral', 'authorization', `Bearer ${canary}`],
    ['openai-compatible', 'authorization', `Bearer ${canary}`],
  ])(
    'of the author goes to %s, and no error contains it even when the server repeats it',
    async (provider, header, value) => {
      script = [trouble(401, `Incorrect API key provided: ${canary}`)];
      const asking = models().ask(
        question({ provider, model: 'm-1', key: canary, settings: { base_url: `${url}/v1` } }),
      );
      const error = await asking.catch((thrown: unknown) => thrown as Error);
      expect(error).toBeInstanceOf(Error);
      expect(asked[0]?.headers[header]).toBe(value);
      const shown = JSON.stringify(error, Object.getOwnPropertyNames(error));
      expect(shown).not.toContain(canary);
      expect(shown).toContain('***');
    },
  );

  it('of the environment goes only to the address of the provider', async () => {
    for (const provider of ['anthropic', 'openai', 'google']) {
      await expect(models(env).ask(question({ provider }))).rejects.toThrow(
        `There is no API key for ${provider}: set ai_api_key; that of the environment is not sent to another base_url`,
      );
    }
    await models(env).ask(question({ provider: 'openai-compatible' }));
    expect(asked).toHaveLength(1);
    expect(asked[0]?.headers).not.toHaveProperty('authorization');
  });

  it('is named by its variable in the error when it is missing', async () => {
    await expect(models().ask(question({ provider: 'anthropic', settings: {} }))).rejects.toThrow(
      'There is no API key for anthropic: set ai_api_key, or ANTHROPIC_API_KEY in the environment of the optimizer worker',
    );
  });
});

describe('the models of large providers', () => {
  const settings = () => ({ base_url: `${url}/v1` });

  it('of Anthropic answer with a tool or a schema and keep the prefix', async () => {
    script = [
      json({
        type: 'message',
        id: 'msg_1',
        role: 'assistant',
        model: 'm-1',
        content: [{ type: 'tool_use', id: 't1', name: 'json', input: JSON.parse(suggestion) as object }],
        stop_reason: 'tool_use',
        stop_sequence: null,
        usage: { input_tokens: 9, output_tokens: 4 },
      }),
    ];
    const answer = await models().ask(
      question({ provider: 'anthropic', model: 'm-1', key: 'key', settings: settings() }),
    );
    expect(JSON.parse(answer.text)).toEqual(JSON.parse(suggestion));
    expect(answer.tokens).toEqual({ input: 9, output: 4 });
    expect(asked[0]).toMatchObject({
      path: '/v1/messages',
      body: { system: [{ text: 'You choose experiments.', cache_control: { type: 'ephemeral' } }] },
    });
  });

  it('of OpenAI are asked for a response with a schema', async () => {
    script = [
      json({
        id: 'r1',
        created_at: 1,
        model: 'm-1',
        output: [
          {
            type: 'message',
            role: 'assistant',
            id: 'o1',
            content: [{ type: 'output_text', text: suggestion, annotations: [] }],
          },
        ],
        usage: { input_tokens: 7, output_tokens: 3 },
      }),
    ];
    const answer = await models().ask(
      question({ provider: 'openai', model: 'm-1', key: 'key', settings: settings() }),
    );
    expect(answer).toEqual({ text: suggestion, tokens: { input: 7, output: 3 } });
    expect(asked[0]).toMatchObject({
      path: '/v1/responses',
      body: { text: { format: { type: 'json_schema', schema } } },
    });
  });

  it('of Google are asked for content with a schema', async () => {
    script = [
      json({
        candidates: [{ content: { role: 'model', parts: [{ text: suggestion }] }, finishReason: 'STOP' }],
        usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 2, totalTokenCount: 7 },
      }),
    ];
    const answer = await models().ask(
      question({ provider: 'google', model: 'm-1', key: 'key', settings: settings() }),
    );
    expect(answer).toEqual({ text: suggestion, tokens: { input: 5, output: 2 } });
    expect(asked[0]).toMatchObject({
      path: '/v1/models/m-1:generateContent',
      body: { generationConfig: { responseMimeType: 'application/json' } },
    });
  });
});

it('a pause ends early when it is cancelled', async () => {
  const ended = new AbortController();
  const pause = models().delay(60_000, ended.signal);
  ended.abort();
  await expect(pause).resolves.toBeUndefined();
});

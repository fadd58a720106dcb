import { setTimeout as delay } from 'node:timers/promises';
import type {
  APICallError,
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3Message,
} from '@ai-sdk/provider';
import type { JsonObject } from '@lab/contracts';
import type { Answer, LanguageModels, Question } from '@lab/optimization';
import { accessTo, openModel, providerNames } from './providers.js';

/** Largest number of tries when a server fails. */
const mostTries = 6;
/** Pauses between tries, in milliseconds. They double from the first to the longest. */
const firstPauseMs = 1_000;
const longestPauseMs = 30_000;
/** Longest error text, in characters. */
const longestText = 500;

/**
 * Keys of `ai_model_settings` that all providers share, and their names in the call. All other keys except
 * `reasoning_effort` belong to the provider.
 */
const commonSettings: Readonly<Record<string, keyof LanguageModelV3CallOptions>> = {
  temperature: 'temperature',
  top_p: 'topP',
  top_k: 'topK',
  max_tokens: 'maxOutputTokens',
  presence_penalty: 'presencePenalty',
  frequency_penalty: 'frequencyPenalty',
  seed: 'seed',
};

export interface LanguageModelOptions {
  environment: Readonly<Record<string, string | undefined>>;
  /** Length of the first pause in milliseconds; it determines the others. Default: 1000. */
  firstPauseMs?: number;
}

/**
 * Language models over HTTP. A request is repeated when the server is overloaded or fails, until its signal fires. No
 * error and no output contains a key.
 */
export class RemoteLanguageModels implements LanguageModels {
  readonly providers = providerNames;
  readonly #environment: LanguageModelOptions['environment'];
  readonly #firstPauseMs: number;
  /** Models that refused a request with a schema and accepted it without. */
  readonly #withoutSchema = new Set<string>();

  constructor(options: LanguageModelOptions) {
    this.#environment = options.environment;
    this.#firstPauseMs = options.firstPauseMs ?? firstPauseMs;
  }

  async ask(question: Question): Promise<Answer> {
    const secrets: string[] = question.key === null ? [] : [question.key];
    let failure: string;
    try {
      const access = accessTo(question, this.#environment);
      if (access.apiKey !== undefined) secrets.push(access.apiKey);
      return await this.#answer(await openModel(access), question);
    } catch (error) {
      failure = textOf(error, question, secrets);
    }
    // A new error without a cause, because the error of the library contains the request and the response.
    throw new Error(failure);
  }

  async delay(milliseconds: number, signal: AbortSignal): Promise<void> {
    try {
      await delay(milliseconds, undefined, { signal, ref: false });
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  async #answer(model: LanguageModelV3, question: Question): Promise<Answer> {
    const name = `${question.provider}:${question.model}`;
    if (this.#withoutSchema.has(name))
      return this.#patiently(model, callOf(question, false), question.signal);
    try {
      return await this.#patiently(model, callOf(question, true), question.signal);
    } catch (error) {
      if (!isCallError(error) || (error.statusCode !== 400 && error.statusCode !== 422)) throw error;
      // The model may have refused because of the schema. If not, it will refuse again.
      const answer = await this.#patiently(model, callOf(question, false), question.signal);
      this.#withoutSchema.add(name);
      return answer;
    }
  }

  async #patiently(
    model: LanguageModelV3,
    call: LanguageModelV3CallOptions,
    signal: AbortSignal,
  ): Promise<Answer> {
    for (let tried = 1; ; tried += 1) {
      signal.throwIfAborted();
      try {
        const { content, usage } = await model.doGenerate(call);
        return {
          text: content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(''),
          tokens: { input: usage.inputTokens.total ?? 0, output: usage.outputTokens.total ?? 0 },
        };
      } catch (error) {
        if (signal.aborted || tried === mostTries || !isCallError(error) || !error.isRetryable) throw error;
        await this.delay(this.#pauseAfter(tried, error), signal);
      }
    }
  }

  #pauseAfter(tried: number, error: APICallError): number {
    const asked = Number(error.responseHeaders?.['retry-after']) * 1_000;
    const pause = asked > 0 ? asked : this.#firstPauseMs * 2 ** (tried - 1);
    return Math.min(pause, longestPauseMs);
  }
}

function callOf(question: Question, withSchema: boolean): LanguageModelV3CallOptions {
  const { provider, settings, system, messages, schema, signal } = question;
  const known = Object.entries(settings).flatMap(([key, value]) => {
    const name = Object.hasOwn(commonSettings, key) ? commonSettings[key] : undefined;
    return name === undefined ? [] : [[name, value] as const];
  });
  const special = Object.entries(settings)
    .filter(([key]) => key !== 'base_url' && !Object.hasOwn(commonSettings, key))
    .map(([key, value]) => [key === 'reasoning_effort' ? 'reasoningEffort' : key, value]);
  const described = `\n\nAnswer with JSON that fits this JSON schema and with nothing else:\n${JSON.stringify(schema)}`;
  return {
    ...(Object.fromEntries(known) as Partial<LanguageModelV3CallOptions>),
    prompt: [
      {
        role: 'system',
        content: withSchema ? system : system + described,
        // This part is the same for the whole campaign, so the provider may cache it.
        providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } },
      },
      ...messages.map(({ role, content }): LanguageModelV3Message => ({
        role,
        content: [{ type: 'text', text: content }],
      })),
    ],
    responseFormat: withSchema ? { type: 'json', name: 'suggestion', schema } : { type: 'json' },
    ...(special.length === 0
      ? {}
      : { providerOptions: { [provider]: Object.fromEntries(special) as JsonObject as never } }),
    abortSignal: signal,
  };
}

/** Recognises the error by its name, because there may be several copies of the library. */
function isCallError(error: unknown): error is APICallError {
  return error instanceof Error && error.name === 'AI_APICallError';
}

function textOf(error: unknown, { provider, model }: Question, secrets: readonly string[]): string {
  const reason = error instanceof Error ? error.message : String(error);
  const status = isCallError(error) && error.statusCode !== undefined ? ` (HTTP ${error.statusCode})` : '';
  let text = `${provider}:${model} gave no answer${status}: ${reason}`;
  for (const secret of secrets) text = text.replaceAll(secret, '***');
  return text.length > longestText ? `${text.slice(0, longestText)}…` : text;
}

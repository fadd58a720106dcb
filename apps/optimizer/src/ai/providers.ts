import type { LanguageModelV3 } from '@ai-sdk/provider';
import type { JsonObject } from '@lab/contracts';
import { boundedFetch } from './bounded-fetch.js';

export interface Address {
  model: string;
  /** Absent: the address of the provider. */
  baseURL?: string;
  apiKey?: string;
}

interface Provider {
  /** Name of the environment variable with a key. */
  variable?: string;
  /** Whether the provider requires a key. */
  needsKey: boolean;
  /** Address of the provider if `base_url` is not given. */
  baseURL?: string;
  open(address: Address & typeof transport): Promise<LanguageModelV3>;
}

const transport = { fetch: boundedFetch };

/** Any server with the chat completions interface of OpenAI. */
const compatible =
  (name: string) =>
  async ({ model, baseURL, ...rest }: Address & typeof transport): Promise<LanguageModelV3> => {
    if (baseURL === undefined) {
      throw new Error(`"${name}" needs the address of a server: base_url in ai_model_settings`);
    }
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    return createOpenAICompatible({ name, baseURL, supportsStructuredOutputs: true, ...rest })(model);
  };

/** The prefixes of `ai_model`. The code for a provider is loaded on its first use. */
const providers: Readonly<Record<string, Provider>> = {
  anthropic: {
    variable: 'ANTHROPIC_API_KEY',
    needsKey: true,
    open: async ({ model, ...rest }) => (await import('@ai-sdk/anthropic')).createAnthropic(rest)(model),
  },
  openai: {
    variable: 'OPENAI_API_KEY',
    needsKey: true,
    open: async ({ model, ...rest }) => (await import('@ai-sdk/openai')).createOpenAI(rest)(model),
  },
  google: {
    variable: 'GOOGLE_GENERATIVE_AI_API_KEY',
    needsKey: true,
    open: async ({ model, ...rest }) =>
      (await import('@ai-sdk/google')).createGoogleGenerativeAI(rest)(model),
  },
  mistral: {
    variable: 'MISTRAL_API_KEY',
    needsKey: true,
    baseURL: 'https://api.mistral.ai/v1',
    open: compatible('mistral'),
  },
  ollama: { needsKey: false, baseURL: 'http://127.0.0.1:11434/v1', open: compatible('ollama') },
  local: { needsKey: false, open: compatible('local') },
  'openai-compatible': { needsKey: false, open: compatible('openai-compatible') },
};

export const providerNames: readonly string[] = Object.keys(providers);

export interface Access extends Address {
  provider: string;
}

/**
 * Finds out how to reach a model.
 *
 * @param key the key of the author; a key of the environment is sent only to the provider's own address, so that a
 *   person who chooses another address cannot get it
 * @throws Error that names the missing or wrong setting
 */
export function accessTo(
  question: { provider: string; model: string; settings: JsonObject; key: string | null },
  environment: Readonly<Record<string, string | undefined>>,
): Access {
  const { provider, model, settings, key } = question;
  const known = Object.hasOwn(providers, provider) ? providers[provider] : undefined;
  if (known === undefined) {
    throw new Error(`"${provider}" is no supported provider; there are ${providerNames.join(', ')}`);
  }
  const { variable, needsKey } = known;
  const elsewhere = settings['base_url'];
  if (elsewhere !== undefined && elsewhere !== null && !isHttpAddress(elsewhere)) {
    throw new Error('base_url in ai_model_settings must be an address that begins with http:// or https://');
  }
  const given = typeof elsewhere === 'string';
  const own = variable === undefined || given ? undefined : environment[variable] || undefined;
  const apiKey = key ?? own;
  if (apiKey === undefined && needsKey) {
    const orVariable = given
      ? '; that of the environment is not sent to another base_url'
      : `, or ${variable} in the environment of the optimizer worker`;
    throw new Error(`There is no API key for ${provider}: set ai_api_key${orVariable}`);
  }
  const baseURL = given ? elsewhere : known.baseURL;
  return {
    provider,
    model,
    ...(baseURL === undefined ? {} : { baseURL }),
    ...(apiKey === undefined ? {} : { apiKey }),
  };
}

export function openModel({ provider, ...address }: Access): Promise<LanguageModelV3> {
  return providers[provider]!.open({ ...address, ...transport });
}

function isHttpAddress(value: unknown): value is string {
  return typeof value === 'string' && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
}

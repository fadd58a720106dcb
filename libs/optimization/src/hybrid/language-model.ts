import type { JsonObject } from '@lab/sdk';
import type { OptimizerClock } from '../optimizer/bayesian.js';

/** One message of a conversation with a language model. */
export interface Message {
  role: 'user' | 'assistant';
  content: string;
}

export interface Question {
  /** One of {@link LanguageModels.providers}. */
  provider: string;
  /** Name of the model at its provider: what follows the first colon of `ai_model`. */
  model: string;
  /** `ai_model_settings`, as the author gave them: a temperature, the address of a local server. */
  settings: JsonObject;
  /** `ai_api_key`; null: as the environment has it. A secret: it goes into the request and nowhere else. */
  key: string | null;
  /** What stays the same from question to question of a campaign, which providers may keep. */
  system: string;
  messages: readonly Message[];
  /** JSON schema of the answer. A model that knows of no schemas may be asked without. */
  schema: JsonObject;
  /** Aborted when nobody waits for the answer any more. */
  signal: AbortSignal;
}

export interface Answer {
  /** JSON, if the model kept to the schema; nothing of it is believed. */
  text: string;
  tokens: { input: number; output: number };
}

/** Language models, as a host reaches them. */
export interface LanguageModels {
  /** What may stand before the colon of `ai_model`. */
  readonly providers: readonly string[];
  /**
   * Asks once; what is worth asking again for (too many requests, a server in trouble) is the business of the host.
   *
   * @throws when there is no answer; no error holds a key
   */
  ask(question: Question): Promise<Answer>;
  /** Fulfilled after so many milliseconds, or earlier when the signal is aborted. */
  delay(milliseconds: number, signal: AbortSignal): Promise<void>;
}

/** What a hybrid optimizer takes from where it runs. */
export interface OptimizerHost {
  /** For the time limits of the plugged-in optimizer. */
  clock: OptimizerClock;
  models: LanguageModels;
  /** What the protocol of the campaign does, in words, for the AI. Default: nothing is said. */
  protocol?: string;
}

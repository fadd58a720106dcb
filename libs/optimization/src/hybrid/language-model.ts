import type { JsonObject } from '@lab/sdk';
import type { OptimizerClock } from '../optimizer/bayesian.js';

export interface Message {
  role: 'user' | 'assistant';
  content: string;
}

export interface Question {
  /** One of {@link LanguageModels.providers}. */
  provider: string;
  /** Name of the model at its provider: the part after the first colon of `ai_model`. */
  model: string;
  /** `ai_model_settings`, as the author gave them: a temperature, the address of a local server. */
  settings: JsonObject;
  /** `ai_api_key`; null: the key in the environment. It is a secret, used only in the request. */
  key: string | null;
  /** The part that does not change between questions of a campaign, which providers may cache. */
  system: string;
  messages: readonly Message[];
  /** JSON schema of the answer. A model without schema support may be asked without it. */
  schema: JsonObject;
  /** Aborted when nobody waits for the answer. */
  signal: AbortSignal;
}

export interface Answer {
  /** JSON if the model kept to the schema. It is not trusted. */
  text: string;
  tokens: { input: number; output: number };
}

/** Language models that a host can reach. */
export interface LanguageModels {
  /** Allowed values before the colon of `ai_model`. */
  readonly providers: readonly string[];
  /** Asks once; the host repeats requests that a server refuses. @throws without an answer; never with a key */
  ask(question: Question): Promise<Answer>;
  /** Resolves after this number of milliseconds, or earlier when the signal is aborted. */
  delay(milliseconds: number, signal: AbortSignal): Promise<void>;
}

export interface OptimizerHost {
  /** For the time limits of the plugged-in optimizer. */
  clock: OptimizerClock;
  models: LanguageModels;
  /** Description of the protocol of the campaign for the AI. Default: none. */
  protocol?: string;
}

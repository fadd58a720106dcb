import type { Fault } from '@lab/contracts';
import { ServiceError } from '@lab/contracts/vocabulary';
import type { Domain } from '../domain/domain.js';
import type { Point } from '../domain/space.js';
import { invalid } from '../optimizer/settings.js';
import type { Answer, LanguageModels, Message } from './language-model.js';
import { promptOf, type Situation } from './prompt.js';
import { suggestionSchema } from './schema.js';
import type { HybridSettings } from './settings.js';
import { readSuggestion } from './suggestion.js';

export interface Tokens {
  input: number;
  output: number;
}

/** Points that the AI suggests, or the reason why there are none. */
export type Suggestion = { tokens: Tokens } & (
  | { points: Point[]; adjusted: boolean[]; journal: string; failure?: never }
  | { failure: { code: string; message: string }; points?: never }
);

/** Most faults in one message. */
const MOST_FAULTS = 20;
/** Longest text of a fault or failure, and of a quoted answer, in characters. */
const LONGEST_TEXT = 400;
const LONGEST_QUOTATION = 20_000;

/** Asks a language model for points until its answer is valid. */
export class Suggester {
  readonly #key: string | null;
  private readonly provider: string;
  private readonly model: string;

  /**
   * @param settings with a model
   * @param key null: the key in the environment
   * @throws ServiceError `invalid` when the provider of the model is unknown
   */
  constructor(
    private readonly models: LanguageModels,
    private readonly settings: HybridSettings,
    key: string | null,
  ) {
    [this.provider, this.model] = [settings.model!.provider, settings.model!.name];
    this.#key = key;
    if (!models.providers.includes(this.provider)) {
      throw invalid('The AI cannot be asked', [
        {
          path: 'ai_model',
          code: 'provider',
          message: `"${this.provider}" is no supported provider`,
          hint: `Providers: ${models.providers.join(', ')}`,
        },
      ]);
    }
  }

  /** Never throws: every error becomes a failure whose text contains no key. */
  async suggest(situation: Situation, domain: Domain): Promise<Suggestion> {
    const ended = new AbortController();
    const late = new AbortController();
    const tokens: Tokens = { input: 0, output: 0 };
    try {
      return await Promise.race([
        this.converse(situation, domain, tokens, late.signal),
        this.expiry(ended.signal, late),
      ]);
    } catch (error) {
      const spent = { tokens: { ...tokens } };
      if (late.signal.aborted) {
        const message = `No valid suggestion came within ${this.settings.timeLimit} s`;
        return { ...spent, failure: { code: 'deadline', message } };
      }
      const text = error instanceof Error ? error.message : String(error);
      return { ...spent, failure: { code: 'model_error', message: this.publishable(text) } };
    } finally {
      ended.abort();
    }
  }

  /** Fails at the end of the time limit, unless nobody waits any more; open requests are aborted. */
  private async expiry(ended: AbortSignal, late: AbortController): Promise<never> {
    await this.models.delay(this.settings.timeLimit * 1000, ended);
    if (!ended.aborted) late.abort();
    throw new ServiceError('deadline_exceeded', 'The time limit is over');
  }

  private async converse(
    situation: Situation,
    domain: Domain,
    tokens: Tokens,
    signal: AbortSignal,
  ): Promise<Suggestion> {
    const { retries, modelSettings } = this.settings;
    const { count, ended, underWay } = situation;
    const { system, request } = promptOf(situation);
    const schema = suggestionSchema(domain.space, count);
    const known = { done: ended.map(({ point }) => point), pending: underWay.map(({ point }) => point) };
    const messages: Message[] = [{ role: 'user', content: request }];
    for (let attempt = 0; ; attempt += 1) {
      signal.throwIfAborted();
      const answer = await this.models.ask({
        provider: this.provider,
        model: this.model,
        settings: modelSettings,
        key: this.#key,
        system,
        messages: [...messages],
        schema,
        signal,
      });
      tokens.input += countOf(answer?.tokens?.input);
      tokens.output += countOf(answer?.tokens?.output);
      const reading = readSuggestion(answer?.text, { domain, count, known });
      if (reading.points !== undefined) return { ...reading, tokens: { ...tokens } };
      const faults = described(reading.faults);
      if (attempt === retries) {
        const asked = retries === 0 ? '' : ` after ${retries + 1} questions`;
        const failure = {
          code: 'invalid_output',
          message: this.publishable(`The suggestion is invalid${asked}: ${faults[0]!}`),
        };
        return { failure, tokens: { ...tokens } };
      }
      messages.push(
        { role: 'assistant', content: quoted(answer) },
        { role: 'user', content: repair(faults) },
      );
    }
  }

  /** A text that may be stored and shown: short, on one line, without the key. */
  private publishable(text: string): string {
    const open = this.#key === null ? text : text.replaceAll(this.#key, '***');
    return shortened(open.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim());
  }
}

function countOf(tokens: unknown): number {
  return typeof tokens === 'number' && Number.isFinite(tokens) && tokens > 0 ? tokens : 0;
}

function shortened(text: string): string {
  return text.length <= LONGEST_TEXT ? text : `${text.slice(0, LONGEST_TEXT)}…`;
}

function described(faults: readonly Fault[]): string[] {
  return faults.map(({ path, message, hint }) =>
    shortened(`${path === '' ? '' : `${path}: `}${message}${hint === undefined ? '' : `. ${hint}`}`),
  );
}

/** The earlier turn of the model in the form that providers accept, which may not be empty. */
function quoted(answer: Answer): string {
  const text = typeof answer?.text === 'string' ? answer.text.slice(0, LONGEST_QUOTATION) : '';
  return text.trim() === '' ? '(no text)' : text;
}

function repair(faults: readonly string[]): string {
  const more = faults.length > MOST_FAULTS ? [`and ${faults.length - MOST_FAULTS} more`] : [];
  return [
    'This answer cannot be used:',
    ...[...faults.slice(0, MOST_FAULTS), ...more].map((fault) => `- ${fault}`),
    'Give the whole answer again, with these faults mended.',
  ].join('\n');
}

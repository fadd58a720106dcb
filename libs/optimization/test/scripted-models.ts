import type { Answer, LanguageModels, OptimizerHost, Question } from '../src/index.js';

/** What a model says: a text, or rows with a journal. */
export type Said = string | { journal?: unknown; suggestions: unknown };

/** Language models whose answers a test decides, and whose time it lets pass. */
export class ScriptedModels implements LanguageModels {
  readonly providers = ['script'];
  readonly questions: Question[] = [];
  readonly delays: number[] = [];
  private endOfTime: () => void = () => undefined;

  /** @param say the answer to a question, the first being number 0; what it throws is the error of the model */
  constructor(private readonly say: (question: Question, number: number) => Said | Promise<Said>) {}

  async ask(question: Question): Promise<Answer> {
    const number = this.questions.push(question) - 1;
    const said = await this.say(question, number);
    return {
      text: typeof said === 'string' ? said : JSON.stringify(said),
      tokens: { input: 100, output: 10 },
    };
  }

  delay(milliseconds: number, signal: AbortSignal): Promise<void> {
    this.delays.push(milliseconds);
    return new Promise((resolve) => {
      this.endOfTime = resolve;
      signal.addEventListener('abort', () => resolve());
    });
  }

  /** The time of the latest delay is over. */
  expire(): void {
    this.endOfTime();
  }

  host(protocol?: string): OptimizerHost {
    return { clock: { now: () => 0 }, models: this, ...(protocol === undefined ? {} : { protocol }) };
  }

  /** What the latest question asked for, without what stays the same. */
  get request(): string {
    return this.questions.at(-1)!.messages[0]!.content;
  }
}

import type { Answer, LanguageModels, OptimizerHost, Question } from '../src/index.js';

/** The answer of a model: a text, or rows with a journal. */
export type Said = string | { journal?: unknown; suggestions: unknown };

/** Language models with scripted answers and a clock that the test advances. */
export class ScriptedModels implements LanguageModels {
  readonly providers = ['script'];
  readonly questions: Question[] = [];
  readonly delays: number[] = [];
  private endOfTime: () => void = () => undefined;

  /** @param say the answer to a question, counted from 0. What it throws becomes the error of the model. */
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

  /** Ends the latest delay. */
  expire(): void {
    this.endOfTime();
  }

  host(protocol?: string): OptimizerHost {
    return { clock: { now: () => 0 }, models: this, ...(protocol === undefined ? {} : { protocol }) };
  }

  /** The latest question without its constant part. */
  get request(): string {
    return this.questions.at(-1)!.messages[0]!.content;
  }
}

import { delimited } from '../framing/index.js';
import type { Time, Twin } from '../transport/index.js';
import { patternOf } from './template.js';
import type { TextEntry } from './text-device.js';

export interface TextTwinOptions {
  functions: Readonly<Record<string, TextEntry>>;
  /** Other commands without an answer, such as those of the safe state. */
  writes: readonly string[];
  terminator: string;
  /** What ends an answer. */
  answerTerminator: string;
  /** Answers by command, or by the name of the function. */
  answers: Readonly<Record<string, string | number>>;
  latencyMs: number;
  time: Time;
  /** Commands that the protocol itself has. @returns its answer; null: it has none; undefined: it is no such command */
  common?: (command: string) => string | null | undefined;
  /** Is told a command that the twin does not know. */
  unknown?: (command: string) => void;
}

interface Known {
  name: string;
  pattern: RegExp;
  /** The usual answer; null: none. */
  answer: string | null;
}

/**
 * The twin of a device with commands of text. It knows the commands of the functions, and remembers what was set: after `VOLT 5`,
 * `VOLT?` answers 5. It does not answer what it does not know.
 */
export class TextTwin implements Twin {
  /** What was set, by the command without its arguments. */
  readonly #memory = new Map<string, string>();
  readonly #known: Known[];

  /** @throws TypeError when a function wants an answer that nobody can invent */
  constructor(private readonly options: TextTwinOptions) {
    const { answers, functions, writes } = options;
    this.#known = [
      ...writes.map((each) => ({ name: '', pattern: patternOf(each), answer: null })),
      ...Object.entries(functions).flatMap(([name, { answer, ask, write = [] }]): Known[] => {
        const written = write.map((each) => ({ name, pattern: patternOf(each), answer: null }));
        if (ask === undefined) return written;
        if (answer.pattern !== undefined && !Object.hasOwn(answers, name) && !Object.hasOwn(answers, ask))
          throw new TypeError(
            `init_parameters.simulate.answers.${name}: is needed, because the twin cannot invent an answer that matches ${answer.pattern}`,
          );
        return [...written, { name, pattern: patternOf(ask), answer: usual[answer.type] }];
      }),
    ];
  }

  connect(send: (bytes: Buffer) => void): { receive(bytes: Buffer): void } {
    const { answerTerminator, latencyMs, terminator, time } = this.options;
    const framer = delimited(terminator);
    return {
      receive: (bytes) => {
        for (const frame of framer.take(bytes)) {
          const answer = this.#answerTo(frame.toString('utf8').trim());
          if (answer === null) continue;
          const reply = (): void => send(Buffer.from(answer + answerTerminator));
          if (latencyMs > 0) time.after(latencyMs, reply);
          else reply();
        }
      },
    };
  }

  #answerTo(command: string): string | null {
    const { answers, common, unknown } = this.options;
    const ofProtocol = common?.(command);
    if (ofProtocol !== undefined) return ofProtocol;
    if (Object.hasOwn(answers, command)) return String(answers[command]);
    const known = this.#known.find(({ pattern }) => pattern.test(command));
    const [, head = command, rest] = /^(\S+)\s+(.*)$/.exec(command) ?? [];
    if (known !== undefined && Object.hasOwn(answers, known.name) && known.answer !== null)
      return String(answers[known.name]);
    if (head.endsWith('?')) {
      const set = this.#memory.get(head.slice(0, -1));
      if (set !== undefined) return set;
    }
    if (known === undefined) unknown?.(command);
    else if (known.answer === null && rest !== undefined) this.#memory.set(head, rest);
    return known?.answer ?? null;
  }
}

/** An answer that a function accepts, by the type of its answer. */
const usual: Record<TextEntry['answer']['type'], string> = {
  float: '0',
  int: '0',
  bool: '0',
  floats: '0',
  str: 'twin',
  block: '#10',
  none: 'OK',
};

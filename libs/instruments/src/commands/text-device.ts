import type { CallInDoubt, JsonObject, JsonValue, Reconciliation } from '@lab/sdk';
import { z } from 'zod';
import { functionEntry } from '../settings/index.js';
import { commonSettings, LinkedDevice, replaySettings, type Protocol } from '../device/index.js';
import type { Exchange, Reading, Request } from '../link/index.js';
import { answerSpec, readAnswer, regularExpression, type AnswerSpec } from './answer.js';
import { Identity, type IdentitySpec } from './identity.js';
import { filled, placesOf } from './template.js';

const command = z.string().min(1).max(10_000);
const commands = z
  .union([command, z.array(command).min(1)])
  .transform((given) => (Array.isArray(given) ? given : [given]));

/** An entry of `functions`: commands without an answer first, then at most one with an answer. */
export const textEntry = functionEntry.extend({
  write: commands.optional(),
  ask: command.optional(),
  answer: answerSpec.default({ type: 'str' }),
});

/** `simulate` of a device with commands of text. */
export const textSimulation = z.strictObject({
  /** Answers by command, or by the name of the function. */
  answers: z.record(z.string(), z.union([z.string(), z.number()])).default({}),
  /** Seconds until the twin answers. */
  latency: z.number().min(0).max(3_600).default(0),
});

/** @param simulate of the settings */
export function simulationOf(simulate: unknown): z.output<typeof textSimulation> {
  return textSimulation.parse(typeof simulate === 'boolean' ? {} : simulate);
}

/** The init parameters that devices with commands of text have. */
export const textSettings = {
  ...commonSettings,
  simulate: z.union([z.boolean(), replaySettings, textSimulation]).default(false),
  functions: z.record(z.string(), textEntry).default({}),
  /** Commands that make the instrument safe. They have no answer. */
  safe_state: z.array(command).default([]),
  /** What shows that nothing moves, asked after a call with an unknown end. */
  idle: z.strictObject({ ask: command, expect: regularExpression }).optional(),
  /** What an answer looks like that refuses a command. */
  refused: regularExpression.optional(),
  /** What ends a command, and an answer. */
  terminator: z.string().min(1).max(8).default('\n'),
};

export type TextSettings = z.output<z.ZodObject<typeof textSettings>>;
export type TextEntry = z.output<typeof textEntry>;

/** Characters that no argument may have, because they would end a command. */
// eslint-disable-next-line no-control-regex -- control characters are what is forbidden
const control = /[\u0000-\u001f\u007f]/;

type Question = Request<JsonValue | undefined>;

const asText: AnswerSpec = { type: 'str' };

/** A device whose commands and answers are text, from a table in its init parameters. */
export abstract class TextDevice<Settings extends TextSettings> extends LinkedDevice<Settings> {
  /** Characters that an argument may not have. */
  protected readonly forbidden: RegExp = control;
  protected identity: Identity | undefined;
  /** The last question of each kind of answer. */
  readonly #questions = new WeakMap<AnswerSpec, Question>();

  protected override get hasSafeState(): boolean {
    return this.settings.safe_state.length > 0;
  }

  protected override check({ functions }: Settings): void {
    for (const [name, entry] of Object.entries(functions)) {
      const where = `init_parameters.functions.${name}`;
      const { ask, parameters, write = [] } = entry;
      if (ask === undefined && write.length === 0)
        throw new TypeError(
          `${where}: needs ask (a command with an answer), or write (commands without one)`,
        );
      if (ask === undefined && entry.kind === 'query') throw new TypeError(`${where}: a query needs ask`);
      const places = [...write, ask ?? ''].flatMap(placesOf);
      for (const place of places)
        if (!Object.hasOwn(parameters, place))
          throw new TypeError(
            `${where}: {${place}} is no parameter: it has ${Object.keys(parameters).join(', ') || 'none'}`,
          );
      for (const parameter of Object.keys(parameters))
        if (!places.includes(parameter))
          throw new TypeError(`${where}.parameters.${parameter}: no command uses {${parameter}}`);
    }
  }

  protected override async carryOut(
    entry: Settings['functions'][string],
    given: JsonObject,
  ): Promise<JsonValue | undefined> {
    const { answer, ask, kind, write = [] } = entry as TextEntry;
    const timeoutMs = this.timeoutMs(entry);
    // Most calls are a single question.
    if (ask !== undefined && kind === 'query' && write.length === 0)
      return this.ask(filled(ask, given, this.forbidden), answer, timeoutMs);
    // All texts are made first, so that a wrong argument leaves the instrument alone.
    const written = write.map((each) => filled(each, given, this.forbidden));
    const asked = ask === undefined ? undefined : filled(ask, given, this.forbidden);
    return this.inSteps([
      ...written.map((text) => () => this.write(text, timeoutMs)),
      ...(asked === undefined ? [] : [() => this.ask(asked, answer, timeoutMs)]),
      ...this.after(entry as TextEntry),
    ]);
  }

  /** What is exchanged after the commands of a function. */
  protected after(_entry: TextEntry): (() => Promise<undefined>)[] {
    return [];
  }

  /**
   * Sends a command that has no answer.
   *
   * @throws NotBegun no byte left; ExchangeError the instrument may have taken it
   */
  protected async write(text: string, timeoutMs = this.timeoutMs({})): Promise<undefined> {
    await this.exchange(this.requestOf(text, timeoutMs));
  }

  /**
   * Sends a command and reads its answer.
   *
   * @throws NotBegun no byte left; any other error: the instrument may have carried it out
   */
  protected ask(
    text: string,
    answer: AnswerSpec = asText,
    timeoutMs = this.timeoutMs({}),
  ): Promise<JsonValue | undefined> {
    return this.exchange(this.#questionOf(text, answer, timeoutMs));
  }

  /** The request for a question. A device asks most of its questions again and again, with the same text. */
  #questionOf(text: string, answer: AnswerSpec, timeoutMs: number): Question {
    const last = this.#questions.get(answer);
    if (last?.name === text && last.timeoutMs === timeoutMs) return last;
    const question: Question = {
      ...this.requestOf(text, timeoutMs),
      read: (frame) => this.#reading(frame, answer, text),
    };
    this.#questions.set(answer, question);
    return question;
  }

  /** Reads a frame as the answer to a command. An old answer to the question for the identity is none. */
  #reading(frame: Buffer, answer: AnswerSpec, command: string): Reading<JsonValue | undefined> {
    if (answer.type === 'block' && frame[0] === 0x23) return { answer: readAnswer(answer, frame) };
    const { refused } = this.settings;
    const text = frame.toString('utf8').trim();
    if (this.identity?.marks(text, command) === true) return 'other';
    if (refused !== undefined && new RegExp(refused).test(text))
      return { refused: new Error(`${command}: the instrument answered ${JSON.stringify(text)}`) };
    return { answer: readAnswer(answer, frame, text) };
  }

  /** What a link does with the question for the identity, if there is one. */
  protected identified(spec: IdentitySpec | undefined): Partial<Protocol> {
    if (spec === undefined) return {};
    const identity = new Identity(spec, (text) => this.requestOf(text, this.timeoutMs({})));
    this.identity = identity;
    const check = (exchange: Exchange): Promise<void> => identity.check(exchange);
    return { greet: check, sync: check, beat: check };
  }

  protected requestOf(text: string, timeoutMs: number): Omit<Request<never>, 'read'> {
    return { name: text, bytes: Buffer.from(text + this.settings.terminator), timeoutMs };
  }

  protected override async makeSafe(exchange: Exchange, urgent: boolean): Promise<void> {
    for (const text of this.settings.safe_state)
      await exchange({ ...this.requestOf(text, this.timeoutMs({})), urgent });
  }

  protected override async findIdle(
    { idle }: Settings,
    exchange: Exchange,
    _inDoubt: readonly CallInDoubt[],
  ): Promise<Reconciliation> {
    if (idle === undefined)
      return { idle: false, detail: 'the init parameter idle does not say how to find out' };
    const text = await exchange({
      ...this.requestOf(idle.ask, this.timeoutMs({})),
      read: (frame: Buffer) => ({ answer: frame.toString('utf8').trim() }),
    });
    return { idle: new RegExp(idle.expect).test(text), detail: `${idle.ask} answered ${text}` };
  }
}

import type { RuntimeParameters } from '@lab/sdk';
import { Domain } from '../domain/domain.js';
import type { Space } from '../domain/space.js';
import type { Run } from '../optimizer/runs.js';
import type { LanguageModels } from './language-model.js';
import { beliefsOf } from './plugged-in.js';
import type { RunDetails } from './records.js';
import { RunLog } from './run-log.js';
import {
  changedHybridSettings,
  hybridFields,
  hybridRuntimeParametersOf,
  hybridSettingsOf,
  type HybridArguments,
} from './settings.js';
import { Suggester, type Suggestion } from './suggester.js';

/** Constructor arguments of the hybrid optimizer that are settings of the AI, with the key. */
export type AiArguments = Omit<HybridArguments, 'inputs' | 'outputs' | 'constraints'>;

/** Plain JSON. */
export interface SuggestionQuestion {
  /** With the present runtime parameters. */
  arguments: AiArguments;
  space: Space;
  /** Description of the protocol; empty: none. */
  protocol: string;
  /** In the order of their begin. */
  runs: readonly Run[];
  details: readonly RunDetails[];
  /** What the plugged-in optimizer explains; null: nothing. */
  belief: unknown;
  /** New remarks of people. */
  insights: readonly string[];
  /** Rows wanted. */
  count: number;
}

/**
 * What the hybrid optimizer does without the object that an author plugs in: the rules of its settings, and suggestions of the
 * AI. A hybrid optimizer in another language keeps the runs, draws the source and lets its plugged-in optimizer propose, and
 * has these parts from its host. They keep no state between calls.
 */
export class HybridParts {
  constructor(private readonly models: LanguageModels) {}

  /**
   * Checks the settings of the AI and the domain, and changes runtime parameters.
   *
   * @param change runtime parameters; setting one probability sets the other
   * @throws ServiceError `invalid` with a fault for everything that is wrong, also when `p_ai` is above 0 and the provider of the
   *   model is unknown
   */
  settings(args: AiArguments, space: Space, change: RuntimeParameters) {
    Domain.of(space);
    const settings = changedHybridSettings(this.settled(args, space), change);
    // It refuses an unknown provider.
    if (settings.pAi > 0) new Suggester(this.models, settings, null);
    return {
      p_ai: settings.pAi,
      runtime_params: hybridRuntimeParametersOf(settings),
      additional_names: [...settings.additionalParameters],
      fields: hybridFields.map((field) => ({ ...field })),
    };
  }

  /** @throws ServiceError as {@link settings}; a model that fails is no error, but a failure in the answer */
  suggestion(question: SuggestionQuestion): Promise<Suggestion> {
    const { arguments: args, space, protocol, runs, details, belief, insights, count } = question;
    const settings = this.settled(args, space);
    const log = new RunLog();
    log.tell(details);
    const situation = {
      ...settings,
      ...log.situation(runs),
      ...{ space, protocol, insights, count },
      beliefs: beliefsOf({ explain: () => belief }),
    };
    const suggester = new Suggester(this.models, settings, args.ai_api_key ?? null);
    return suggester.suggest(situation, Domain.of(space));
  }

  private settled(args: AiArguments, { inputs, outputs, constraints }: Space) {
    return hybridSettingsOf({ ...args, inputs, outputs, constraints });
  }
}

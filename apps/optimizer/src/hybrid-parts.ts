import type { JsonObject } from '@lab/contracts';
import {
  HybridParts,
  type AiArguments,
  type LanguageModels,
  type SuggestionQuestion,
} from '@lab/optimization';
import { processEnvironment } from '@lab/runtime/light';
import type { RuntimeParameters } from '@lab/sdk';
import { RemoteLanguageModels } from './ai/language-models.js';
import type { Lend } from './lent.js';

/**
 * The parts of the hybrid optimizer for processes in another language. The worker loads this module, with all numerics, when the
 * first such process asks; so it is in no bundle, like the program of an optimizer.
 */

const models = new RemoteLanguageModels({ environment: processEnvironment() });

/** The process is the author's, like the content of its questions; a wrong one fails its call. */
export const lend: Lend = async (name, args, gone) => {
  const parts = new HybridParts(abortedBy(gone));
  if (name === 'hybrid_settings') {
    const asked = args as unknown as SettingsQuestion;
    return plain(parts.settings(asked.arguments, asked.space, asked.change));
  }
  if (name === 'hybrid_suggestion')
    return plain(await parts.suggestion(args as unknown as SuggestionQuestion));
  throw new Error(`the worker lends no "${name}"; it lends hybrid_settings and hybrid_suggestion`);
};

interface SettingsQuestion {
  arguments: AiArguments;
  space: SuggestionQuestion['space'];
  change: RuntimeParameters;
}

/** The models, whose open questions end when a process has ended. */
function abortedBy(gone: AbortSignal): LanguageModels {
  return {
    providers: models.providers,
    ask: (question) => models.ask({ ...question, signal: AbortSignal.any([question.signal, gone]) }),
    delay: (milliseconds, signal) => models.delay(milliseconds, signal),
  };
}

function plain(answer: object): JsonObject {
  return answer as JsonObject;
}

import { processEnvironment, steadyClock } from '@lab/runtime';
import { hostOptimizer } from '@lab/sdk/optimizer-host';
import { RemoteLanguageModels } from './ai/language-models.js';

/** The program of the process of one optimizer. */

const models = new RemoteLanguageModels({ environment: processEnvironment() });
hostOptimizer({ for: (protocol) => ({ clock: steadyClock, models, protocol }) });

import { hostOptimizer } from '@lab/sdk/optimizer-host';
import { RemoteLanguageModels } from './ai/language-models.js';

/**
 * The program of the process of one optimizer. There is one per campaign, so it loads little: nothing of the libraries of the
 * service is imported but by type, and no library of a provider before it is asked.
 */

hostOptimizer((environment) => ({
  clock: { now: () => performance.now() },
  models: new RemoteLanguageModels({ environment }),
}));

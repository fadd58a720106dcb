import { hostOptimizer } from '@lab/sdk/optimizer-host';
import { RemoteLanguageModels } from './ai/language-models.js';

/**
 * The program of an optimizer process. Each campaign has one, so it loads little: only types of the service's
 * libraries, and the library of an AI provider on its first use.
 */

hostOptimizer((environment) => ({
  clock: { now: () => performance.now() },
  models: new RemoteLanguageModels({ environment }),
}));

import { hostOptimizer } from '@lab/sdk/optimizer-host';

/** The program of the process of one optimizer. */

hostOptimizer({ for: () => ({ now: () => performance.now() }) });

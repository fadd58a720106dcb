import { accessDe } from './de/access.js';
import { benchDe } from './de/bench.js';
import { computersDe } from './de/computers.js';
import { de } from './de/main.js';
import { decisionDe } from './de/decision.js';
import { deviceDe } from './de/device.js';
import { optimizerDe } from './de/optimizer.js';
import { queueDe } from './de/queue.js';
import { resourcesDe } from './de/resources.js';
import { scheduleDe } from './de/schedule.js';
import { submitDe } from './de/submit.js';
import { usageDe } from './de/usage.js';
import { workDe } from './de/work.js';
import type { Catalogue } from './english.js';

/** All texts of the page in German. */
export const german: Catalogue = {
  ...de,
  ...workDe,
  ...submitDe,
  ...deviceDe,
  ...scheduleDe,
  ...accessDe,
  ...decisionDe,
  ...computersDe,
  ...queueDe,
  ...resourcesDe,
  ...benchDe,
  ...optimizerDe,
  ...usageDe,
};

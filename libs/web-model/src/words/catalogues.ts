import { accessDe } from './de/access.js';
import { accessEn } from './en/access.js';
import { computersDe } from './de/computers.js';
import { computersEn } from './en/computers.js';
import { benchDe } from './de/bench.js';
import { benchEn } from './en/bench.js';
import { de } from './de/main.js';
import { decisionDe } from './de/decision.js';
import { decisionEn } from './en/decision.js';
import { deviceDe } from './de/device.js';
import { deviceEn } from './en/device.js';
import { en } from './en/main.js';
import { optimizerDe } from './de/optimizer.js';
import { optimizerEn } from './en/optimizer.js';
import { queueDe } from './de/queue.js';
import { queueEn } from './en/queue.js';
import { resourcesDe } from './de/resources.js';
import { resourcesEn } from './en/resources.js';
import { scheduleDe } from './de/schedule.js';
import { scheduleEn } from './en/schedule.js';
import { submitDe } from './de/submit.js';
import { submitEn } from './en/submit.js';
import { usageDe } from './de/usage.js';
import { usageEn } from './en/usage.js';
import { workDe } from './de/work.js';
import { workEn } from './en/work.js';

/** All texts of the page in English, in the syntax of ICU MessageFormat. */
export const english = {
  ...en,
  ...workEn,
  ...submitEn,
  ...deviceEn,
  ...scheduleEn,
  ...accessEn,
  ...decisionEn,
  ...computersEn,
  ...queueEn,
  ...resourcesEn,
  ...benchEn,
  ...optimizerEn,
  ...usageEn,
};

/** All texts of the page in German. */
export const german: Record<keyof typeof english, string> = {
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

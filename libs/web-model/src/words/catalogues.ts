import { accessDe } from './access.de.js';
import { accessEn } from './access.en.js';
import { computersDe } from './computers.de.js';
import { computersEn } from './computers.en.js';
import { benchDe } from './bench.de.js';
import { benchEn } from './bench.en.js';
import { de } from './de.js';
import { decisionDe } from './decision.de.js';
import { decisionEn } from './decision.en.js';
import { deviceDe } from './device.de.js';
import { deviceEn } from './device.en.js';
import { en } from './en.js';
import { optimizerDe } from './optimizer.de.js';
import { optimizerEn } from './optimizer.en.js';
import { queueDe } from './queue.de.js';
import { queueEn } from './queue.en.js';
import { resourcesDe } from './resources.de.js';
import { resourcesEn } from './resources.en.js';
import { scheduleDe } from './schedule.de.js';
import { scheduleEn } from './schedule.en.js';
import { submitDe } from './submit.de.js';
import { submitEn } from './submit.en.js';
import { workDe } from './work.de.js';
import { workEn } from './work.en.js';

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
};

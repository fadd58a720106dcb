import { accessEn } from './en/access.js';
import { benchEn } from './en/bench.js';
import { computersEn } from './en/computers.js';
import { decisionEn } from './en/decision.js';
import { deviceEn } from './en/device.js';
import { en } from './en/main.js';
import { optimizerEn } from './en/optimizer.js';
import { queueEn } from './en/queue.js';
import { resourcesEn } from './en/resources.js';
import { scheduleEn } from './en/schedule.js';
import { submitEn } from './en/submit.js';
import { usageEn } from './en/usage.js';
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

export type WordKey = keyof typeof english;
/** The texts of one language. */
export type Catalogue = Readonly<Record<WordKey, string>>;

import type { Catalogue } from './english.js';

export type { Catalogue, WordKey } from './english.js';

export const languages = ['en', 'de'] as const;
export type Language = (typeof languages)[number];

/** Each is a part of the page of its own, so that a browser loads the language that it shows alone. */
const loads: Readonly<Record<Language, () => Promise<Catalogue>>> = {
  en: async () => (await import('./english.js')).english,
  de: async () => (await import('./german.js')).german,
};

/** Loads the texts of a language. @throws Error when the service does not give them */
export const catalogueOf = (language: Language): Promise<Catalogue> => loads[language]();

/** The language among those of the page that fits the wishes of a browser best. */
export function languageFor(wishes: readonly string[]): Language {
  for (const wish of wishes) {
    const found = languages.find((language) => wish.toLowerCase().split('-')[0] === language);
    if (found !== undefined) return found;
  }
  return 'en';
}

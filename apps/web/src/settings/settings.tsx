import { catalogueOf, languageFor, languages, Words, type Catalogue, type Language } from '@lab/web-model';
import { createContext, useContext, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';

export const themes = ['system', 'light', 'dark'] as const;
export const zones = ['mine', 'lab'] as const;

/** What a person chose for this browser. */
export interface Settings {
  theme: (typeof themes)[number];
  language: Language;
  zone: (typeof zones)[number];
  sound: boolean;
}

interface SettingsState {
  settings: Settings;
  /** Another language shows once its texts are loaded. */
  change(change: Partial<Settings>): void;
  words: Words;
  /** The texts of the language that was chosen last could not be loaded. */
  isLanguageMissing: boolean;
}

const storageKey = 'svc-settings';
const Context = createContext<SettingsState | undefined>(undefined);

/** Time zone of the server, which wrote it into the page; undefined: it did not say. */
export const serverZone = document.documentElement.dataset['zone'] || undefined;
/** Address at which clients reach the service, which wrote it into the page; undefined: it did not say. */
export const serviceAddress = document.documentElement.dataset['address'] || undefined;
export const ownZone = new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** @param texts of the language of {@link storedSettings} */
export function SettingsProvider({ texts, children }: { texts: Catalogue; children: ReactNode }): ReactNode {
  const [settings, setSettings] = useState(storedSettings);
  const [catalogue, setCatalogue] = useState(texts);
  const [isLanguageMissing, setLanguageMissing] = useState(false);
  const asked = useRef(settings.language);
  const { theme, language, zone } = settings;
  useEffect(() => {
    try {
      localStorage.setItem(storageKey, JSON.stringify(settings));
    } catch {
      // A browser may forbid it. The choice then lasts as long as the page.
    }
  }, [settings]);
  useEffect(() => {
    const { documentElement: root } = document;
    root.lang = language;
    if (theme === 'system') delete root.dataset['theme'];
    else root.dataset['theme'] = theme;
  }, [theme, language]);
  const state = useMemo((): SettingsState => {
    const apply = (change: Partial<Settings>): void => setSettings((before) => ({ ...before, ...change }));
    return {
      ...{ settings, isLanguageMissing },
      change(change) {
        const { language: wanted = language, ...rest } = change;
        apply(rest);
        if (wanted === asked.current) return;
        asked.current = wanted;
        setLanguageMissing(false);
        catalogueOf(wanted).then(
          (found) => {
            if (asked.current !== wanted) return;
            setCatalogue(found);
            apply({ language: wanted });
          },
          () => {
            if (asked.current !== wanted) return;
            asked.current = language;
            setLanguageMissing(true);
          },
        );
      },
      words: new Words(language, catalogue, zone === 'lab' ? serverZone : undefined),
    };
  }, [settings, catalogue, isLanguageMissing, language, zone]);
  return <Context.Provider value={state}>{children}</Context.Provider>;
}

export function useSettings(): SettingsState {
  const state = useContext(Context);
  if (state === undefined) throw new Error('there are no settings around this component');
  return state;
}

export const useWords = (): Words => useSettings().words;

/** What was stored, without values that this release does not know. */
export function storedSettings(): Settings {
  const usual: Settings = {
    theme: 'system',
    language: languageFor(navigator.languages),
    zone: 'mine',
    sound: false,
  };
  try {
    const { theme, language, zone, sound } = JSON.parse(
      localStorage.getItem(storageKey) ?? '{}',
    ) as Partial<Settings>;
    return {
      theme: themes.find((each) => each === theme) ?? usual.theme,
      language: languages.find((each) => each === language) ?? usual.language,
      zone: zones.find((each) => each === zone) ?? usual.zone,
      sound: sound === true,
    };
  } catch {
    return usual;
  }
}

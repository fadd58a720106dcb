import { catalogueOf } from '@lab/web-model';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.js';
import { SettingsProvider, storedSettings } from './settings/index.js';
import './styles.js';

const place = document.getElementById('page');
if (place === null) throw new Error('the page has no place for its content');
// Nothing shows before the texts are there, so that no text changes its language before the eyes of a person.
catalogueOf(storedSettings().language).then(
  (texts) =>
    createRoot(place).render(
      <StrictMode>
        <SettingsProvider texts={texts}>
          <App />
        </SettingsProvider>
      </StrictMode>,
    ),
  () => {
    // No catalogue has these words.
    place.setAttribute('role', 'alert');
    place.textContent =
      'The page could not be loaded. Load it again. / Die Seite wurde nicht geladen. Laden Sie sie neu.';
  },
);

import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.js';
import { SettingsProvider } from './settings/index.js';
import './styles.js';

const place = document.getElementById('page');
if (place === null) throw new Error('the page has no place for its content');
createRoot(place).render(
  <StrictMode>
    <SettingsProvider>
      <App />
    </SettingsProvider>
  </StrictMode>,
);

export {
  ownZone,
  serverZone,
  SettingsProvider,
  themes,
  useSettings,
  useWords,
  zones,
  type Settings,
} from './settings.js';

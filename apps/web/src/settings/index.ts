export {
  ownZone,
  serverZone,
  serviceAddress,
  SettingsProvider,
  storedSettings,
  themes,
  useSettings,
  useWords,
  zones,
  type Settings,
} from './settings.js';

export {
  ownZone,
  serverZone,
  serviceAddress,
  SettingsProvider,
  themes,
  useSettings,
  useWords,
  zones,
  type Settings,
} from './settings.js';

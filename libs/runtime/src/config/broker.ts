import type { ConfigOf } from './load-config.js';
import { defineConfig } from './load-config.js';
import { settings } from './settings.js';

/** The settings of a process that connects to the broker. */
export const brokerSettings = {
  natsUrl: settings.natsUrl,
  natsCredentials: settings.natsCredentials,
  natsPlain: settings.natsPlain,
  tlsCa: settings.tlsCa,
  httpsProxy: settings.httpsProxy,
};

const brokerConfig = defineConfig(brokerSettings);

/** The broker of a configuration, as `connectBus` expects it. */
export function brokerOf(config: ConfigOf<typeof brokerConfig>) {
  return {
    url: config.natsUrl.reveal(),
    plain: config.natsPlain,
    credentials: config.natsCredentials?.reveal(),
    authorities: config.tlsCa?.reveal(),
    proxy: config.httpsProxy?.reveal(),
  };
}

import type { ConfigOf } from './load-config.js';
import type { defineConfig } from './load-config.js';
import { settings } from './settings.js';

/** The settings of a process that connects to the broker. */
export const brokerSettings = {
  natsUrl: settings.natsUrl,
  natsCredentials: settings.natsCredentials,
  natsPlain: settings.natsPlain,
  tlsCa: settings.tlsCa,
  httpsProxy: settings.httpsProxy,
};

type BrokerConfig = ConfigOf<ReturnType<typeof defineConfig<typeof brokerSettings>>>;

/** The broker of a configuration, as `connectBus` expects it. Credentials in a file are read again for each connection. */
export function brokerOf(config: BrokerConfig) {
  const { natsCredentials } = config;
  return {
    url: config.natsUrl.reveal(),
    plain: config.natsPlain,
    credentials: natsCredentials === undefined ? undefined : () => natsCredentials.reveal(),
    authorities: config.tlsCa?.reveal(),
    proxy: config.httpsProxy?.reveal(),
  };
}

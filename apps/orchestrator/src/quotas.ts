import type { EngineOptions } from '@lab/engine';
import type { QuotaSettings } from '@lab/runtime';

type Quotas = EngineOptions['quotas'];

/** The configured quotas, as the engine has them. */
export function quotasOf({ owners, labs }: QuotaSettings): Quotas {
  return { owner: tableOf(owners), lab: tableOf(labs) };
}

function tableOf(settings: QuotaSettings['owners']): Quotas['owner'] {
  return Object.fromEntries(
    Object.entries(settings).map(([name, { records, files_gb: gigabytes }]) => [
      name,
      {
        ...(records === undefined ? {} : { records: records === 'none' ? null : records }),
        ...(gigabytes === undefined
          ? {}
          : { bytes: gigabytes === 'none' ? null : Math.round(gigabytes * 1e9) }),
      },
    ]),
  );
}

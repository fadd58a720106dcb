import type { UsageRecord } from '@lab/api-client';
import { Option, type Command } from 'commander';
import { asks, serviceCommand, tableOf, type ServiceFlags } from '../at-service.js';

const fields = ['share', 'name', 'records', 'files', 'bytes'] as const;
type Order = (typeof fields)[number] | `-${(typeof fields)[number]}`;

interface UsageFlags extends ServiceFlags {
  kind?: UsageRecord['kind'];
  name?: string;
  sort?: Order;
  limit?: string;
}

/** `svc usage`. */
export function addUsageCommand(program: Command): void {
  asks(
    serviceCommand(
      program,
      'usage',
      'show what owners and laboratories store, and how much of their quotas they use',
    )
      .addOption(new Option('--kind <kind>', 'only owners, or only laboratories').choices(['owner', 'lab']))
      .option('--name <name>', 'only this owner or laboratory')
      .addOption(
        new Option(
          '--sort <field>',
          'order; with - before the field: the greatest first (default -share)',
        ).choices(fields.flatMap((field): Order[] => [field, `-${field}`])),
      )
      .option('--limit <count>', 'most lines, 1 to 500 (default 100)'),
    (client, { kind, name, sort, limit = '100' }: UsageFlags) =>
      client.get('/api/usage', { query: { kind, name, sort, limit: Number(limit) } }),
    ({ items, next_cursor: next }) => [
      ...usageTable(items),
      ...(next === null ? [] : ['... and more, with --limit']),
    ],
  );
}

const usageTable = tableOf<UsageRecord>('nothing is stored', {
  KIND: ({ kind }) => kind,
  NAME: ({ name }) => name || '-',
  RECORDS: ({ records }) => inDigits(records),
  'AT MOST': ({ max_records: most }) => (most === null ? '-' : inDigits(most)),
  FILES: ({ files }) => inDigits(files),
  SIZE: ({ bytes }) => inBytes(bytes),
  'SIZE AT MOST': ({ max_bytes: most }) => (most === null ? '-' : inBytes(most)),
  USED: ({ share }) => (share === null ? '-' : `${Math.round(share * 100)} %`),
});

const inDigits = (count: number): string => count.toLocaleString('en-US');

function inBytes(bytes: number): string {
  const [unit, size] =
    bytes < 1e6 ? (['kB', 1e3] as const) : bytes < 1e9 ? (['MB', 1e6] as const) : (['GB', 1e9] as const);
  return `${(bytes / size).toFixed(1)} ${unit}`;
}

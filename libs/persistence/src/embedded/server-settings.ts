import { join } from 'node:path';

/** Where a copy of the database files finds the log of changes since. */
export interface Recovery {
  /** Folder of its segments. The user of the server can read it. */
  wal: string;
  /** The last moment whose transactions count; undefined: all. */
  to?: Date | undefined;
}

export interface ServerMode {
  durable: boolean;
  backup: boolean;
  recovery?: Recovery;
}

export function serverSettings(
  port: number,
  { durable, backup, recovery }: ServerMode,
): Record<string, string> {
  return {
    listen_addresses: '127.0.0.1',
    port: String(port),
    // No socket file: its path may be longer than the 107 bytes that systems allow.
    unix_socket_directories: '',
    max_connections: '60',
    shared_buffers: '32MB',
    // The whole stack must fit on a laptop, in 700 MB: no processes for functions that are not used.
    io_method: 'sync',
    // A copy of the files of a running server needs more in the log of changes.
    wal_level: backup ? 'replica' : 'minimal',
    // The backup reads the log from the files. It has this many MiB before it must begin with a new copy.
    wal_keep_size: backup ? '512MB' : '0',
    max_wal_senders: '0',
    max_logical_replication_workers: '0',
    max_parallel_workers_per_gather: '0',
    autovacuum_max_workers: '2',
    max_wal_size: '256MB',
    // The service uses no replication. Else each checkpoint makes a file of its state, and the server crashes if the
    // disk is full.
    max_active_replication_origins: '0',
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_checkpoints: 'off',
    // Statements may hold what users submitted. The service reports its own errors.
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    fsync: durable ? 'on' : 'off',
    synchronous_commit: durable ? 'on' : 'off',
    full_page_writes: durable ? 'on' : 'off',
    ...(recovery === undefined ? {} : recoverySettings(recovery)),
  };
}

/** The server answers only after it has recovered, and is a database of its own then. */
function recoverySettings({ wal, to }: Recovery): Record<string, string> {
  const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
  return {
    // %f and %p are the names of the segment there and here. A % in the path is written twice.
    restore_command: `cp ${quoted(join(wal, '@').replaceAll('%', '%%')).replace('@', '%f')} "%p"`,
    recovery_target_timeline: 'current',
    recovery_target_action: 'promote',
    hot_standby: 'off',
    ...(to === undefined
      ? {}
      : { recovery_target_time: to.toISOString().replace('T', ' ').replace('Z', '+00') }),
  };
}

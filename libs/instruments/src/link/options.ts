import type { AuthorLog } from '@lab/sdk';
import type { Framer } from '../framing/index.js';
import type { Time, Transport } from '../transport/index.js';
import type { Exchange } from './request.js';

export interface LinkOptions {
  transport: Transport;
  framer: () => Framer;
  time: Time;
  log: Pick<AuthorLog, 'info' | 'warn'>;
  /**
   * Runs on every new line before anything else: checks which instrument it is, and brings it to a safe state.
   *
   * @throws Error if it is another instrument or does not answer
   */
  greet?: (exchange: Exchange) => Promise<void>;
  /**
   * What makes it certain, after a lost or an unexpected answer, that the next frame answers the next request.
   *
   * - `matched`: every answer names its request (`read` returns `other` for those of other requests), so nothing is needed.
   * - `drained`: bytes are thrown away until the line is quiet, then `sync` runs.
   * - `reopened`: the line is closed and opened again. A new TCP connection cannot carry old bytes.
   */
  recovery: 'matched' | 'drained' | 'reopened';
  /** Exchanges something whose answer nothing else can be mistaken for, for the recovery `drained`. */
  sync?: ((exchange: Exchange) => Promise<void>) | undefined;
  /** Milliseconds without a byte before a request leaves. Default 0. */
  settleMs?: number;
  /** Milliseconds without a byte after which a line counts as quiet. Default 100. */
  drainMs?: number;
  /** Milliseconds to open a line. Default 5000. */
  openMs?: number;
  /** Milliseconds of pause before the first attempt to open a lost line again; it doubles up to `longestPauseMs`. Default 100. */
  firstPauseMs?: number;
  /** Default 10 000. */
  longestPauseMs?: number;
  /** Something that the instrument answers, sent when nothing was exchanged for `everyMs`. */
  heartbeat?: { everyMs: number; beat: (exchange: Exchange) => Promise<unknown> } | undefined;
}

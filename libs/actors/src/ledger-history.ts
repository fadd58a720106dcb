import type { AttemptOutcome } from '@lab/contracts';
import type { LedgerRecord, SpooledFile } from './ports.js';

/** What the ledger tells of one attempt. */
export interface AttemptHistory {
  attemptId: string;
  label: string;
  begun: boolean;
  end: { outcome: AttemptOutcome; files: SpooledFile[] } | undefined;
  result: AttemptOutcome | undefined;
  /** Nothing is left to do: acknowledged, or never to be run. */
  closed: boolean;
}

/** The records of a ledger gathered by attempt, in order of first mention. */
export function readHistory(records: readonly LedgerRecord[]): Map<string, AttemptHistory> {
  const histories = new Map<string, AttemptHistory>();
  for (const record of records) {
    const { attemptId } = record;
    const history = histories.get(attemptId) ?? {
      attemptId,
      label: attemptId,
      begun: false,
      end: undefined,
      result: undefined,
      closed: false,
    };
    histories.set(attemptId, history);
    if (record.type === 'accept') history.label = record.label;
    if (record.type === 'begin') history.begun = true;
    if (record.type === 'end') history.end = { outcome: record.outcome, files: record.files };
    if (record.type === 'result') history.result = record.outcome;
    if (record.type === 'acked' || record.type === 'tombstone') history.closed = true;
  }
  return histories;
}

/**
 * The records that still matter: all of attempts that are open, and of the latest `remembered` closed ones the record
 * that closed them, so that a late repeat of their start is refused.
 */
export function compactRecords(records: readonly LedgerRecord[], remembered: number): LedgerRecord[] {
  const histories = readHistory(records);
  const closers = records.filter((record) => record.type === 'acked' || record.type === 'tombstone');
  const kept = new Set<LedgerRecord>(closers.slice(-remembered));
  return records.filter((record) => kept.has(record) || histories.get(record.attemptId)?.closed === false);
}

import type { TrialNote, TrialSource } from '@lab/contracts';
import type { JsonValue, RuntimeParameters } from '@lab/sdk';
import type { Run } from '../optimizer/runs.js';

/** Details of a run beside its inputs and outputs. */
export interface RunDetails {
  run: string;
  source: TrialSource;
  note: TrialNote;
  /** Known values of `ai_additional_parameters`. */
  additional: Record<string, JsonValue>;
  /** Seconds that its tasks took; null or absent: unknown. */
  durations?: Record<string, number> | null;
}

/** A remark of a person for the AI. */
export interface OfferedInsight {
  id: string;
  text: string;
}

export interface HybridSampleReport {
  /** Of each row. */
  rows: { source: TrialSource; note: TrialNote }[];
  /** Identifiers of the insights that the AI has used, which need not be offered again. */
  insights_used: string[];
  /** Time limits of the plugged-in optimizer that cut a computation short. */
  limits_used: string[];
}

export interface HybridState {
  format: 1;
  /** In the order of their begin. */
  runs: Run[];
  details: RunDetails[];
  runtime_params: RuntimeParameters;
  optimizer: unknown;
}

import type { TrialNote, TrialSource } from '@lab/contracts';
import type { JsonValue, RuntimeParameters } from '@lab/sdk';
import type { Run } from '../optimizer/runs.js';

// What a hybrid optimizer is told and tells beside its tables, all plain JSON.

/** What is known of a run beside its inputs and outputs. */
export interface RunDetails {
  /** Name of the run. */
  run: string;
  source: TrialSource;
  note: TrialNote;
  /** Values of `ai_additional_parameters`, as far as known. */
  additional: Record<string, JsonValue>;
}

/** A remark of a person for the AI. */
export interface OfferedInsight {
  id: string;
  text: string;
}

/** How a sample came about. */
export interface HybridSampleReport {
  /** Of each row. */
  rows: { source: TrialSource; note: TrialNote }[];
  /** Identifiers of the insights that the AI has used, and that need not be offered again. */
  insights_used: string[];
  /** Time limits of the plugged-in optimizer that ended a computation before its own end. */
  limits_used: string[];
}

/** Everything that a hybrid optimizer knows but its arguments and the insights offered. */
export interface HybridState {
  format: 1;
  /** In the order in which they began. */
  runs: Run[];
  details: RunDetails[];
  runtime_params: RuntimeParameters;
  /** Of the plugged-in optimizer. */
  optimizer: unknown;
}

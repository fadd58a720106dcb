import { IsObject, IsOptional, IsString, Length } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import type { JsonObject, JsonValue } from '../json.js';
import type { KeptOptimizer, OptimizerStatus, Trial, TrialNote, TrialSource } from '../messages/optimizer.js';
import { OperatorNote } from './operations.js';
import { IsInline } from './rules.js';

/** Longest text of one insight, in characters. */
export const longestInsight = 10_000;

/** A remark of a person for the AI (`POST /api/campaigns/{campaign_name}/optimizer/insight`). */
export class InsightSubmission extends OperatorNote {
  @JSONSchema({
    description: 'What the AI is to know; it waits until a suggestion that was given it succeeds.',
    example: 'Yellow stains the beaker: stay below 12.',
  })
  @IsString()
  @Length(1, longestInsight)
  insight!: string;
}

/** How a campaign goes on (`POST /api/campaigns/{campaign_name}/resume`). */
export class CampaignResumption extends OperatorNote {
  @JSONSchema({
    description:
      'Settings of its optimizer, over those it was submitted with and those that were changed since. Its inputs, outputs and constraints cannot be changed any more.',
    additionalProperties: true,
    example: { p_ai: 0.25 },
  })
  @IsOptional()
  @IsObject()
  @IsInline()
  optimizer_overrides?: JsonObject;
}

/** A remark of a person for the AI. Times are ISO 8601 in UTC. */
export interface InsightRecord {
  id: string;
  text: string;
  by: string;
  at: string;
  /** A suggestion has succeeded that was given it. */
  used: boolean;
}

/** How the parameters of one run came about. */
export interface JournalEntry {
  /** Number of the run within the campaign. */
  number: number;
  run: string;
  source: TrialSource;
  note: TrialNote;
}

/** The optimizer of a campaign (`GET /api/campaigns/{campaign_name}/optimizer`). No secret is in it. */
export interface OptimizerRecord extends Omit<KeptOptimizer, 'insights'> {
  campaign: string;
  /** `closed`: nothing is asked of it at present, or the campaign is over. */
  state: OptimizerStatus['state'];
  /** Why it waits; null: it does not. */
  reason: { code: string; message: string } | null;
  /** The worker that has it; null: none has. */
  worker: string | null;
  insights: InsightRecord[];
  /** Trials whose run has not begun, by number. */
  pending: Trial[];
  /** The latest entries, newest first; all of them are in the notes of the trials. */
  journal: JournalEntry[];
  /** What its model has learnt; null: nothing yet, it was not asked, or it says nothing of it. */
  belief: JsonValue;
}

import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Length,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { IsWellFormedName } from './rules.js';

/**
 * What somebody may do, least first. Each role may do what the ones before it may. `lab_admin` is given for a lab, the
 * others for a lab or for all of them; `admin` always for all.
 */
export const roles = ['viewer', 'submitter', 'operator', 'lab_admin', 'admin'] as const;
export type Role = (typeof roles)[number];

export interface Grant {
  role: Role;
  /** Name of the one lab that the role is for; without it: all labs. */
  lab?: string;
}

/** Who makes a request. */
export interface Principal {
  /** Stands as owner and in the audit. */
  name: string;
  /** `local`: authentication is off, and the service listens on this machine only. */
  kind: 'local' | 'token' | 'oidc';
  grants: Grant[];
}

/** `personal`: of a person, always expires. `service`: of a program that goes on for years. */
export const tokenKinds = ['personal', 'service'] as const;
export type TokenKind = (typeof tokenKinds)[number];

/** Days that a personal token is valid unless something else is asked for, and at most. */
export const personalTokenDays = { usual: 90, most: 366 } as const;

/** A role in the body of a request. */
export class GrantSubmission {
  @JSONSchema({ description: 'What may be done; each role includes those before it.', enum: [...roles] })
  @IsIn(roles)
  role!: Role;

  @JSONSchema({ description: 'The one lab it is for. Left out: all labs.', example: 'color_lab' })
  @IsOptional()
  @IsWellFormedName()
  lab?: string;
}

/** A token of access to be made (`POST /api/tokens`). */
export class TokenSubmission {
  @JSONSchema({
    description: 'Who shows it: owner of what is submitted with it, and name in the audit.',
    example: 'ada',
  })
  @IsWellFormedName()
  name!: string;

  @JSONSchema({ description: 'Of a person, or of a program. Default personal.', enum: [...tokenKinds] })
  @IsOptional()
  @IsIn(tokenKinds)
  kind?: TokenKind;

  @JSONSchema({
    description: 'What it may do.',
    type: 'array',
    items: { $ref: '#/components/schemas/GrantSubmission' },
  })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(100)
  @ValidateNested({ each: true })
  @Type(() => GrantSubmission)
  grants!: GrantSubmission[];

  @JSONSchema({ description: 'What it is for.', example: 'notebook on the bench' })
  @IsOptional()
  @IsString()
  @Length(0, 200)
  note?: string;

  @JSONSchema({
    description: `Days until it expires. A personal token: default ${personalTokenDays.usual}, at most ${personalTokenDays.most}. One of a service: default never.`,
    example: 30,
  })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(3_650)
  expires_in_days?: number;
}

/** A token of access, without itself. Times are ISO 8601 in UTC. */
export interface TokenRecord {
  id: string;
  /** How the token begins, to tell it from others. */
  prefix: string;
  kind: TokenKind;
  name: string;
  note: string;
  grants: Grant[];
  created_at: string;
  created_by: string;
  /** Null: it does not expire. */
  expires_at: string | null;
  /** To within about a minute; null: never used. */
  last_used_at: string | null;
  revoked_at: string | null;
  revoked_by: string | null;
}

/** Answer to the request that made a token: the only one that holds it. */
export interface NewTokenRecord extends TokenRecord {
  token: string;
}

/** What a check of the whole audit found. */
export interface AuditVerification {
  /** Entries that were looked at, the broken one included. */
  entries: number;
  /** The first entry that is not what it was, or does not follow the one before it; null: all are sound. */
  broken: { seq: number; id: string | null; reason: string } | null;
  /** Hash of the last sound entry: kept elsewhere, it shows later that the chain has not been made anew. */
  head: string;
}

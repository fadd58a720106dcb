import type { EnrolmentRecord, InvitationRecord } from '@lab/api-client';
import { mayAct, type LabEvent } from '@lab/web-model';
import { useCallback, useEffect } from 'react';
import { client, useLab, useRecord, type Loaded } from '../lab/index.js';

/** Time between two looks, in milliseconds: no event tells that a computer waits for approval. */
const everyMs = 10_000;

/** What only administrators may read about the computers that joined. */
export interface Admission {
  /** Newest first, also those that were used or have expired. */
  invitations: readonly InvitationRecord[];
  /** By computer. */
  enrolments: readonly EnrolmentRecord[];
}

/** @returns undefined: this person is no administrator */
export function useAdmission(): Loaded<Admission> | undefined {
  const { me } = useLab();
  const isAdmin = mayAct(me, 'admin');
  const load = useCallback(
    async (signal: AbortSignal): Promise<Admission> => {
      if (!isAdmin) return { invitations: [], enrolments: [] };
      const [invitations, enrolments] = await Promise.all([
        client.get('/api/invitations', { signal }),
        client.get('/api/enrolments', { signal }),
      ]);
      return { invitations, enrolments };
    },
    [isAdmin],
  );
  const loaded = useRecord(load, concerns);
  const { readAgain } = loaded;
  useEffect(() => {
    if (!isAdmin) return;
    const timer = setInterval(readAgain, everyMs);
    return () => clearInterval(timer);
  }, [isAdmin, readAgain]);
  return isAdmin ? loaded : undefined;
}

/** A computer that joins is online soon after. */
const concerns = ({ type }: LabEvent): boolean => type.startsWith('agent.');

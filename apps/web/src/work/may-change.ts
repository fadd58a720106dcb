import type { CampaignRecord, ProtocolRunRecord, TaskRunRecord } from '@lab/api-client';
import { labsSeen, mayActOn, type WorkKind } from '@lab/web-model';
import { useLab } from '../lab/index.js';
import { useDefinition } from '../parts/index.js';

export type Work = CampaignRecord | ProtocolRunRecord | TaskRunRecord;

/** Whether the person may change work: an operator that of everybody, a submitter their own. */
export function useMayChange(kind: WorkKind, work: Work): boolean {
  const { me } = useLab();
  const labs = useLabsOf(kind, work);
  return mayActOn(me, 'operator', labs) || (work.owner === me.name && mayActOn(me, 'submitter', labs));
}

/** The laboratories of work, as far as the page knows them. The service decides. */
function useLabsOf(kind: WorkKind, work: Work): readonly string[] {
  const { me } = useLab();
  const seen = labsSeen(me);
  const protocol = 'protocol' in work ? work.protocol : kind === 'run' ? work.type : undefined;
  const definition = useDefinition('protocol', protocol);
  if (seen === undefined) return [];
  if (protocol !== undefined) return definition?.labs ?? [];
  const devices = 'devices' in work ? Object.values(work.devices).map(({ lab_name: lab }) => lab) : [];
  // A person sees a task only if all of its laboratories are theirs.
  return devices.length > 0 ? [...new Set(devices)] : seen;
}

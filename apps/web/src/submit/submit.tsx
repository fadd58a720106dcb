import type { DefinitionSummary } from '@lab/api-client';
import { labsSeen, mayActSomewhere, workKinds, type WorkKind } from '@lab/web-model';
import { useEffect, useState, type ReactNode } from 'react';
import { Choice } from '../design/index.js';
import { client, readSeen, reasonOf, useLab } from '../lab/index.js';
import { Unread } from '../parts/index.js';
import { useWords } from '../settings/index.js';
import { SubmissionForm } from './submission-form.js';
import { useEarlier } from './earlier.js';

/**
 * Chooses what to submit, and shows the form for it.
 *
 * @param kind what is chosen first
 * @param from name of earlier work of this kind, whose values the form begins with
 */
export function Submit({ kind: first, from }: { kind?: WorkKind; from?: string }): ReactNode {
  const words = useWords();
  const { me } = useLab();
  const [kind, setKind] = useState<WorkKind>(first ?? 'run');
  const [chosen, setChosen] = useState<string>();
  const types = useTypes(kind);
  const earlier = useEarlier(kind, kind === first ? from : undefined);
  if (!mayActSomewhere(me, 'submitter'))
    return (
      <>
        <h1>{words.say('submit.title')}</h1>
        <p>{words.say('submit.may_not')}</p>
      </>
    );
  if (types === undefined || typeof types === 'string') return <Unread reason={types} />;
  if (earlier === 'reading') return <Unread reason={undefined} />;
  const type = chosen ?? earlier?.type ?? types[0]?.name;
  return (
    <>
      <h1>{words.say('submit.title')}</h1>
      {earlier?.failure !== undefined && (
        <p role="alert">{words.say('submit.from.failed', { name: from ?? '', reason: earlier.failure })}</p>
      )}
      <div className="form narrow">
        <Choice
          label={words.say('submit.kind')}
          value={kind}
          onChange={(value) => {
            setKind(value as WorkKind);
            setChosen(undefined);
          }}
        >
          {workKinds.map((each) => (
            <option key={each} value={each}>
              {words.say(`submit.kind.${each}`)}
            </option>
          ))}
        </Choice>
        {type === undefined ? (
          <p>{words.say('submit.type.none')}</p>
        ) : (
          <Choice label={words.say(`submit.type.${kind}`)} value={type} onChange={setChosen}>
            {types.map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </Choice>
        )}
      </div>
      {type !== undefined && (
        <SubmissionForm
          key={`${kind}/${type}`}
          kind={kind}
          type={type}
          earlier={earlier?.type === type ? earlier : undefined}
        />
      )}
    </>
  );
}

/** The loaded types that can be submitted; a sentence when they cannot be read. */
function useTypes(kind: WorkKind): DefinitionSummary[] | string | undefined {
  const { me } = useLab();
  const type = kind === 'task' ? 'task' : 'protocol';
  const [found, setFound] = useState<{ type: string; types: DefinitionSummary[] | string }>();
  useEffect(() => {
    const end = new AbortController();
    const read = readSeen(
      labsSeen(me),
      (lab) => client.all('/api/definitions', { query: { ...lab, type, limit: 500 }, signal: end.signal }),
      ({ name }) => name,
    );
    read.then(
      (all) => setFound({ type, types: all.filter(({ loaded }) => loaded) }),
      (error: unknown) => {
        if (!end.signal.aborted) setFound({ type, types: reasonOf(error) });
      },
    );
    return () => end.abort();
  }, [me, type]);
  return found?.type === type ? found.types : undefined;
}

import type { ChainBar, ChainCause, WordKey } from '@lab/web-model';
import type { ReactNode } from 'react';
import { Rows, Section } from '../design/index.js';
import { TaskLink } from '../parts/index.js';
import { useWords } from '../settings/index.js';
import type { ShownChain } from './use-chain.js';

/**
 * The critical chain in words.
 *
 * @param unplanned tasks of the run that wait without a planned time
 */
export function Chain({
  shown: { run, chain, unread },
  unplanned,
}: {
  shown: ShownChain;
  unplanned: number;
}): ReactNode {
  const words = useWords();
  if (run === undefined) return <p role="status">{words.say('schedule.chain.empty')}</p>;
  const links = chain.map((link, index) => ({ ...link, former: chain[index - 1]?.bar.task.label ?? '' }));
  return (
    <Section title={words.say('schedule.chain.of', { run })}>
      <p className="hint">{words.say('schedule.chain.hint')}</p>
      {chain.length === 0 && <p>{words.say('schedule.chain.none', { run })}</p>}
      <Rows items={links} keyOf={({ bar }) => bar.task.id} ordered>
        {({ bar, cause, former, waitedMs }) => (
          <>
            <span className="name">
              <TaskLink task={bar.task} />
            </span>
            <span>{causeText(words, cause, former)}</span>
            {waitedMs >= 1_000 && (
              <span className="hint">
                {words.say('schedule.chain.waited', { age: words.duration(waitedMs) })}
              </span>
            )}
          </>
        )}
      </Rows>
      {unplanned > 0 && <p>{words.say('schedule.chain.unplanned', { count: unplanned })}</p>}
      {unread.length > 0 && (
        <p role="status">{words.say('schedule.chain.unread', { runs: unread.join(', ') })}</p>
      )}
    </Section>
  );
}

/** Where a task stands in the chain: a sign, a word and a color. */
export function ChainMark({ place, of }: { place: number; of: readonly ChainBar[] }): ReactNode {
  const words = useWords();
  return (
    <span className="chain-mark">
      <span aria-hidden="true">{'\u25C6'} </span>
      {words.say('schedule.chain.place', { place, count: of.length })}
    </span>
  );
}

function causeText(words: ReturnType<typeof useWords>, cause: ChainCause, former: string): string {
  switch (cause.kind) {
    case 'dependency':
      return words.say('schedule.chain.dependency', { former });
    case 'unit':
      return words.say('schedule.chain.unit', { former, unit: cause.unit });
    case 'hold': {
      const { unit, kind, reason, by } = cause.hold;
      const what = words.say(`schedule.hold.${kind}` satisfies WordKey);
      return words.say('schedule.chain.hold', { unit, kind: what, reason, by });
    }
    case 'none':
      return words.say('schedule.chain.first');
  }
}

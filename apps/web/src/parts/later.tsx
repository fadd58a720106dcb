import { lazy, Suspense, type ComponentType, type ReactNode } from 'react';
import { useWords } from '../settings/index.js';

/** Time after the start of the page before parts are loaded that nobody has opened yet, in milliseconds. */
const prefetchMs = 5_000;

/**
 * A part of the page whose code is loaded when it is first drawn, or else in a quiet moment after the start, so that it is there
 * when the service is not.
 *
 * @param load must always give the same component
 */
export function later<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): (props: Props) => ReactNode {
  const Part = lazy(async () => ({ default: await load() }));
  setTimeout(() => {
    // It fails again, with an error that a person sees, when the part is drawn.
    load().catch(() => undefined);
  }, prefetchMs);
  return function Later(props) {
    return (
      <Suspense fallback={<Loading />}>
        <Part {...props} />
      </Suspense>
    );
  };
}

function Loading(): ReactNode {
  const words = useWords();
  return <p className="hint">{words.say('now.reading')}</p>;
}

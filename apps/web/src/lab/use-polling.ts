import { useEffect } from 'react';

/** Time between two looks at what tasks wait for, in milliseconds. */
const everyMs = 5_000;

/** Reads again and again while something waits: what it waits for changes with other work, of which no event tells. */
export function usePolling(isWaiting: boolean, readAgain: () => void): void {
  useEffect(() => {
    const timer = isWaiting ? setInterval(readAgain, everyMs) : undefined;
    return () => clearInterval(timer);
  }, [isWaiting, readAgain]);
}

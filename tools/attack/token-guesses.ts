import { Door } from './door.js';
import { invented, type Group } from './http-scene.js';

/** People who guess tokens, faster than one network may. */
export const withInventedTokens: Group = ({ people, stack }, door) => {
  /** Tokens that one network may guess at once, and in a minute. */
  const perMinute = 30;
  /** Guesses 130 tokens. @returns what is wrong, if more were looked up than one network may guess in this time */
  const guess = async (by: (n: number) => Door): Promise<string | undefined> => {
    const startedAt = performance.now();
    let lookedUp = 0;
    for (let n = 0; n < 130; n += 1)
      if ((await by(n).as(invented(), 'GET', `/api/tasks/t${n}`)).status !== 429) lookedUp += 1;
    const minutes = (performance.now() - startedAt) / 60_000;
    return lookedUp <= perMinute * (1 + minutes) + 1 ? undefined : `${lookedUp} tokens were looked up`;
  };
  return [
    {
      name: 'H18 guess tokens without end on ever other routes',
      attempt: async () => {
        const one = door();
        // From now on the gateway knows this token.
        await one.as(people.olga, 'GET', '/api/me');
        const found = await guess(() => one);
        const known = await one.as(people.olga, 'GET', '/api/me');
        return found ?? (known.status === 200 ? undefined : `a known token is refused with ${known.status}`);
      },
    },
    {
      name: 'H18 guess tokens from ever other addresses of one network',
      attempt: () => guess((n) => new Door(stack.url, `2001:db8:0:1::${n.toString(16)}`)),
    },
    {
      name: 'H18 guess tokens under invented addresses before the own one',
      attempt: () => guess((n) => new Door(stack.url, `198.51.100.${n}, 203.0.113.9`)),
    },
  ];
};

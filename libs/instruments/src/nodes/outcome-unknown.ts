/** Nobody can tell any more whether another system carried out an effect. */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown';
}

/** What a device does when the outcome of an effect is unknown. */
export type GiveUp = (why: string) => Promise<never>;

/**
 * Ends the process of the device in the middle of the effect. The agent then holds the device as `uncertain`, asks
 * `_reconcile` in a new process, and asks a person if that cannot tell. An error of the call would say that the call is over.
 */
export const endProcess: GiveUp = (why) => {
  setImmediate(() => {
    throw new OutcomeUnknown(why);
  });
  return new Promise<never>(() => undefined);
};

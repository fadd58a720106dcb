/**
 * Throw it from a device function that certainly changed nothing, for example because the instrument is not connected. The call
 * is then recorded as `not_begun`, and the service knows that its effect is `none`. Any other error of an `@effect()` leaves open
 * whether the effect happened.
 *
 * The service recognises it by `error.name === 'NotBegun'`, because a bundled module has its own copy of this class.
 */
export class NotBegun extends Error {
  override readonly name = 'NotBegun';
}

/** Injection tokens of what is not a class. */
export const objectStoreToken = Symbol('ObjectStore');
export const busToken = Symbol('Bus');

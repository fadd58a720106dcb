/** A random key of 128 bits, hexadecimal. `randomUUID` does not exist on a page that came over plain HTTP from another computer. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

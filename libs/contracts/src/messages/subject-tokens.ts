const unsafe = /[^A-Za-z0-9_-]/gu;

/** Encodes any name into one subject token. Unsafe characters become `=`, their hexadecimal code point and `=`. */
export function encodeToken(name: string): string {
  if (name === '') return '==';
  return name.replace(unsafe, (character) => `=${character.codePointAt(0)?.toString(16) ?? ''}=`);
}

/** The inverse of {@link encodeToken}. */
export function decodeToken(token: string): string {
  if (token === '==') return '';
  if (!token.includes('=')) return token;
  return token.replace(/=([0-9a-f]+)=/g, (_, code: string) => String.fromCodePoint(parseInt(code, 16)));
}

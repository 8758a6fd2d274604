/** What services of tests encrypt under, unless they are told otherwise. */
export const TEST_ENCRYPTION_KEY = new Uint8Array(32).fill(7).toBase64();
/** What an operator puts in front of it. */
export const NEW_ENCRYPTION_KEY = new Uint8Array(32).fill(8).toBase64();
